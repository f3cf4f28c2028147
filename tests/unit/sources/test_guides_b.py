"""The guides of 2020 and 2023 and NVIDIA's tables: every committed file is read whole, and a broken line is named."""

import datetime as dt
from collections import Counter

import pytest

from pipeline.fetch.snapshots import stored_files
from pipeline.paths import DATA
from pipeline.schema.guides import GuideEpoch, GuideForecast, GuideRecommendation, GuideStatement, PublishedFigure
from pipeline.schema.prices import Price
from pipeline.schema.specs import GpuAlias
from pipeline.schema.throughput import TrainingThroughput, WorkloadFamily
from sources import Accepted, Document, UnparsableError
from sources.guides import dettmers_2020, pro_vs_consumer_2023
from sources.names import gpuledger_names
from sources.throughput import nvidia_deeplearningexamples_2020

GUIDES = [dettmers_2020, pro_vs_consumer_2023]
MODULES = [*GUIDES, nvidia_deeplearningexamples_2020]


def items(module):
    return [item for file in stored_files(module.SOURCE, DATA) for item in module.parse(file.document())]


def rows(module, kind):
    return [item.row for item in items(module) if isinstance(item, Accepted) and isinstance(item.row, kind)]


def figures(module):
    return {row.figure_id.split("/", 1)[1]: row for row in rows(module, PublishedFigure)}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.SOURCE.source_id)
def test_every_row_of_every_file_is_kept(module):
    for file in stored_files(module.SOURCE, DATA):
        document = file.document()
        lines = {item.locator.partition(",")[0] for item in module.parse(document)}
        assert len(lines) == document.rows_read > 0


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.SOURCE.source_id)
def test_every_label_has_a_gpu_and_every_known_label_is_used(module):
    known = {row.alias for row in rows(gpuledger_names, GpuAlias) if row.scope == module.SOURCE.source_id}
    assert {item.row.raw_gpu_name for item in items(module) if getattr(item.row, "raw_gpu_name", None)} == known


@pytest.mark.parametrize("module", GUIDES, ids=lambda module: module.SOURCE.source_id)
def test_figure_ids_are_unique(module):
    ids = [row.figure_id for row in rows(module, PublishedFigure)]
    assert len(ids) == len(set(ids))


def test_2020_figures_as_printed():
    found = figures(dettmers_2020)
    assert len(found) == 106
    days = found["desktop against AWS V100 spot at 15% utilisation/break_even_days"]
    assert (days.value, days.approximate, days.tolerance, days.role) == (300, True, 0.1, "derived")
    speedup = found["Transformer WMT14 en-de, A100 over V100/corrected_speedup"]
    assert (speedup.value, speedup.value_text, speedup.decimals) == (1.7, "1.70", 2)
    assert (found["V100/memory_bandwidth_gb_per_s"].raw_gpu_name, found["Volta/shared_memory_per_sm_kb"].raw_gpu_name) == (
        "V100",
        None,
    )


def test_contradictory_used_prices_stay_apart():
    prices = rows(dettmers_2020, Price)
    assert sorted(row.amount for row in prices if row.raw_gpu_name == "RTX 2070") == [260, 300, 400]
    assert Counter(row.kind for row in prices) == {"purchase_used": 10, "cloud_rental": 1}
    (cloud,) = [row for row in prices if row.kind == "cloud_rental"]
    assert (cloud.amount, cloud.billing, cloud.provider, cloud.raw_gpu_name) == (2.14, "spot", "AWS", "V100")
    assert cloud.observed_at == dt.date(2020, 10, 9)


def test_2020_advice_and_forecasts():
    advice = {row.recommendation_id: row for row in rows(dettmers_2020, GuideRecommendation)}
    assert (advice["research-rtx-3090"].raw_gpu_name, advice["research-rtx-3090"].gpu_count) == ("RTX 3090", 4)
    for_individuals = {row.raw_gpu_name for row in advice.values() if row.purpose == "individuals"}
    assert for_individuals == {None, "Titan RTX", "Titan V", "Titan Xp"}
    (price,) = [row for row in rows(dettmers_2020, GuideForecast) if row.forecast_id == "rtx-3060-price"]
    assert (price.value_low, price.value_high) == (250, 300)


def test_2023_prices_and_epochs():
    found = figures(pro_vs_consumer_2023)
    assert (found["RTX 6000 Ada/launch_msrp_usd"].value_text, found["RTX 6000 Ada/launch_msrp_usd"].role) == ("$6800", "spec")
    epochs = {(row.machine, row.model[-2:]): row for row in rows(pro_vs_consumer_2023, GuideEpoch)}
    assert len(epochs) == 9
    assert (epochs["Tesla T4", "B7"].second_epoch_seconds, epochs["Tesla T4", "B7"].peak_gpu_memory_gb) == (678, 9.88)
    assert epochs["GTX 1070", "B7"].second_epoch_seconds is None


def test_statements_of_both_guides():
    assert [len(rows(module, GuideStatement)) for module in GUIDES] == [55, 23]


def test_nvidia_tables():
    found = rows(nvidia_deeplearningexamples_2020, TrainingThroughput)
    families = {row.workload: row.family for row in rows(nvidia_deeplearningexamples_2020, WorkloadFamily)}
    assert Counter(families[row.workload] for row in found) == {"cnn": 16, "transformer": 6}
    (row,) = [r for r in found if r.workload == "Mask R-CNN" and r.gpu_count == 8 and r.system == "DGX-2"]
    assert (row.raw_gpu_name, row.batch_per_gpu, row.throughput, row.precision) == ("V100-SXM3-32GB", 4, 92, "amp")


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ("a,RTX 3090,purchase_used,shop,,text,cheap,no,", "price_usd"),
        ("a,RTX 3090,purchase_used,shop,,text,300,perhaps,", "approximate"),
        ("a,RTX 3090,purchase_used,shop,,text,300", "fields"),
        ("a,RTX 3090,-1,shop,,text,300,no,", "kind = '-1' is not one of purchase_used, cloud_rental"),
    ],
)
def test_a_broken_line_is_named(broken, problem):
    text = f"{','.join(dettmers_2020.PRICE_COLUMNS)}\n{broken}\n"
    document = Document("data/raw/dettmers-2020/prices.csv", text.encode(), dt.date(2020, 10, 9))
    with pytest.raises(UnparsableError, match=rf"prices\.csv line 2: .*{problem}"):
        list(dettmers_2020.parse(document))
