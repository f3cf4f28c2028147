"""The number of GPUs behind a figure is a fact or unknown, and a GPU name means the same in every file of a folder."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline import paths
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement
from pipeline.uploads.annotation.hints import DeviceHint, hint_from_listings, hint_of_user
from pipeline.uploads.annotation.runs import Reference, annotate_runs, load_reference
from pipeline.uploads.serialization import ParsedUpload
from pipeline.uploads.validate import validate_runs
from tests.unit.uploads.upload_texts import NCCL, SMI, data_folder, take_in

A100 = "NVIDIA A100-SXM4-80GB"
VLLM = """{"model_id": "llama", "num_prompts": 10, "completed": 10, "duration": 2.0, "request_throughput": 5.0,
"output_throughput": %s, "tensor_parallel_size": %s, "pipeline_parallel_size": %s}"""


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference(paths.DATA)


def listing(count: int, name: str = A100, attached: int | None = None) -> str:
    """The XML of nvidia-smi on a machine of `count` GPUs that says `attached` of them are attached."""
    head, _, rest = SMI.partition("\t<gpu ")
    gpu, _, tail = rest.partition("</gpu>\n")
    text = head.replace("<attached_gpus>1", f"<attached_gpus>{attached or count}") + f"\t<gpu {gpu}</gpu>\n" * count + tail
    return text.replace(A100, name)


def hint_of(text: str) -> DeviceHint | None:
    return hint_from_listings(read(text), "sibling")


def annotate(text: str, hint: DeviceHint | None, reference: Reference) -> ParsedRun:
    return annotate_runs(ParsedUpload(read(text), "txt", None), "ab" * 32, hint, reference)[0]


def flags(run: ParsedRun) -> set[str | None]:
    return {figure.flags for figure in run.measurements}


@pytest.mark.parametrize(("count", "expected"), [(1, None), (2, "gpu_count_unknown"), (8, "gpu_count_unknown")])
def test_a_figure_without_count_is_usable_on_a_machine_of_one_gpu_only(
    reference: Reference, count: int, expected: str | None
) -> None:
    run = annotate(VLLM % (100.0, "null", "null"), hint_of(listing(count)), reference)
    assert [device.gpu_id for device in run.devices] == ["nvidia-a100-sxm4-80gb"] * count
    assert flags(run) == {expected}


def test_a_stated_count_is_used_on_a_machine_of_several_gpus(reference: Reference) -> None:
    run = annotate(VLLM % (100.0, 2, 1), hint_of(listing(8)), reference)
    assert (len(run.devices), {figure.n_gpus for figure in run.measurements}, flags(run)) == (2, {2}, {None})


def test_a_log_that_names_more_ranks_than_the_machine_has_gpus_is_flagged(reference: Reference) -> None:
    assert flags(annotate(VLLM % (100.0, 8, 2), hint_of(listing(8)), reference)) == {"gpu_count_unknown"}
    assert flags(annotate(NCCL, hint_of(listing(1)), reference)) == {"gpu_count_unknown"}
    assert flags(annotate(NCCL, hint_of(listing(2)), reference)) == {None}


def test_a_listing_of_some_gpus_of_the_machine_has_no_count() -> None:
    assert hint_of(listing(8)) == DeviceHint("sibling", A100, 81920.0, "driver", 8)
    assert hint_of(listing(1, attached=8)) == DeviceHint("sibling", A100, 81920.0, "driver", None)
    assert hint_of(listing(8).partition("</nvidia_smi_log>")[0]) == DeviceHint("sibling", A100, 81920.0, "driver", None)
    assert hint_of(listing(8) + listing(4)) == DeviceHint("sibling", A100, 81920.0, "driver", None)


def test_a_name_of_the_uploader_has_no_count_unless_it_is_stated(reference: Reference) -> None:
    text = VLLM % (100.0, "null", "null")
    assert flags(annotate(text, hint_of_user(A100, None), reference)) == {"gpu_count_unknown"}
    assert flags(annotate(text, hint_of_user(A100, 1), reference)) == {None}
    assert flags(annotate(text, hint_of_user(A100, 4), reference)) == {"gpu_count_unknown"}


def claim(n_gpus: int) -> ParsedRun:
    about = {"metric": "training_time", "unit": "s", "value_raw": "1", "unit_raw": "s", "statistic": "single", "test": "t"}
    figure = Measurement(**{**about, "value": 1.0, "n_gpus": n_gpus})
    return ParsedRun(run=BenchmarkRun(tool="a_tool", layout_version="1"), measurements=[figure])


@pytest.mark.parametrize("n_gpus", [0, 10**6])
def test_a_file_that_claims_no_gpu_or_a_million_is_refused(n_gpus: int) -> None:
    validate_runs([claim(11_616)])  # of the largest MLPerf run
    with pytest.raises(RefusedError, match="RANGE"):
        validate_runs([claim(n_gpus)])


def test_two_spellings_of_torchrun_state_the_same_count() -> None:
    log = 'DLLL {"datetime": "2024-05-06 07:08:09", "type": "LOG", "step": [], "data": {"train_throughput": 9}}'
    counts = [
        {figure.n_gpus for run in read(f"torchrun {option} run.py\n{log}\n") for figure in run.measurements}
        for option in ("--nproc_per_node=8", "--nproc-per-node=8", "--nproc-per-node 8")
    ]
    assert counts == [{8}] * 3


@pytest.mark.parametrize("tool", ["vllm_bench", "babelstream", "gpuledger_suite", "mlperf_training", "hpl", "a_new_tool"])
@pytest.mark.parametrize(
    ("name", "gpu_id"), [("NVIDIA H200", "nvidia-h200-sxm-141gb"), ("Tesla K80", "nvidia-tesla-k80-gpu-12gb")]
)
def test_a_name_of_the_driver_means_the_same_in_every_tool(reference: Reference, tool: str, name: str, gpu_id: str) -> None:
    run = ParsedRun(run=BenchmarkRun(tool=tool, layout_version="1"), devices=[BenchmarkDevice(ordinal=0, name_raw=name)])
    (found,) = annotate_runs(ParsedUpload([run], "txt", None), "ab" * 32, None, reference)
    assert (found.devices[0].gpu_id, found.devices[0].unresolved) == (gpu_id, None)


def test_a_label_that_a_person_typed_does_not_mean_what_the_driver_means(reference: Reference) -> None:
    device = BenchmarkDevice(ordinal=0, name_raw="NVIDIA H200", named_by="label")
    run = ParsedRun(run=BenchmarkRun(tool="mlperf_system", layout_version="1"), devices=[device])
    (found,) = annotate_runs(ParsedUpload([run], "txt", None), "ab" * 32, None, reference)
    assert found.devices[0].gpu_id is None
    assert str(found.devices[0].unresolved).startswith("AMBIGUOUS_GPU: ")


def test_a_listing_passes_its_gpu_on_to_a_tool_that_names_none(reference: Reference) -> None:
    run = annotate(VLLM % (100.0, 8, 1), hint_of(listing(8, "NVIDIA H200").replace("81920 MiB", "143771 MiB")), reference)
    assert {(device.gpu_id, device.identity_source) for device in run.devices} == {("nvidia-h200-sxm-141gb", "sibling")}
    label = DeviceHint("sibling", "NVIDIA H200", named_by="label", count=8)
    assert {device.gpu_id for device in annotate(VLLM % (100.0, 8, 1), label, reference).devices} == {None}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("NVIDIA L4-12Q", "a vGPU share of nvidia-l4-24gb"),
        ("NVIDIA A16-16Q", "a vGPU share of nvidia-a16-gpu-16gb"),
        ("NVIDIA T4G", "UNKNOWN_GPU: "),
    ],
)
def test_a_device_without_a_gpu_states_why(reference: Reference, name: str, reason: str) -> None:
    run = annotate(listing(1, name), None, reference)
    assert run.devices[0].gpu_id is None
    assert str(run.devices[0].unresolved).startswith(reason)


def test_two_listings_of_different_gpus_name_none(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a_smi.xml").write_text(listing(1))
    (folder / "b_smi.xml").write_text(listing(1, "NVIDIA L4"))
    (folder / "vllm.json").write_text(VLLM % (100.0, 1, 1))
    *_, outcome = take_in(data_folder(tmp_path), folder)
    assert outcome.file.name == "vllm.json"
    assert [(run.devices, flags(run)) for run in outcome.runs] == [([], {"device_unresolved"})]


def test_an_accepted_file_and_its_sidecar_give_the_rows_of_the_day_it_came(tmp_path: Path, reference: Reference) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "smi.xml").write_text(listing(8))
    (folder / "vllm.json").write_text(VLLM % (100.0, "null", "null"))
    data = data_folder(tmp_path)
    *_, outcome = take_in(data, folder)
    assert flags(outcome.runs[0]) == {"gpu_count_unknown"}
    *_, again = take_in(data, folder / "vllm.json")  # alone: the sidecar has the hint
    assert (again.status, again.runs) == ("known", [replace(run) for run in outcome.runs])
