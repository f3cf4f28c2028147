"""The protocols of training: the search for the largest batch, memory that ends it, the curve, precisions."""

import math
import time
from collections import Counter

import pytest
import torch

from benchmarks.suite.measurements import training_workload
from benchmarks.suite.measurements.protocol import (
    count_epochs,
    doublings,
    epoch,
    fits_in_memory,
    largest_batch,
    measure_load_overhead,
    steps_of,
)
from benchmarks.suite.networks.correctness import is_correct_step
from benchmarks.suite.networks.models import MODELS, Inputs
from benchmarks.suite.networks.training import Trainer
from benchmarks.suite.result import MeasuredFigure
from tests.unit.suite.support import CPU, context, ending_after

pytestmark = pytest.mark.slow  # networks are trained

# published sizes: torchvision (ResNet-50, EfficientNet), Cadene's pretrained-models (SE-ResNeXt-101), Hugging Face (the others)
WEIGHTS = {
    "resnet50": 25_557_032, "se-resnext101": 48_955_416, "efficientnet-b0": 5_288_548, "efficientnet-b3": 12_233_232,
    "efficientnet-b7": 66_347_960, "bert-base": 109_514_298, "bert-large": 335_174_458, "gpt2": 124_439_808,
}  # fmt: skip


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_model_has_the_published_number_of_weights(name: str) -> None:
    with torch.device("meta"):
        network = MODELS[name].build(False)
    assert sum(weights.numel() for weights in network.parameters()) == WEIGHTS[name]


@pytest.mark.parametrize("most", [0, 1, 2, 3, 7, 63, 64, 65, 1000])
@pytest.mark.parametrize("start", [1, 4, 64])
def test_the_largest_batch_is_found_exactly(most: int, start: int) -> None:
    tried: list[int] = []
    found = largest_batch(lambda batch: tried.append(batch) or batch <= most, start, 2**16, 2**16)  # type: ignore[func-returns-value]
    assert found == (most, True)
    assert len(tried) == len(set(tried)) <= 24


def test_a_coarse_search_and_one_that_ends_at_the_ceiling() -> None:
    most, by_memory = largest_batch(lambda batch: batch <= 1000, 64, 2**16, 16)
    assert (1000 * 15 / 16 <= most <= 1000, by_memory) == (True, True)
    assert largest_batch(lambda batch: True, 64, 100, 16) == (100, False)


def test_an_epoch_is_as_many_items_at_every_batch() -> None:
    assert steps_of(context(epoch_steps=20), 64, 64) == 20
    assert steps_of(context(epoch_steps=20), 64, 256) == 5
    assert steps_of(context(epoch_steps=20), 64, 4096) == 2
    assert doublings(4, 20) == [4, 8, 16, 20]


def limit(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Let a step run out of memory above a batch."""
    real = Trainer.step

    def step(self: Trainer, inputs: Inputs) -> torch.Tensor:
        if len(inputs["labels"]) > most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(self, inputs)

    monkeypatch.setattr(Trainer, "step", step)


def test_memory_ends_the_search_and_the_maximum_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, 11)
    figures = list(training_workload.measure(context(largest_batch=64, batch_resolution=64), "lstm"))
    (most,) = (found for found in figures if found.metric == "max_batch")
    assert (most.value, most.batch_size, most.settings["precision"]) == (11, 11, "fp32")
    assert [found.batch_size for found in figures if found.metric == "training_throughput"] == [2, 11, 4, 8]


def test_a_batch_that_fits_two_steps_but_no_training_is_lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU whose memory fragments: above 9 items the third step at a batch finds no room."""
    real, steps = Trainer.step, Counter[int]()

    def step(self: Trainer, inputs: Inputs) -> torch.Tensor:
        batch = len(inputs["labels"])
        steps[batch] += 1
        if batch > 11 or (batch > 9 and steps[batch] > 2):
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(self, inputs)

    monkeypatch.setattr(Trainer, "step", step)
    figures = list(training_workload.measure(context(largest_batch=64, batch_resolution=64), "lstm"))
    assert [found.value for found in figures if found.metric == "max_batch"] == [9]
    assert [found.batch_size for found in figures if found.metric == "training_throughput"] == [2, 9, 4, 8]


def test_a_batch_that_was_trained_is_no_smaller_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_workload, "fits_in_memory", lambda context, trainer: lambda batch: False)
    figures = list(training_workload.measure(context(largest_batch=64, batch_resolution=64), "lstm"))
    assert [found.value for found in figures if found.metric == "max_batch"] == [2]


def test_a_stated_batch_that_fits_two_steps_alone_is_no_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    real, steps = Trainer.step, Counter[int]()

    def step(self: Trainer, inputs: Inputs) -> torch.Tensor:
        batch = len(inputs["labels"])
        steps[batch] += 1
        if batch > 2 or (batch == 2 and steps[batch] not in (3, 4)):  # those of the search
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(self, inputs)

    monkeypatch.setattr(Trainer, "step", step)
    figures: list[MeasuredFigure] = []
    with pytest.raises(torch.OutOfMemoryError, match="batch 2 in fp32 does not fit"):
        figures.extend(training_workload.measure(context(), "lstm"))
    assert [(found.metric, found.value) for found in figures if found.metric == "max_batch"] == [("max_batch", 1)]


