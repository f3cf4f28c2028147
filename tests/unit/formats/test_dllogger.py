"""DLLogger: the summary's figures of both layouts, units by name or by metadata, cut pastes, no paths."""

import json

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline.readers import RefusedError


def line(step: object, data: object, **more: object) -> str:
    return "DLLL " + json.dumps({"datetime": "2024-05-06 07:08:09.5", "type": "LOG", "step": step, "data": data} | more)


PARAMETERS = line(
    "PARAMETER", {"Config": ["Namespace(output_dir='/mnt/someone/x', train_batch_size=32, max_seq_length=384, fp16=True)"]}
)
JSON_LINES = "\n".join(
    [
        "torchrun --nproc_per_node=4 run.py",
        PARAMETERS,
        'DLLL {"type": "METADATA", "metric": "train_throughput", "metadata": {"unit": "images/s"}}',
        line([0, 1], {"train_throughput": 5.0}),
        line([], {"train_throughput": 1000.5, "e2e_train_time": 25.5, "accuracy": 0.5}),
        "",
    ]
)
CONSOLE = (
    "out dir is .\n"
    "DLL 2024-05-06 07:08:09.123456 - PARAMETER train_batch_size : 16 \n"
    "Iteration: 0%| |DLL 2024-05-06 07:08:10.1 - Training Epoch: 0  step_loss : 5.9  learning_rate : 0.0 \n"
    "DLL 2024-05-06 07:08:38.042400 -  e2e_train_time : 25.5 s training_sequences_per_second : 187.4  final_loss : 5.25 \n"
)


def only(text: str) -> ParsedRun:
    (run,) = read(text)
    return run


def test_json_lines() -> None:
    run = only(JSON_LINES)
    speed, time = run.measurements
    assert (speed.value, speed.unit_raw, speed.item, speed.flags) == (1000.5, "images/s", "images", None)
    assert (time.metric, time.value, time.unit) == ("training_time", 25.5, "s")
    assert (speed.n_gpus, speed.batch_size, speed.dtype, speed.workload) == (4, 32, "fp16", "max_seq_length=384")
    assert (run.run.layout_version, run.run.status, str(run.run.started_at)) == ("json", "ok", "2024-05-06 07:08:09")
    assert "someone" not in repr(run)


def test_a_throughput_without_a_unit_is_flagged() -> None:
    (figure,) = only(line([], {"train_throughput": 7}) + "\n").measurements
    assert (figure.item, figure.unit, figure.flags) == (None, "items/s", "unit_assumed")


def test_console_with_and_without_blank_at_the_ends_of_lines() -> None:
    for text in (CONSOLE, CONSOLE.replace(" \n", "\n")):
        assert [(m.test, m.value) for m in only(text).measurements] == [
            ("e2e_train_time", 25.5), ("training_sequences_per_second", 187.4), ("final_loss", 5.25),
        ]  # fmt: skip


def test_a_figure_that_may_be_cut_is_not_taken() -> None:
    assert [m.test for m in only(CONSOLE[: CONSOLE.rindex("5 \n")]).measurements] == [
        "e2e_train_time",
        "training_sequences_per_second",
    ]
    assert [m.test for m in only(JSON_LINES + '\nDLLL {"datetime"').measurements] == ["train_throughput", "e2e_train_time"]


def test_two_runs_of_one_text() -> None:
    assert [run.measurements[0].value for run in read(JSON_LINES + JSON_LINES.replace("1000.5", "900"))] == [1000.5, 900]


@pytest.mark.parametrize(
    ("text", "code", "number"),
    [
        (JSON_LINES.replace('"e2e_train_time": 25.5', '"e2e_train_time": ') + "done", "PARSE", 5),
        (JSON_LINES.replace('"e2e_train_time": 25.5', '"e2e_train_time": "soon"'), "PARSE", 5),
        (JSON_LINES.replace("images/s", "parsecs"), "SCHEMA", 5),
        (CONSOLE.replace("5.25", "nan"), "NOT_FINITE", 4),
        (PARAMETERS, "NO_ROWS", None),
    ],
)
def test_refusals(text: str, code: str, number: int | None) -> None:
    with pytest.raises(RefusedError) as refused:
        read(text)
    assert (refused.value.code, refused.value.line) == (code, number)


def test_a_long_line_without_blanks_is_read_in_linear_time() -> None:
    assert only(CONSOLE.replace("Training Epoch", "x" * 60_000)).run.status == "ok"


STAMP = "DLL 2024-05-06 07:08:09.1 - "


def test_a_summary_whose_step_is_printed_as_an_empty_tuple() -> None:
    text = (
        f"{STAMP}PARAMETER world_size : 8 \n{STAMP}(0,) train_items_per_sec : 1.0 items/s \n"
        f"{STAMP}() run_time : 44.8 s\n{STAMP}() train_items_per_sec : 715290.26 items/s\n"
    )
    (figure,) = only(text).measurements
    assert (figure.value, figure.unit_raw, figure.item, figure.n_gpus) == (715290.26, "items/s", "items", 8)


def test_a_figure_that_was_not_measured_is_left_out() -> None:
    text = f"{STAMP}Summary: train.loss : 6.9 None train.total_ips : 24477.15 images/s val.total_ips : None images/s\n"
    run = only(text)
    assert [(m.test, m.value) for m in run.measurements] == [("train.total_ips", 24477.15)]
    assert run.run.status == "ok"


def test_processes_that_print_their_own_rates_and_a_total() -> None:
    rank = f"{STAMP}() avg_img/sec : {{}} images/s med_img/sec : 7247.7 images/s"
    text = rank.format(7120.3) + "\n" + rank.format(7193.4) + f"{STAMP}() \nTraining performance = 14313.5 FPS\n"
    assert [(m.test, m.value, m.unit_raw, m.item, m.statistic, m.n_gpus) for m in only(text).measurements] == [
        ("avg_img/sec", 7120.3, "images/s", "images", "mean", 1),
        ("avg_img/sec", 7193.4, "images/s", "images", "mean", 1),
        ("Training performance", 14313.5, "FPS", "images", "single", None),
    ]
