"""The stored specification files: our own table of GPUs, the notes on it, and what outside sources state."""

import re

import pytest

from pipeline import gpu_identity
from pipeline.fetch.snapshots import stored_files
from pipeline.paths import DATA
from pipeline.schema.prices import Price
from pipeline.schema.spec_statements import SpecDatabaseCheck, SpecPublisher, SpecValue
from pipeline.schema.specs import Gpu, GpuAlias, SpecNote
from sources import Accepted, Document, UnparsableError, discover
from sources.specs import gpuledger_compiled

OUTSIDE = (
    "device-readings",
    "epoch-ml-hardware",
    "gpuledger-arithmetic",
    "lightning-throughput",
    "nvidia-web",
    "press-and-retail",
    "stas00-ml-engineering",
    "wikipedia-gpu-lists",
)
ATTRIBUTES = {column.name: column.col.unit for column in Gpu.__table__.columns}
NUMERIC = {column.name for column in Gpu.__table__.columns if column.sql_type in ("DOUBLE", "BIGINT")} | {"compute_capability"}
# Dual issue (RDNA 3) and four FP32 operations per lane and clock (CDNA 3 and 4): twice 2 x lanes x boost.
TWICE_THE_CLOCK = {
    "amd-instinct-mi300a-128gb",
    "amd-instinct-mi300x-192gb",
    "amd-instinct-mi325x-256gb",
    "amd-instinct-mi350x-288gb",
    "amd-instinct-mi355x-288gb",
    "amd-radeon-pro-w7900-48gb",
    "amd-radeon-rx-7800-xt-16gb",
    "amd-radeon-rx-7900-xtx-24gb",
    "amd-radeon-rx-9070-xt-16gb",
}
# GPUs whose sparse or FP16-accumulate figure is often printed in the place of the dense one.
DENSE = {
    "nvidia-geforce-rtx-4090-24gb": 165.2,
    "nvidia-h100-sxm5-80gb": 989.4,
    "nvidia-geforce-rtx-2080-ti-11gb": 53.8,
    "nvidia-l40-48gb": 181.0,
    "nvidia-a100-sxm4-80gb": 312.0,
}


def _rows(source_id, kind):
    parser = discover()[source_id]
    documents = [stored.document() for stored in stored_files(parser.SOURCE, DATA)]
    return [
        item.row
        for document in documents
        for item in parser.parse(document)
        if isinstance(item, Accepted) and isinstance(item.row, kind)
    ]


@pytest.fixture(scope="module")
def gpus():
    return {gpu.gpu_id: gpu for gpu in _rows("gpuledger-compiled", Gpu)}


@pytest.fixture(scope="module")
def notes():
    return {(note.gpu_id, note.attribute): note.note for note in _rows("gpuledger-compiled", SpecNote)}


def test_gpus_are_many_and_their_names_are_unique(gpus):
    assert len(gpus) >= 110
    assert len({gpu.name for gpu in gpus.values()}) == len(gpus)


def test_every_gpu_name_is_an_alias_of_the_gpu(gpus):
    aliases = {alias.alias: alias.gpu_id for alias in _rows("gpuledger-names", GpuAlias) if alias.scope == "gpuledger-compiled"}
    assert aliases == {gpu.name: gpu.gpu_id for gpu in gpus.values()}


def test_a_gpu_before_volta_has_no_matrix_rate(gpus):
    """Volta's were the first tensor cores; the INT8 rate of Pascal is that of vector instructions."""
    older = [gpu for gpu in gpus.values() if gpu.architecture in ("Kepler", "Maxwell", "Pascal")]
    rates = [name for name in ATTRIBUTES if "_tensor_" in name]
    assert {name for gpu in older for name in rates if getattr(gpu, name) is not None} == set()
    assert {gpu.gpu_id: gpu.int8_tops for gpu in gpus.values() if gpu.int8_tops} == {
        "nvidia-tesla-p4-8gb": 22.0,
        "nvidia-tesla-p40-24gb": 47.0,
    }


PRICED = ("epoch-ml-hardware", "press-and-retail", "wikipedia-gpu-lists")


def _launch_values(source_id):
    return [row for row in _rows(source_id, SpecValue) if row.attribute == "launch_msrp_usd"]


@pytest.mark.parametrize("source_id", PRICED)
def test_a_launch_price_is_the_value_of_the_gpu_that_its_name_means(source_id):
    """Each line is a price in the source's words and a value of the GPU that the words mean."""
    prices = _rows(source_id, Price)
    values = _launch_values(source_id)
    assert len(prices) == len(values) >= 4
    for price, value in zip(prices, values, strict=True):
        found = gpu_identity.resolve(price.raw_gpu_name, "", price.reported_memory_gb, source_id)
        assert (found.gpu_id, price.amount) == (value.gpu_id, value.value)
        assert float(re.sub(r"[$,]| USD", "", price.price_raw)) == price.amount
        assert (price.kind, price.currency, price.price_unit, price.price_basis) == ("msrp", "USD", "unit", "per_gpu")


