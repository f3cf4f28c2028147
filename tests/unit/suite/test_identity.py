"""Identity of a GPU, read through a fake of the driver's library: no GPU is needed, and nothing personal is stored."""

import dataclasses
import json
import math
import platform
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest
import torch

from benchmarks.suite import timing
from benchmarks.suite.machine import host, identity, nvml
from pipeline.uploads.annotation.runs import NAME
from tests.unit.suite.support import CPU

GPU = torch.device("cuda", 1)
UUID = "11111111-2222-3333-4444-555555555555"
PROPERTIES = SimpleNamespace(
    name="NVIDIA Example 24GB", major=8, minor=9, multi_processor_count=58, total_memory=24 * 2**30, L2_cache_size=48 * 2**20,
    uuid=UUID,
)  # fmt: skip
ANSWERS: dict[str, Any] = {
    "nvmlInit": None, "nvmlSystemGetDriverVersion": "590.48", "nvmlDeviceGetMaxClockInfo": 2040, "nvmlDeviceGetClockInfo": 1500,
    "nvmlDeviceGetEnforcedPowerLimit": 72_000, "nvmlDeviceGetEccMode": [1, 0], "nvmlDeviceGetMaxPcieLinkGeneration": 4,
    "nvmlDeviceGetCurrPcieLinkWidth": 16, "nvmlDeviceGetTemperature": 41, "nvmlDeviceGetTotalEnergyConsumption": 5_000,
}  # fmt: skip


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """One GPU that answers to its UUID alone and has no MIG mode."""

    def find(uuid: str) -> str:
        if uuid != f"GPU-{UUID}":
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)
        return "handle"

    def unsupported(handle: str) -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)

    for name, answer in ANSWERS.items():
        monkeypatch.setattr(pynvml, name, lambda *arguments, answer=answer: answer)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByUUID", find)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetMigMode", unsupported)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: PROPERTIES)


@pytest.mark.usefixtures("gpu")
def test_a_gpu_is_described_without_what_is_personal() -> None:
    found = identity.describe(GPU)
    assert (found.ordinal, found.kind, found.name, found.compute_capability) == (1, "cuda", "NVIDIA Example 24GB", "8.9")
    assert (found.sm_count, found.memory_total_mib, found.l2_cache_bytes) == (58, 24576, 48 * 2**20)
    assert (found.sm_clock_mhz, found.power_limit_w, found.ecc, found.mig) == (2040, 72, True, None)
    assert (found.pcie_generation, found.pcie_width) == (4, 16)
    assert UUID not in json.dumps(dataclasses.asdict(found))
    assert nvml.driver_version() == "590.48"


@pytest.mark.usefixtures("gpu")
def test_a_board_tells_its_state() -> None:
    board = nvml.Board(GPU)
    assert (board.temperature_c(), board.sm_clock_mhz(), board.energy_j()) == (41, 1500, 5.0)


def test_without_a_driver_nothing_is_known() -> None:
    assert (nvml.Board(CPU).temperature_c(), nvml.Board(CPU).energy_j()) == (None, None)
    assert identity.describe(CPU).name


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "Intel(R) Xeon(R) CPU E5-2680 v4 2.40GHz"),
        ("AMD EPYC 9654 96-Core Processor", "AMD EPYC 9654 96-Core Processor"),
        ("x" * 200, "x" * 80),
        ("x" * 79 + " y", "x" * 79),
        ("\u2122@", "armv7"),
    ],
)
def test_a_processor_has_a_name_that_ingest_takes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, told: str, name: str) -> None:
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\nmodel name\t: {told}\n", encoding="utf-8")
    monkeypatch.setattr(host, "Path", lambda path: tmp_path / Path(path).name)
    monkeypatch.setattr(platform, "processor", lambda: "armv7")
    assert identity.describe(CPU).name == name
    assert NAME.fullmatch(name)


def test_events_give_the_time_of_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    class Event:
        def __init__(self, *, enable_timing: bool = False) -> None:
            self.name = "event" if enable_timing else "mark"

        def record(self) -> None:
            order.append(self.name)

        def elapsed_time(self, end: "Event") -> float:
            return 6.0  # ms

        def synchronize(self) -> None:
            order.append("pace")

    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device: order.append("wait"))
    taken = timing.times_apart(GPU, lambda: order.append("flush"), lambda: order.append("call"), 2, math.inf)
    assert taken == [0.006, 0.006]
    assert order == ["mark", "flush", "event", "call", "event"] * 2 + ["wait"]
