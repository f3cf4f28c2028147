"""The guides of Paperspace, AutoDL and WeChat: every committed file is read whole, and a broken line is named."""

import datetime as dt

import pytest

from pipeline.fetch.snapshots import stored_files
from pipeline.paths import DATA
from pipeline.schema.guides import GuideMachine, GuideRun, PublishedFigure
from pipeline.schema.prices import Price
from pipeline.schema.specs import GpuAlias
from sources import Accepted, Document, Line, UnparsableError
from sources.guides import autodl_2022, paperspace_2022, wechat_2022
from sources.guides.figures import parse_figure
from sources.names import gpuledger_names

MODULES = [paperspace_2022, autodl_2022, wechat_2022, gpuledger_names]


def documents(module):
    return [file.document() for file in stored_files(module.SOURCE, DATA)]


def rows(module, kind):
    return [
        item.row
        for document in documents(module)
        for item in module.parse(document)
        if isinstance(item, Accepted) and isinstance(item.row, kind)
    ]


def figure(module, figure_id):
    (found,) = [row for row in rows(module, PublishedFigure) if row.figure_id == figure_id]
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.SOURCE.source_id)
def test_every_row_of_every_file_is_kept(module):
    for document in documents(module):
        lines = {item.locator.partition(",")[0] for item in module.parse(document)}
        assert len(lines) == document.rows_read
        assert lines or document.name == "words.csv"


@pytest.mark.parametrize("module", MODULES[:3], ids=lambda module: module.SOURCE.source_id)
def test_every_label_of_a_guide_has_a_gpu(module):
    known = {row.alias for row in rows(gpuledger_names, GpuAlias) if row.scope == module.SOURCE.source_id}
    items = [item.row for document in documents(module) for item in module.parse(document) if isinstance(item, Accepted)]
    labels = {row.raw_gpu_name for row in items if getattr(row, "raw_gpu_name", None)}
    assert labels == known


def test_figure_ids_are_unique():
    ids = [row.figure_id for module in MODULES[:3] for row in rows(module, PublishedFigure)]
    assert len(ids) == len(set(ids)) > 190


def test_trailing_zeros_count_as_decimals():
    row = figure(paperspace_2022, "paperspace-2022/A4000/usd_per_gb_per_min")
    assert (row.value_text, row.value, row.decimals, row.role) == ("$0.10", 0.1, 2, "derived")
    assert figure(autodl_2022, "autodl-2022/3080Ti/fp32_tflops").decimals == 2


def test_out_of_memory_is_a_result():
    runs = {(row.machine, row.task): row for row in rows(paperspace_2022, GuideRun)}
    assert len(runs) == 36
    assert runs["P5000", "efficientnet_training"].status == "oom"
    assert runs["P5000", "efficientnet_training"].seconds is None
    assert runs["A100", "yolor_inference"].seconds == 12.42
    costs = [row for row in rows(paperspace_2022, PublishedFigure) if row.quantity == "usd_per_run"]
    assert len(costs) == 32


def test_paperspace_prices():
    prices = rows(paperspace_2022, Price)
    rentals = {row.instance_type: row for row in prices if row.kind == "cloud_rental"}
    assert len(rentals) == 12
    a100 = rentals["A100"]
    assert (a100.price_raw, a100.amount, a100.vcpus, a100.host_memory_gb) == ("$3.09", 3.09, 12, 97)
    assert a100.observed_at == dt.date(2022, 4, 1)
    assert sorted(row.amount for row in prices if row.kind == "subscription") == [8, 39]


def test_half_precision_is_the_tensor_rate_where_there_are_tensor_cores():
    assert figure(autodl_2022, "autodl-2022/TITAN Xp/fp16_tflops").value == 12.15
    about = figure(autodl_2022, "autodl-2022/A5000/fp16_tensor_tflops")
    assert (about.value, about.approximate, about.tolerance) == (117, True, 0.1)
    assert len(rows(autodl_2022, GuideMachine)) == 13


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ("A6000,yolor_inference,ok,fast,0.01", "seconds"),
        ("A6000,yolor_inference,ok,13.88,a cent", "usd_per_run"),
        ("A6000,ok", "fields"),
    ],
)
def test_a_broken_line_is_named(broken, problem):
    text = f"machine,task,status,seconds,usd_per_run\nA100,yolor_inference,ok,12.42,0.01\n{broken}\n"
    document = Document("data/raw/paperspace-2022/runs.csv", text.encode(), dt.date(2022, 4, 1))
    with pytest.raises(UnparsableError, match=rf"runs\.csv line 3: .*{problem}"):
        list(paperspace_2022.parse(document))


@pytest.mark.parametrize(("text", "decimals"), [("$6800", -1), ("2270", -1), ("6144", 0), ("10", 0), ("990", 0), ("1600.0", 1)])
def test_a_large_whole_number_that_ends_in_zero_is_printed_in_tens(text, decimals):
    line = Line(Document("figures.csv", b"", dt.date(2026, 1, 1)), 2, {"value_text": text})
    assert parse_figure(line, "value_text", text)[1] == decimals