def test_a_launch_day_is_near_that_of_the_gpu(gpus):
    """A source may count from the announcement or from the first sale."""
    for source_id in PRICED:
        for price, value in zip(_rows(source_id, Price), _launch_values(source_id), strict=True):
            assert abs((price.observed_at - gpus[value.gpu_id].release_date).days) < 70, price


def test_our_own_table_gives_no_price(gpus):
    """A launch price that no outside source states is a value of the GPU, and no row of `price`."""
    assert _rows("gpuledger-compiled", Price) == []
    published = [row for source_id in PRICED for row in _launch_values(source_id) if not (row.note or "").startswith("Estimate")]
    stated = {row.gpu_id for row in published}
    assert stated <= {gpu.gpu_id for gpu in gpus.values() if gpu.launch_msrp_usd is not None}


@pytest.mark.parametrize(("gpu_id", "tflops"), DENSE.items())
def test_tensor_figures_are_dense_with_fp32_accumulation(gpus, gpu_id, tflops):
    assert gpus[gpu_id].fp16_tensor_tflops == pytest.approx(tflops, rel=0.005)


def test_no_consumer_tensor_figure_is_sparse_or_with_fp16_accumulation(gpus):
    """On GeForce GPUs since Turing the dense FP32-accumulate rate is 4 (Turing) or 2 (later) times the FP32 vector rate."""
    known = [c for c in gpus.values() if c.gpu_id.startswith("nvidia-geforce-rtx") and c.fp16_tensor_tflops and c.fp32_tflops]
    assert len(known) > 30
    for gpu in known:
        factor = 4 if gpu.architecture == "Turing" else 2
        assert gpu.fp16_tensor_tflops == pytest.approx(factor * gpu.fp32_tflops, rel=0.03), gpu.gpu_id


def test_fp32_rate_follows_from_lanes_and_clock_but_for_noted_gpus(gpus, notes):
    known = [c for c in gpus.values() if c.fp32_tflops and c.cuda_cores and c.boost_clock_mhz]
    off = {c.gpu_id for c in known if abs(c.fp32_tflops / (2e-6 * c.cuda_cores * c.boost_clock_mhz) - 1) > 0.03}
    assert len(known) > 100
    assert off == TWICE_THE_CLOCK
    for gpu_id in off:
        gpu = gpus[gpu_id]
        assert gpu.fp32_tflops == pytest.approx(4e-6 * gpu.cuda_cores * gpu.boost_clock_mhz, rel=0.03)
        assert "twice 2 x lanes x boost" in notes[gpu_id, "fp32_tflops"]


def test_notes_name_known_gpus_and_columns(gpus, notes):
    assert {gpu_id for gpu_id, _ in notes} <= set(gpus)
    assert {attribute for _, attribute in notes} <= set(ATTRIBUTES)


@pytest.mark.parametrize("gpu_id", ["nvidia-b300-sxm-288gb", "nvidia-gb300-288gb"])
@pytest.mark.parametrize("attribute", ["memory_gb", "memory_bandwidth_gb_per_s", "int8_tensor_tops"])
def test_doubts_about_blackwell_ultra_stay_visible(notes, gpu_id, attribute):
    assert notes[gpu_id, attribute].startswith("Low confidence")


@pytest.mark.parametrize(
    ("gpu_id", "attribute"),
    [
        ("nvidia-gb200-186gb", "sm_count"),
        ("nvidia-a10g-24gb", "fp16_tensor_tflops"),
        ("nvidia-h20-96gb", "fp32_tflops"),
        ("nvidia-b200-sxm-180gb", "memory_gb"),
        ("nvidia-h200-nvl-141gb", "fp16_tensor_tflops"),
        ("nvidia-h20-141gb", "memory_gb"),
    ],
)
def test_other_doubts_stay_visible(notes, gpu_id, attribute):
    assert notes[gpu_id, attribute]


@pytest.mark.parametrize("source_id", OUTSIDE)
def test_statements_name_known_gpus_and_columns_in_their_unit(gpus, source_id):
    rows = _rows(source_id, SpecValue)
    assert rows
    assert {row.gpu_id for row in rows} <= set(gpus)
    assert {row.attribute for row in rows} <= NUMERIC
    assert all((row.unit or "") == ATTRIBUTES[row.attribute] for row in rows)


@pytest.mark.parametrize("source_id", OUTSIDE)
def test_citations_stand_alone(source_id):
    """A citation leans on no other row, and a place on the web is named or said to be unknown."""
    for row in _rows(source_id, SpecValue):
        assert not re.search(r"\(same\b|^same\b|as above|file id|samples?/", row.citation), row
        placed = "http" in row.citation or "address not kept" in row.citation or source_id == "gpuledger-arithmetic"
        assert placed, row


