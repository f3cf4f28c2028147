"""Readings of NVIDIA's management library; None if the library or the reading is missing."""

from collections.abc import Callable
from typing import Any

import pynvml
import torch


class Board:
    """The board of one torch device. Every reading is None on a processor, without a driver, or if the board lacks it."""

    def __init__(self, device: torch.device) -> None:
        self._handle = _handle(device) if device.type == "cuda" else None

    def read(self, query: Callable[..., Any], *arguments: Any) -> Any:
        """Return the answer of one pynvml query about this board."""
        if self._handle is None:
            return None
        try:
            return query(self._handle, *arguments)
        except pynvml.NVMLError:
            return None

    def scaled(self, scale: float, query: Callable[..., Any], *arguments: Any) -> float | None:
        """Return a numeric answer times `scale`; None for zero too, which boards return for an unknown value."""
        answer = self.read(query, *arguments)
        return answer * scale if answer else None

    def temperature_c(self) -> float | None:
        return self.scaled(1, pynvml.nvmlDeviceGetTemperature, pynvml.NVML_TEMPERATURE_GPU)

    def sm_clock_mhz(self) -> float | None:
        return self.scaled(1, pynvml.nvmlDeviceGetClockInfo, pynvml.NVML_CLOCK_SM)

    def energy_j(self) -> float | None:
        """Energy since the driver was loaded, J; Volta and later."""
        return self.scaled(1e-3, pynvml.nvmlDeviceGetTotalEnergyConsumption)


def _handle(device: torch.device) -> Any:
    """The NVML handle of a torch device, by its UUID: NVML counts every board, torch the visible ones. No UUID is stored."""
    uuid = torch.cuda.get_device_properties(device).uuid
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    for prefix in ("GPU-", "MIG-"):
        try:
            return pynvml.nvmlDeviceGetHandleByUUID(f"{prefix}{uuid}")
        except pynvml.NVMLError:
            continue
    return None


def driver_version() -> str | None:
    """Version of the kernel driver; None without one."""
    try:
        pynvml.nvmlInit()
        return str(pynvml.nvmlSystemGetDriverVersion())
    except pynvml.NVMLError:
        return None
