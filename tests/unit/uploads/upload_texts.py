"""Small outputs of our own in the tools' formats, and the ways to read them that the tests share."""

from pathlib import Path
from typing import Any

from benchmarks.formats.core import ParsedRun
from pipeline import paths
from pipeline.readers import RefusedError
from pipeline.uploads import inbox
from pipeline.uploads.ingest import Outcome, group_files, ingest
from pipeline.uploads.serialization import ParsedUpload
from pipeline.uploads.worker import parse_bytes

HEADER = "device_name,kernel,size_bytes,time_ms,gbps\n"
H100 = "NVIDIA H100 80GB HBM3"
SIMPLEST = HEADER + f"{H100},copy,1073741824,0.8,2684.4\n{H100},triad,1073741824,1.2,2684.4\n"
UUID = "GPU-1a2b3c4d-1111-2222-3333-abcdefabcdef"
SERIAL = "1650522009999"
HOME = "/home"
SMI = f"""<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
\t<timestamp>Tue Nov 10 09:00:00 2026</timestamp>
\t<driver_version>570.86.15</driver_version>
\t<cuda_version>12.8</cuda_version>
\t<attached_gpus>1</attached_gpus>
\t<gpu id="00000000:65:00.0">
\t\t<product_name>NVIDIA A100-SXM4-80GB</product_name>
\t\t<serial>{SERIAL}</serial>
\t\t<uuid>{UUID}</uuid>
\t\t<minor_number>0</minor_number>
\t\t<pci><pci_bus>65</pci_bus><pci_bus_id>00000000:65:00.0</pci_bus_id></pci>
\t\t<fb_memory_usage><total>81920 MiB</total><used>3 MiB</used><free>81917 MiB</free></fb_memory_usage>
\t\t<processes><process_info><pid>41234</pid><type>C</type>
\t\t\t<process_name>{HOME}/grace/secret/train.py</process_name><used_memory>100 MiB</used_memory></process_info></processes>
\t</gpu>
</nvidia_smi_log>
"""
NAMELESS = """function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime
Copy,100,134217728,8,{rate},0.00127,0.00131,0.00129
Mul,100,134217728,8,1683000.0,0.00127,0.00131,0.00129
Add,100,134217728,8,1701000.0,0.00189,0.00192,0.00190
Triad,100,134217728,8,1702000.0,0.00189,0.00192,0.00190
"""
NCCL = """# nThread 1 nGpus 2 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid  77123 on lab-node-7 device  0 [0x65] NVIDIA A100-SXM4-80GB
#  Rank  1 Group  0 Pid  77123 on lab-node-7 device  1 [0x66] NVIDIA A100-SXM4-80GB
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           8             2     float     sum      -1    12.61    0.00    0.00      0    12.31    0.00    0.00      0
          16             4     float     sum      -1    12.50    0.00    0.00      0    12.40    0.00    0.00      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0.00123
#
"""


def read(raw: bytes) -> dict[str, Any]:
    """The child process's answer, computed in this process."""
    return parse_bytes(raw)


def code_of(raw: bytes) -> str | None:
    return read(raw).get("code")


def data_folder(tmp_path: Path) -> Path:
    """A data folder with the committed specifications, names and language models, and nothing uploaded."""
    data = tmp_path / "data"
    (data / "raw").mkdir(parents=True)
    for name in ("specs", "names", "raw/llm-model-configs"):
        (data / name).symlink_to(paths.DATA / name)
    return data


def take_in(data: Path, *files: Path, **options: Any) -> list[Outcome]:
    return list(ingest(data, group_files(files, inbox.folder(data)), **options))


def runs_of(outcome: Outcome) -> list[ParsedRun]:
    assert outcome.status in ("accepted", "known"), (outcome.code, outcome.reason)
    return outcome.runs


def lines(found: ParsedUpload | RefusedError) -> ParsedUpload:
    assert isinstance(found, ParsedUpload), (found.code, found.reason)
    return found
