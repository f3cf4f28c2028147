"""Bounds of transfers between GPUs: what their links carry, and what follows from the other figures of a collective."""

from collections.abc import Iterable, Iterator

from pipeline.schema.benchmarks import Measurement
from pipeline.schema.specs import Gpu

# one way over 16 lanes in GB/s: transfers/s x 16 / 8, less the encoding (8b/10b up to generation 2, then 128b/130b; 6: flits)
PCIE_X16 = {
    1: 2.5 * 2 * 8 / 10,
    2: 5 * 2 * 8 / 10,
    3: 8 * 2 * 128 / 130,
    4: 16 * 2 * 128 / 130,
    5: 32 * 2 * 128 / 130,
    6: 64 * 2,
}
_ROUNDING = 0.006  # half a unit of the last digit that nccl-tests prints, and its share of the product
_RELATIVE = 0.005
# bus bandwidth = algorithm bandwidth x factor; source: nccl-tests, doc/PERFORMANCE.md
_OF_RANKS = {"all_gather", "reduce_scatter", "alltoall", "gather", "scatter", "hypercube"}
_OF_ONE = {"broadcast", "reduce", "sendrecv"}


def one_way(gpu: Gpu) -> float | None:
    """Most that a GPU sends to or receives from others: half of its NVLinks, or PCI Express over 16 lanes; None if unknown."""
    pcie = PCIE_X16.get(gpu.pcie_generation or 0)
    if gpu.nvlink_gb_per_s:
        return max(gpu.nvlink_gb_per_s / 2, pcie or 0)
    return pcie if gpu.form_factor == "PCIe" else None


def peak_copy(figure: Measurement, gpu: Gpu) -> float | None:
    """Peak of a copy between two GPUs; None for sums over many pairs.

    Some kernels of bidirectional tests report both directions together, whatever the test is called.
    """
    link = one_way(gpu)
    if link is None or figure.device_ordinal is None or figure.statistic == "sum":
        return None
    if figure.peer_ordinal == figure.device_ordinal:
        return gpu.memory_bandwidth_gb_per_s
    return link * (1 if figure.direction == "uni" else 2)


def peak_collective(figure: Measurement, gpu: Gpu) -> float | None:
    """Peak of a collective: switches that reduce in flight let the bus bandwidth reach both directions of a link together.

    The algorithm bandwidth is at most twice the bus bandwidth. One GPU alone copies within its memory.
    """
    link = gpu.memory_bandwidth_gb_per_s if figure.n_gpus == 1 else one_way(gpu)
    return link * (2 if figure.metric == "collective_bus_bandwidth" else 4) if link else None


def contradicting(figures: Iterable[Measurement]) -> Iterator[Measurement]:
    """Yield both bandwidths of a collective where one does not follow from the other and the number of GPUs."""
    algorithm: dict[tuple[object, ...], Measurement] = {}
    bus: dict[tuple[object, ...], Measurement] = {}
    for figure in figures:
        if figure.statistic == "mean" and figure.metric.startswith("collective_") and figure.unit == "GB/s":
            key: tuple[object, ...] = (figure.test, figure.size_bytes, figure.dtype, figure.workload, figure.line)
            (bus if figure.metric == "collective_bus_bandwidth" else algorithm)[key] = figure
    for key in bus.keys() & algorithm.keys():
        if not _follows(bus[key], algorithm[key]):
            yield from (bus[key], algorithm[key])


def _follows(bus: Measurement, algorithm: Measurement) -> bool:
    factor = _bus_factor(bus.test.removesuffix("_perf"), bus.n_gpus)
    if factor is None:
        return True
    expected = algorithm.value * factor
    return abs(bus.value - expected) <= _ROUNDING * (1 + factor) + _RELATIVE * expected


def _bus_factor(test: str, ranks: int | None) -> float | None:
    if not ranks or ranks < 2:
        return None
    if test == "all_reduce":
        return 2 * (ranks - 1) / ranks
    return (ranks - 1) / ranks if test in _OF_RANKS else 1 if test in _OF_ONE else None