def test_a_stated_batch_that_does_not_fit_is_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, 1)
    figures: list[MeasuredFigure] = []
    with pytest.raises(torch.OutOfMemoryError, match="batch 2 in fp32 does not fit"):
        figures.extend(training_workload.measure(context(), "lstm"))  # those before the end are kept
    assert [(found.metric, found.value) for found in figures if found.metric == "max_batch"] == [("max_batch", 1)]
    assert [found.batch_size for found in figures if found.metric == "training_throughput"] == [1]


@pytest.mark.parametrize("precision", ["fp32", "fp16", "bf16"])
def test_a_step_trains_in_every_precision(precision: str) -> None:
    torch.manual_seed(1)
    trainer = Trainer(MODELS["bert-base"], precision, CPU, tiny=True)
    inputs = trainer.random_batch(4)
    losses = [float(trainer.step(inputs)) for _ in range(30)]
    assert losses[-1] < losses[0]
    assert trainer.settings()["precision"] == (precision if precision == "fp32" else f"{precision} autocast")


def counted_steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The batches of the steps that begin from now on."""
    real, begun = Trainer.step, []

    def step(self: Trainer, inputs: Inputs) -> torch.Tensor:
        begun.append(len(inputs["labels"]))
        return real(self, inputs)

    monkeypatch.setattr(Trainer, "step", step)
    return begun


@pytest.mark.parametrize("looks", [0, 1, 5])
def test_an_epoch_stops_at_the_step_at_which_time_is_up(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    begun, until = counted_steps(monkeypatch), ending_after(monkeypatch, looks).deadline
    trainer = Trainer(MODELS["lstm"], "fp32", CPU, tiny=True)
    with pytest.raises(TimeoutError):
        epoch(trainer, 2, 10, until)
    assert len(begun) == looks


def test_every_part_of_a_training_minds_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, late = counted_steps(monkeypatch), ending_after(monkeypatch, 0)
    trainer = Trainer(MODELS["lstm"], "fp32", CPU, tiny=True)
    for part in (
        lambda: list(measure_load_overhead(late, trainer, 2)),
        lambda: count_epochs(late, trainer, 2, 2),
        lambda: fits_in_memory(late, trainer)(2),
    ):
        with pytest.raises(TimeoutError):
            part()
    assert begun == []


@pytest.mark.parametrize("name", ["resnet50", "bert-base", "lstm"])
def test_every_step_of_an_epoch_has_other_inputs(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    seen: list[tuple[int, ...]] = []

    def step(self: Trainer, inputs: Inputs) -> torch.Tensor:
        seen.append(tuple(hash(tuple(values.flatten().tolist())) for values in inputs.values()))
        return torch.zeros(())

    monkeypatch.setattr(Trainer, "step", step)
    epoch(Trainer(MODELS[name], "fp32", CPU, tiny=True), 2, 5, math.inf)
    assert [len(set(values)) for values in zip(*seen, strict=True)] == [5] * len(seen[0])


def test_making_inputs_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trainer, "refill", lambda self, inputs: time.sleep(0.05))
    monkeypatch.setattr(Trainer, "step", lambda self, inputs: torch.zeros(()))
    seconds, _ = epoch(Trainer(MODELS["lstm"], "fp32", CPU, tiny=True), 2, 4, math.inf)
    assert seconds < 0.05


@pytest.mark.parametrize("name", MODELS)
def test_a_step_agrees_with_float64(name: str) -> None:
    assert is_correct_step(MODELS[name], "fp32", CPU)


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_a_step_in_mixed_precision_agrees_with_float64(precision: str) -> None:
    assert is_correct_step(MODELS["bert-base"], precision, CPU)


def test_a_wrong_gradient_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Trainer.backward

    def backward(self: Trainer, inputs: Inputs) -> torch.Tensor:
        loss = real(self, inputs)
        for weights in self.network.parameters():
            weights.grad = None if weights.grad is None else -weights.grad
        return loss

    monkeypatch.setattr(Trainer, "backward", backward)
    assert not is_correct_step(MODELS["lstm"], "fp32", CPU)  # a CPU without AVX-512 has no LSTM in bf16
    figures = training_workload.measure(context(searched=()), "lstm")
    assert [found.correct for found in figures if found.metric == "training_throughput"] == [False]


def test_the_first_epoch_is_given_before_the_second_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = counted_steps(monkeypatch)
    figures = measure_load_overhead(context(epoch_steps=2), Trainer(MODELS["lstm"], "fp32", CPU, tiny=True), 2)
    assert (next(figures).test, len(begun)) == ("lstm first epoch", 2)
