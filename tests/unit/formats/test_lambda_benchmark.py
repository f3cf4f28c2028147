"""Lambda's benchmark: wide CSVs, batch sizes and .para; what of a label is kept."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

V2 = ",ssd,bert_base_squad,gnmt\nHostA_8x_Town_2xH100_80GB_SXM5_192-0-2-1_v2,10.0,0.0,30.5\n"
V1 = "name_gpu,num_gpu,watt,price,ssd,bert_base_squad\nSMC 4x H100 80GB SXM5,4.0,100.0,900.0,7.0,8.0\n"


@pytest.mark.parametrize("file", ["throughput-v2-fp16", "throughput-fp16", "bs-fp16"])
def test_samples(file: str) -> None:
    found = runs(f"lambdal/pytorch-train-{file}.csv")
    wanted = expected(f"lambdal/pytorch-train-{file}.csv")
    assert len(found) == wanted["rows"]
    row = dict(zip(wanted["header"], wanted["row1"].split(","), strict=True))
    tests = {test: raw for test, raw in row.items() if test not in ("", "name_gpu", "num_gpu", "watt", "price")}
    assert {m.test: m.value_raw for m in found[0].measurements} == tests
    assert {m.metric for run in found for m in run.measurements} == {"max_batch" if file == "bs-fp16" else "training_throughput"}
    assert all(m.value > 0 for run in found for m in run.measurements)
    assert all(len(run.devices) == (run.measurements[0].n_gpus if run.measurements else 0) for run in found)


def test_the_raw_log_and_its_para() -> None:
    (log,) = runs("lambdal/h200x8_bert.txt")
    (para,) = runs("lambdal/h200x8_bert_benchmark.para")
    (batch,) = para.measurements
    speed = next(m for m in log.measurements if m.metric == "training_throughput")
    assert (log.run.tool, para.run.tool) == ("dllogger", "lambda_benchmark")
    assert f"training_sequences_per_second : {speed.value_raw}" in expected("lambdal/h200x8_bert.txt")["throughput_lines"][-1]
    assert (batch.value, batch.batch_size, batch.n_gpus) == (4736, speed.batch_size, speed.n_gpus)


def test_a_label_gives_gpu_and_count_and_keeps_no_host() -> None:
    (run,) = read(V2)
    assert [device.name_raw for device in run.devices] == ["H100 80GB SXM5"] * 2
    assert [(m.test, m.value, m.unit_raw, m.n_gpus) for m in run.measurements] == [
        ("ssd", 10, "images/s", 2), ("gnmt", 30.5, "tokens/s", 2),
    ]  # fmt: skip
    assert "192-0" not in repr(run)
    assert "HostA" not in repr(run)


def test_a_name_with_its_count_and_site() -> None:
    (run,) = read(V1)
    assert [device.name_raw for device in run.devices] == ["H100 80GB SXM5"] * 4
    assert run.run.args == "watt=100.0; price=900.0"


def test_batch_sizes_are_whole_numbers_and_flagged() -> None:
    (run,) = read(V1.replace("7.0,8.0", "64,10"))
    assert [(m.metric, m.value, m.batch_size, m.flags) for m in run.measurements] == [
        ("max_batch", 64, 16, "unit_assumed"), ("max_batch", 10, None, "unit_assumed"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (V1.replace(",4.0,", ",8.0,"), "PARSE", 2),
        (V1.replace("7.0,8.0", "7.0"), "PARSE", 2),
        (V1.replace("7.0", "seven"), "PARSE", 2),
        (V1.replace("bert_base_squad", "bert_base_squad,unheard"), "SCHEMA", 1),
        (V1.splitlines()[0] + "\n", "NO_ROWS", None),
    ],
)
def test_refusals(text: str, code: str, line: int | None) -> None:
    with pytest.raises(RefusedError) as refused:
        read(text)
    assert (refused.value.code, refused.value.line) == (code, line)
