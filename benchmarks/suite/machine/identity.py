"""Description of devices and software, from torch and the driver's management library, without personal fields."""

import pynvml
import torch
import transformers

from benchmarks.suite import result
from benchmarks.suite.machine import host, nvml


def devices() -> list[torch.device]:
    """Every CUDA device that torch sees; the processor if there is none."""
    if torch.version.cuda and torch.cuda.is_available():
        return [torch.device("cuda", n) for n in range(torch.cuda.device_count())]
    return [torch.device("cpu")]


def describe(device: torch.device) -> result.Device:
    """The device in the form of the result document."""
    return _cuda(device) if device.type == "cuda" else result.Device(ordinal=0, kind="cpu", name=host.processor_name())


def _cuda(device: torch.device) -> result.Device:
    properties, board = torch.cuda.get_device_properties(device), nvml.Board(device)
    mig = board.read(pynvml.nvmlDeviceGetMigMode)
    ecc = board.read(pynvml.nvmlDeviceGetEccMode)
    return result.Device(
        ordinal=device.index,
        kind="cuda",
        name=properties.name,
        compute_capability=f"{properties.major}.{properties.minor}",
        sm_count=properties.multi_processor_count,
        memory_total_mib=properties.total_memory / 2**20,
        l2_cache_bytes=properties.L2_cache_size or None,
        sm_clock_mhz=board.scaled(1, pynvml.nvmlDeviceGetMaxClockInfo, pynvml.NVML_CLOCK_SM),
        memory_clock_mhz=board.scaled(1, pynvml.nvmlDeviceGetMaxClockInfo, pynvml.NVML_CLOCK_MEM),
        power_limit_w=board.scaled(1e-3, pynvml.nvmlDeviceGetEnforcedPowerLimit),
        ecc=bool(ecc[0]) if ecc else None,
        mig=bool(mig[0]) if mig else "MIG" in properties.name or None,
        pcie_generation=board.read(pynvml.nvmlDeviceGetMaxPcieLinkGeneration) or None,
        pcie_width=board.read(pynvml.nvmlDeviceGetCurrPcieLinkWidth) or None,
    )


def software() -> result.Software:
    """Versions that the figures depend on."""
    cudnn = torch.backends.cudnn.version() if torch.version.cuda else None
    return result.Software(
        suite=result.SUITE,
        python=host.python_version(),
        torch=str(torch.__version__),
        transformers=transformers.__version__,
        cuda_runtime=torch.version.cuda,
        cudnn=str(cudnn) if cudnn else None,
        driver=nvml.driver_version(),
    )