def test_a_stated_value_is_scaled_only_with_a_reason():
    scaled = [row for source_id in OUTSIDE for row in _rows(source_id, SpecValue) if row.factor != 1]
    assert len(scaled) > 40
    assert {row.factor for row in scaled} == {0.25, 0.5, 4.0}
    assert all(row.note for row in scaled)


def test_evidence_names_a_publisher_with_a_licence_and_a_place():
    publishers = {row.publisher_id: row for row in _rows("spec-evidence", SpecPublisher)}
    rows = _rows("spec-evidence", SpecValue)
    assert len(rows) > 3000
    assert {row.publisher_id for row in rows} <= set(publishers)
    assert all(row.address or "quoted in a public repository" in row.citation for row in rows)
    assert all(re.fullmatch(r"https?://\S+", row.address) for row in rows if row.address)
    assert all(publisher.licence for publisher in publishers.values())


def test_evidence_of_one_publisher_has_the_licence_of_its_source():
    publishers = {row.publisher_id: row.licence for row in _rows("spec-evidence", SpecPublisher)}
    shared = {source_id: discover()[source_id].SOURCE.licence for source_id in OUTSIDE if discover()[source_id].SOURCE.licence}
    assert {"wikipedia-gpu-lists", "epoch-ml-hardware", "stas00-ml-engineering"} <= set(shared)
    assert {source_id: publishers[source_id] for source_id in shared} == shared


def test_the_database_whose_terms_are_unread_leaves_outcomes_alone():
    """No row, address or figure of it is stored: only our own values and whether it agrees."""
    for stored in stored_files(discover()["spec-evidence"].SOURCE, DATA):
        assert b"techpowerup" not in stored.document().raw.lower()
    outcomes = _rows("spec-evidence", SpecDatabaseCheck)
    assert len(outcomes) > 2000
    assert {row.agrees for row in outcomes} == {True, False}


def test_the_cross_check_is_of_our_own_values(gpus):
    for row in _rows("spec-evidence", SpecDatabaseCheck):
        own = getattr(gpus[row.gpu_id], row.attribute)
        own = {True: "yes", False: "no"}.get(own) if isinstance(own, bool) else own
        assert str(own) == row.compared_value or float(own) == float(row.compared_value), row


def test_no_note_rests_on_memory(notes):
    assert {key for key, note in notes.items() if re.search("recalled|remembered", note, re.IGNORECASE)} == set()


@pytest.mark.parametrize("gpu_id", ["nvidia-rtx-pro-4500-blackwell-32gb", "nvidia-rtx-pro-5000-blackwell-48gb"])
def test_rates_of_workstation_blackwell_follow_from_the_makers_figure(gpus, gpu_id):
    """NVIDIA prints AI TOPS: FP4 with sparsity. The clock of lists from before the sale contradicts it."""
    gpu = gpus[gpu_id]
    assert gpu.boost_clock_mhz is None
    tops = 1687 if "4500" in gpu_id else 2064
    rates = (gpu.fp4_tensor_tflops, gpu.fp8_tensor_tflops, gpu.bf16_tensor_tflops, gpu.fp32_tflops)
    assert [round(tops / rate) for rate in rates] == [2, 4, 8, 32]


def test_an_unknown_file_in_the_folder_is_named():
    document = Document("data/specs/other.csv", b"a\n1\n", observed_on=None)
    with pytest.raises(UnparsableError, match=r"other\.csv line 1: .*rename the file"):
        list(gpuledger_compiled.parse(document))


def test_a_broken_flag_is_named_by_file_and_line():
    header = ",".join(ATTRIBUTES)
    values = {
        "gpu_id": "x",
        "gpu_model_id": "x",
        "name": "X",
        "vendor": "V",
        "architecture": "A",
        "segment": "consumer",
        "form_factor": "PCIe",
    }
    values |= {"memory_gb": "8", "memory_type": "GDDR6", "sparsity_2_4": "maybe"}
    row = ",".join(values.get(name, "") for name in ATTRIBUTES)
    document = Document("data/specs/gpus.csv", f"{header}\n{row}\n".encode(), observed_on=None)
    with pytest.raises(UnparsableError, match="line 2: sparsity_2_4 = 'maybe' is not yes or no"):
        list(gpuledger_compiled.parse(document))


def test_a_second_hand_statement_is_marked(notes):
    (row,) = [row for row in _rows("press-and-retail", SpecValue) if row.gpu_id == "nvidia-h20-141gb"]
    assert (row.attribute, row.value) == ("memory_bandwidth_gb_per_s", 4800)
    assert notes[row.gpu_id, row.attribute].startswith("Second-hand")
