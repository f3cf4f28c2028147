"""nvidia-smi: the XML of all DTDs; what it says of each GPU, and what must not come in."""

from typing import Any

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

XML = """<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v13.dtd">
<nvidia_smi_log>
  <timestamp>Sun Mar 2 15:02:02 2025</timestamp>
  <driver_version>570.1</driver_version>
  <cuda_version>12.8</cuda_version>
  <attached_gpus>2</attached_gpus>
  <gpu id="00000000:C1:00.0">
    <product_name>NVIDIA Example 1</product_name>
    <mig_mode><current_mig>Disabled</current_mig></mig_mode>
    <serial>secret-serial</serial>
    <uuid>GPU-secret</uuid>
    <fb_memory_usage><total>1024 MiB</total><used>17 MiB</used></fb_memory_usage>
    <ecc_mode><current_ecc>Enabled</current_ecc></ecc_mode>
    <gpu_power_readings><power_draw>90.00 W</power_draw><current_power_limit>170.00 W</current_power_limit></gpu_power_readings>
    <max_clocks><sm_clock>2145 MHz</sm_clock><mem_clock>7501 MHz</mem_clock></max_clocks>
    <processes><process_info><process_name>/secret/path</process_name></process_info></processes>
  </gpu>
  <gpu id="00000000:C2:00.0">
    <product_name>NVIDIA Example 2</product_name>
    <fb_memory_usage><total>[Not Supported]</total></fb_memory_usage>
    <power_readings><power_limit>150.00 W</power_limit><enforced_power_limit>N/A</enforced_power_limit></power_readings>
  </gpu>
</nvidia_smi_log>
"""
BOMB = """<?xml version="1.0"?>
<!DOCTYPE nvidia_smi_log [
<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
]>
<nvidia_smi_log><gpu><product_name>&b;</product_name></gpu></nvidia_smi_log>
"""
SAMPLES = [
    "a100-sxm4-v12",
    "gtx-1070-ti",
    "gtx-1660-ti",
    "quadro-p2000-v12",
    "rtx-3060-v12",
    "rtx-3080-v12",
    "rtx-3090-v12",
    "tesla-t4",
]


def printed(value: float | None, unit: str, digits: int = 0) -> str | None:
    return None if value is None else f"{value:.{digits}f} {unit}"


@pytest.mark.parametrize("name", SAMPLES)
def test_xml_samples(name: str) -> None:
    (run,) = runs(f"nvidia-smi/{name}.xml")
    wanted: dict[str, Any] = expected(f"nvidia-smi/{name}.xml")
    (gpu,) = run.devices
    assert (len(run.devices), gpu.name_raw, run.run.driver) == (wanted["n_gpu"], wanted["name"], wanted["driver"])
    assert printed(gpu.memory_total_mib, "MiB") == wanted["mem_total"]
    assert printed(gpu.power_limit_w, "W", 2) == (wanted["power_new"] or wanted["power_old"])
    assert printed(gpu.sm_clock_mhz, "MHz") == wanted["max_sm"]
    assert gpu.ecc == {"Enabled": True, "N/A": None, None: None}[wanted["ecc"]]
    assert run.run.layout_version == f"xml {wanted['doctype'].removeprefix('nvsmi_device_')}".strip()
    assert (wanted["cuda"] or "") in (run.run.args or "")
    assert (run.run.cuda_runtime, run.measurements, run.run.status) == (None, [], "ok")


def test_each_gpu_of_xml() -> None:
    (run,) = read(XML)
    first, second = run.devices
    assert (first.name_raw, first.memory_total_mib, first.ecc, first.mig) == ("NVIDIA Example 1", 1024, True, False)
    assert (first.power_limit_w, first.sm_clock_mhz, first.memory_clock_mhz) == (170, 2145, 7501)
    assert (second.ordinal, second.memory_total_mib, second.power_limit_w, second.mig) == (1, None, 150, None)
    assert (run.run.driver, run.run.args, run.run.parser_version) == ("570.1", "cuda_driver_api=12.8; attached_gpus=2", 1)
    assert str(run.run.started_at) == "2025-03-02 15:02:02"


def test_personal_fields_and_readings_of_a_moment_never_come_in() -> None:
    kept = str(read(XML))
    assert not [word for word in ("secret", "C1:00", "90.1", "90.0", "17.0") if word in kept]


def test_xml_that_breaks_off_keeps_the_gpus_that_are_whole() -> None:
    (run,) = read(XML[: XML.index("150.00")])
    assert (run.run.status, [d.name_raw for d in run.devices]) == ("truncated", ["NVIDIA Example 1"])
    with pytest.raises(RefusedError) as refused:
        read(XML[: XML.index("<ecc_mode>")])
    assert refused.value.code == "NO_ROWS"


def test_two_documents_are_two_runs_with_other_text_around() -> None:
    assert [len(run.devices) for run in read("$ nvidia-smi -q -x\n" + XML + "```\n" + XML + "thanks\n")] == [2, 2]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (BOMB, "PARSE"),
        (XML.replace("NVIDIA Example 2", "&unknown;"), "PARSE"),
        (XML.replace("</product_name>", "</name>"), "PARSE"),
        (XML.replace("1024 MiB", "1024 GiB"), "PARSE"),
        (XML.replace("1024 MiB", "nan MiB"), "NOT_FINITE"),
        (XML.replace("<serial>", "<serial>" + "<a>" * 100_000), "TOO_DEEP"),
        (XML.replace("<serial>secret-serial</serial>", "<product_name>Other</product_name>"), "DUP_KEY"),
        (XML.replace("Enabled", "perhaps"), "PARSE"),
    ],
)
def test_hostile_and_broken_xml_is_refused(text: str, code: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(text)
    assert refused.value.code == code
