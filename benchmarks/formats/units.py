"""Units as tools print them, and their factors to the unit of each metric."""

from pipeline.schema.benchmarks import METRICS

_DIMENSIONS: dict[str, dict[str, float]] = {
    "GB/s": {
        "GB/s": 1, "GB/sec": 1, "GBytes/sec": 1, "MB/s": 1e-3, "MBytes/sec": 1e-3, "TB/s": 1e3, "B/s": 1e-9, "GBPS": 1, "gbps": 1,
        "GiB/s": 2**30 / 1e9, "GiBytes/sec": 2**30 / 1e9, "MiB/s": 2**20 / 1e9, "MiBytes/sec": 2**20 / 1e9,
        "TiB/s": 2**40 / 1e9, "KB/s": 1e-6, "KiB/s": 2**10 / 1e9,
        "mbytes_per_sec": 1e-3, "mibytes_per_sec": 2**20 / 1e9, "MB_per_sec": 1e-3, "MiB_per_sec": 2**20 / 1e9,
        "GB_per_sec": 1, "GiB_per_sec": 2**30 / 1e9, "TB_per_sec": 1e3, "TiB_per_sec": 2**40 / 1e9,
    },
    "TFLOP/s": {
        "TFLOP/s": 1, "TFLOPS": 1, "TFLOPs/s": 1, "GFLOP/s": 1e-3, "GFLOPS": 1e-3, "GFLOPs": 1e-3, "Gflop/s": 1e-3,
        "Gflops": 1e-3, "GF/s": 1e-3, "gflops": 1e-3, "tflops": 1, "FLOPS": 1e-12, "PFLOP/s": 1e3, "Gflops/s": 1e-3,
    },
    "TOP/s": {
        "TOP/s": 1, "TIOPs/s": 1, "TOPS": 1, "GOP/s": 1e-3, "GIOPS": 1e-3, "GOPS": 1e-3, "gops": 1e-3, "tops": 1, "OPS": 1e-12,
    },
    "us": {"us": 1, "ns": 1e-3, "ms": 1e3, "s": 1e6},
    "ms": {"ms": 1, "us": 1e-3, "ns": 1e-6, "s": 1e3},
    "s": {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60, "h": 3600},
    "tokens/s": {"tokens/s": 1, "t/s": 1, "tokens/sec": 1},
    "requests/s": {"requests/s": 1, "requests/sec": 1},
    "items/s": {"items/s": 1, "images/s": 1, "sequences/s": 1, "tokens/s": 1, "samples/s": 1, "FPS": 1},
    "MiB": {"MiB": 1, "GiB": 1024, "GB": 1e9 / 2**20, "MB": 1e6 / 2**20, "B": 1 / 2**20},
    "W": {"W": 1, "mW": 1e-3, "kW": 1e3},
    "J": {"J": 1, "mJ": 1e-3, "kJ": 1e3, "Wh": 3600},
    "°C": {"°C": 1, "C": 1},
    "MHz": {"MHz": 1, "Mhz": 1, "GHz": 1e3},
    "%": {"%": 1},
    "items": {"items": 1},
    "points": {"points": 1},
    "1": {"1": 1},
}  # fmt: skip


BYTES = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def factor(metric: str, unit_raw: str) -> float:
    """Factor from `unit_raw` to the metric's own unit. Raises KeyError for a unit that the metric does not have."""
    return _DIMENSIONS[METRICS[metric]][unit_raw]
