"""AI-Benchmark: times, scores, identity, runs on the host, and truncated pastes."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

TEXT = """>>   AI-Benchmark-v.0.1.2
>>   Let the AI Games begin..

*  TF Version: 2.12.0
*  Platform: Linux-5.0-secret-host
*  GPU/0: Example 1 [second name]
*  GPU RAM: 7.6 GB
*  CUDA Version: 12.3

1/19. MobileNet-V2

1.1 - inference | batch=50, size=224x224: 51.5 ± 2.5 ms
1.2 - training  | batch=40, size=224x224: 245 ± 5 ms

Device Inference Score: 100
Device Training Score: 0
Device AI Score: 100

"""


def test_sample() -> None:
    (run,) = runs("ai-benchmark/scores_gpu.txt")
    wanted = expected("ai-benchmark/scores_gpu.txt")
    scores = {m.test.removesuffix(" score"): m.value for m in run.measurements if m.metric == "score"}
    assert scores == wanted


def test_times_scores_and_identity() -> None:
    (run,) = read(TEXT)
    inference, training, *scores = run.measurements
    assert (inference.metric, inference.value, inference.stddev, inference.batch_size) == (
        "inference_time", pytest.approx(0.0515), pytest.approx(0.0025), 50,
    )  # fmt: skip
    assert (training.metric, training.workload) == ("training_time", "model=MobileNet-V2; size=224x224")
    assert [(m.test, m.value) for m in scores] == [("inference score", 100), ("ai score", 100)]
    assert (run.devices[0].name_raw, run.run.framework, run.run.cuda_runtime) == ("Example 1", "TensorFlow 2.12.0", "12.3")
    assert (run.run.tool_version, run.run.status) == ("0.1.2", "ok")
    assert "secret-host" not in repr(run)


def test_a_run_on_the_host_is_no_gpus() -> None:
    (run,) = read(TEXT.replace("*  GPU/0: Example 1 [second name]\n", ""))
    assert {m.flags for m in run.measurements} == {"non_cuda"}


def test_a_cut_paste_keeps_what_is_whole_and_a_broken_one_is_refused() -> None:
    (run,) = read(TEXT[: TEXT.index("245") + 2] + "\n")
    assert (run.run.status, [m.test for m in run.measurements]) == ("truncated", ["1.1 inference"])
    (run,) = read(TEXT[: TEXT.index("Score: 100") + 9])
    assert (run.run.status, len(run.measurements)) == ("truncated", 2)
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("245 ± 5 ms", "Killed"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 13)


def test_two_runs() -> None:
    assert len(read(TEXT + TEXT)) == 2
