"""MLPerf: time to train from a result log, and the GPUs from a system's description."""

import datetime as dt
import json

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

START = 1_700_000_000_000


def event(key: str, value: object = None, time_ms: int = START, **metadata: object) -> str:
    said = {"namespace": "", "time_ms": time_ms, "event_type": "POINT_IN_TIME", "key": key, "value": value, "metadata": metadata}
    return ":::MLLOG " + json.dumps(said)


SYSTEM = {
    "submitter": "Example",
    "number_of_nodes": "2",
    "accelerators_per_node": "4",
    "accelerator_model_name": "NVIDIA Example 1",
    "accelerator_memory_capacity": "280 GB",
    "framework": "Example 1.0",
    "other_software_stack": [{"cuda_version": "12.6.1.006", "cuda_driver_version": "560.1", "nvidia_kernel_driver": "570.2"}],
}
LOG = "\n".join(
    [
        "+ echo ':::SYSJSON {not the line itself'",
        ":::SYSJSON " + json.dumps(SYSTEM),
        "Clearing cache on secret-host",
        "0: " + event("submission_benchmark", "example_net"),
        "0: " + event("submission_platform", "theia"),
        "1: " + event("global_batch_size", 16),
        "0: " + event("run_start"),
        "some other output",
        "0: " + event("run_stop", time_ms=START + 90_500, status="success"),
        "+ set -e",
    ]
)


@pytest.mark.parametrize("file", ["b200x8_llama2_lora", "h200x8_llama2_lora"])
def test_samples_of_logs(file: str) -> None:
    (run,) = runs(f"mlperf/{file}.txt")
    wanted = expected(f"mlperf/{file}.txt")
    (figure,) = run.measurements
    assert figure.value == pytest.approx(wanted["seconds"])
    assert figure.value / 60 == pytest.approx(wanted["minutes"], abs=1e-4)
    assert figure.test == wanted["benchmark"][0]
    assert run.run.args == f"platform={wanted['platform'][0]}; org={wanted['org'][0]}"
    assert f"global_batch_size={wanted['global_batch_size'][0]}" in (figure.workload or "")
    assert (run.run.status, figure.n_gpus, len(run.devices)) == ("ok", 8, 8)


@pytest.mark.parametrize(
    "file",
    [
        "Dell_systems_1xXE9680Lx8B200-SXM-180GB",
        "Dell_systems_1xXE7745x8RTXPro6000-PCIe-96GB",
        "NVIDIA_systems_theia_ngpu72_ngc25.09_nemo",
    ],
)
def test_samples_of_systems(file: str) -> None:
    (run,) = runs(f"mlperf/system_{file}.json")
    wanted = expected(f"mlperf/system_{file}.json")
    args = dict(part.split("=", 1) for part in (run.run.args or "").split("; "))
    names = (
        "number_of_nodes",
        "accelerators_per_node",
        "accelerator_memory_capacity",
        "accelerator_memory_configuration",
        "division",
    )
    assert {name: args[name] for name in names} == {name: wanted[name] for name in names}
    assert {device.name_raw for device in run.devices} == {wanted["accelerator_model_name"]}
    assert len(run.devices) == int(wanted["accelerators_per_node"])
    assert run.devices[0].memory_total_mib == float(wanted["accelerator_memory_capacity"].split()[0])
    assert run.run.framework == wanted["framework"]
    assert run.measurements == []


def test_a_log_with_its_system() -> None:
    (run,) = read(LOG)
    (figure,) = run.measurements
    assert (figure.value, figure.value_raw, figure.unit_raw, figure.n_gpus, figure.n_nodes) == (90.5, "90500", "ms", 8, 2)
    assert [device.name_raw for device in run.devices] == ["NVIDIA Example 1"] * 4
    assert run.devices[0].memory_total_mib is None  # a nominal size is not what the driver shows
    assert (run.run.driver, run.run.cuda_runtime, run.run.started_at) == ("570.2", "12.6", dt.datetime(2023, 11, 14, 22, 13, 20))
    assert "secret-host" not in repr(run)


def test_a_run_that_was_aborted_or_broke_off_has_no_time() -> None:
    (aborted,) = read(LOG.replace("success", "aborted"))
    assert (aborted.run.status, aborted.measurements) == ("failed", [])
    with pytest.raises(RefusedError) as refused:
        read(LOG[: LOG.index("run_stop") + 3])
    assert refused.value.code == "NO_ROWS"


def test_two_runs_of_one_log() -> None:
    again = [event("run_start", time_ms=START + 200_000), event("run_stop", time_ms=START + 300_000, status="success")]
    assert [run.measurements[0].value for run in read("\n".join([LOG, *again]))] == [90.5, 100]


def test_an_event_that_is_no_json_is_refused_with_its_line() -> None:
    with pytest.raises(RefusedError) as refused:
        read(LOG.replace('"value": 16,', '"value": 16'))
    assert (refused.value.code, refused.value.line) == ("PARSE", 6)


def test_a_system_may_repeat_its_empty_form_but_not_contradict_itself() -> None:
    text = json.dumps(SYSTEM)
    (run,) = read(text[:-1] + ', "framework": ""}')
    assert run.run.framework == "Example 1.0"
    with pytest.raises(RefusedError, match="DUP_KEY"):
        read(text[:-1] + ', "framework": "Example 2.0"}')


def test_a_system_of_a_million_gpus_is_refused() -> None:
    with pytest.raises(RefusedError, match="RANGE"):
        read(json.dumps(SYSTEM | {"accelerators_per_node": "1000000"}))


@pytest.mark.parametrize(
    ("label", "name", "n_gpus", "n_nodes", "flags"),
    [
        ("2xXE9680Lx8B200-SXM-180GB", "B200-SXM-180GB", 16, 2, None),
        ("1xSR780aV3-8xB200_SXM_180GB", "B200_SXM_180GB", 8, 1, None),
        ("1xXE9785L_8xMI355X", "MI355X", 8, 1, None),
        ("18xNVIDIA GB200", "NVIDIA GB200", None, 18, "gpu_count_unknown"),
        ("2xMI325X", "MI325X", None, 2, "gpu_count_unknown"),
        ("MI350X", "MI350X", None, None, "gpu_count_unknown"),
        ("1xESC-NB8-E11", None, None, None, None),
        ("8xSUBMISSION_PLATFORM_PLACEHOLDER", None, None, None, None),
    ],
)
def test_labels_of_platforms(label: str, name: str | None, n_gpus: int | None, n_nodes: int | None, flags: str | None) -> None:
    log = "\n".join(line for line in LOG.split("\n") if "SYSJSON" not in line).replace("theia", label)
    (run,) = read(log)
    (figure,) = run.measurements
    assert {device.name_raw for device in run.devices} == ({name} if name else set())
    assert (figure.n_gpus, figure.n_nodes, figure.flags) == (n_gpus, n_nodes, flags)
