"""Products against float64, decoding with a cache against without, timing, and what a device without tensor cores is spared."""

import math
import time

import pytest
import torch

from benchmarks.suite.machine import precision
from benchmarks.suite.measurements import decode, matmul, memory
from benchmarks.suite.measurements.decode import TINY, Decoder
from benchmarks.suite.measurements.products import PRODUCTS, Product, is_correct, operands, relative_error
from benchmarks.suite.timing import AHEAD, LONG_ENOUGH_S, Clock, Pace, build_figure, time_calls
from tests.unit.suite.support import CPU, context, ending_after


@pytest.mark.parametrize("product", [p for p in PRODUCTS if p.dtype != "tf32"], ids=lambda p: p.name)
def test_products_agree_with_float64(product: Product) -> None:
    assert is_correct(product, CPU)


def test_a_wrong_product_is_noticed() -> None:
    wrong = Product("bf16", "bf16", lambda a, b: torch.matmul(a, b) * 1.05)
    assert not is_correct(wrong, CPU)
    coarse = Product("fp32", "fp32", lambda a, b: torch.matmul(a.bfloat16(), b.bfloat16()).float())
    assert relative_error(coarse, CPU) > 1e-4
    assert not is_correct(coarse, CPU)


@pytest.mark.parametrize("dtype", ["fp8", "int8"])
def test_narrow_formats_take_the_second_operand_column_by_column(dtype: str) -> None:
    a, b = operands(dtype, 32, 48, 64, CPU)
    assert (a.shape, b.shape) == ((32, 64), (64, 48))
    assert (a.stride(), b.stride()) == ((64, 1), (1, 64))


def test_the_search_tries_what_the_profile_asks_for() -> None:
    shape, rates = matmul.best_shape(context(), PRODUCTS[0])
    assert shape in matmul.candidates(context())
    assert len(rates) == context().profile.repetitions
    assert all(rate > 0 for rate in rates)


def test_bytes_are_counted_as_stream_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "time_calls", lambda device, call, clock: (call(), [0.5])[1])
    rates = {found.test: found.value for found in memory.measure(context(memory_bytes=(1_000_000,)))}
    assert rates == {"copy": pytest.approx(2 * 1e6 / 0.5 / 1e9), "triad": pytest.approx(3 * 1e6 / 0.5 / 1e9)}


def test_a_call_is_timed_alone_however_short() -> None:
    assert min(time_calls(CPU, lambda: time.sleep(0.002), Clock(3, 0.001))) >= 0.002
    assert max(time_calls(CPU, lambda: None, Clock(3, 0.001))) < 1e-4


@pytest.mark.parametrize("looks", [0, 1, 4])
def test_calls_stop_when_time_is_up(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    calls: list[None] = []
    clock = Clock(50, 0.0, ending_after(monkeypatch, looks).deadline)
    with pytest.raises(TimeoutError):
        time_calls(CPU, lambda: (calls.append(None), time.sleep(LONG_ENOUGH_S)), clock)  # so long that each is timed alone
    assert len(calls) == looks


def test_the_host_is_only_a_few_pieces_ahead_of_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """With events that only count: the end of each piece is waited for before the one after the next two is queued."""
    log: list[tuple[str, int]] = []

    class Event:
        def record(self) -> None:
            self.place = sum(what == "record" for what, _ in log)
            log.append(("record", self.place))

        def synchronize(self) -> None:
            log.append(("wait", self.place))

    monkeypatch.setattr(torch.cuda, "Event", Event)
    pace = Pace(torch.device("cuda", 0), math.inf)
    for _ in range(5):
        pace.keep()
    assert [place for what, place in log if what == "wait"] == list(range(5 - AHEAD))
    assert log[:4] == [("record", 0), ("record", 1), ("record", 2), ("wait", 0)]
    late = Pace(torch.device("cuda", 0), 0.0)
    with pytest.raises(TimeoutError):
        late.keep()


def test_decoding_gives_the_prefill_before_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    short = ending_after(monkeypatch, 1 + context().profile.runs)
    figures = decode.measure(short)
    assert next(figures).test == "prefill"
    with pytest.raises(TimeoutError):
        next(figures)


def test_a_figure_has_median_and_spread() -> None:
    found = build_figure("latency", [1.0, 2.0, 6.0], test="x")
    assert (found.value, found.unit, found.n_samples, found.statistic) == (2.0, "us", 3, "median")
    assert found.stddev == pytest.approx(2.6457513)
    assert (build_figure("latency", [1.0], test="x").statistic, build_figure("latency", [1.0], test="x").stddev) == (
        "single",
        None,
    )


def test_fp32_is_exact_unless_tf32_is_asked_for() -> None:
    places = (torch.backends.cuda.matmul, torch.backends.cudnn.conv, torch.backends.cudnn.rnn)
    before = [place.fp32_precision for place in places]
    for name, wanted in (("tf32", "tf32"), ("fp32", "ieee"), ("bf16", "ieee")):
        with precision.fp32_arithmetic(name):
            assert [place.fp32_precision for place in places] == [wanted] * 3
    assert [place.fp32_precision for place in places] == before


def test_formats_that_a_gpu_lacks_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = torch.device("cuda", 0)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (7, 0))
    assert {name for name in ("fp32", "tf32", "fp16", "bf16", "fp8", "int8") if precision.missing(name, gpu)} == {
        "tf32", "bf16", "fp8", "int8",
    }  # fmt: skip
    assert precision.tensor_core("fp16", gpu) == "yes"
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (6, 1))
    assert precision.missing("fp16", gpu) is None
    assert precision.tensor_core("fp16", gpu) == "no"


@torch.inference_mode()
def test_decoding_with_the_cache_continues_as_reading_anew_does() -> None:
    torch.manual_seed(2)
    decoder = Decoder(TINY, 2, 12)
    words = torch.randint(0, TINY.words, (2, 6))
    token, read = decoder(words, torch.arange(6)), words
    for position in range(6, 10):
        read = torch.cat((read, token), dim=1)
        token = decoder(token, torch.tensor([position]))
        assert torch.equal(token, Decoder.forward(fresh(decoder), read, torch.arange(read.shape[1])))


def fresh(decoder: Decoder) -> Decoder:
    """The same weights with an empty cache."""
    other = Decoder(TINY, 2, 12)
    other.load_state_dict(decoder.state_dict())
    other.get_buffer("cache").zero_()
    return other
