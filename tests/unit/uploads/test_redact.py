"""Personal fields never reach a format, a row or a stored file."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.formats import detection
from pipeline.readers import RefusedError
from pipeline.uploads import decoding, load_accepted, redact
from tests.samples import SAMPLES
from tests.unit.uploads.upload_texts import HOME, NCCL, SERIAL, SMI, UUID, data_folder, take_in

TOLD = [
    ("Hostname: lab-node-7", "lab-node-7"),
    ("lab-node-7:4711:4711 [0] NCCL INFO Launch mode Parallel", "lab-node-7"),
    ("# Rank  0 Group  0 Pid 4711 on lab-node-7 device  0 [0000:1b:00] NVIDIA H100", "lab-node-7"),
    ("grace@lab-node-7:~/src$ ./nvbandwidth", "grace"),
    ("lab-node-7\nDevice 0: NVIDIA H20 (00000000:18:00)", "lab-node-7"),
    ('"0: NVIDIA GeForce RTX 5090 (00000000:0c:00): (lab-node-7)"', "lab-node-7"),
    ('{"hostname": "lab-node-7", "model": "x"}', "lab-node-7"),
    ('{"User": "grace \\" h"}', "grace"),
    (f"model={HOME}/grace/models/llama.gguf", "grace"),
    (r"C:\Users\grace\models\llama.gguf", "grace"),
    ("server at http://203.0.113.17:8000/v1", "203.0.113.17"),
    ("SLURM_JOB_NODELIST=lab-node-7", "lab-node-7"),
    ("GPU 0: Tesla K80 (UUID: GPU-1a2b3c4d-1111-2222-3333-abcdefabcdef)", "1a2b3c4d"),
    ("  Device PCI Domain ID / Bus ID / location ID:   0 / 77 / 0", "77"),
    ("|    0   N/A  N/A      4711      C   /opt/grace/train                  345MiB |", "grace"),
    ("name,serial,memory.total [MiB]\nNVIDIA L4,1650522009999,23034", "1650522009999"),
    ("mac 02:42:ac:11:00:02", "02:42:ac"),
    ("NCCL INFO NET/Socket : Using [0]eth0:10.20.30.40<0>", "10.20.30.40"),
    ("connected to 10.0.0.5.", "10.0.0.5"),
    ("NET/Socket : Using [0]eth0:fe80::42:acff:fe11:2<0>", "acff"),
    ("listening on [2a01:4f8:c0c:1234:0:0:0:1]:8000", "2a01"),
    ("LOGNAME=grace", "grace"),
    ("export LOGNAME=grace", "grace"),
    ("SSH_CLIENT=203.0.113.5 52314 22", "52314"),
    ("ssh grace@10.0.0.5", "grace"),
    ('{"hostnames": ["lab-node-7", "x"], "gpus": ["NVIDIA L4"]}', "lab-node-7"),
    ('{"node": "lab-node-7"}', "lab-node-7"),
    ("pid, process_name, used_gpu_memory [MiB]\n4711, /opt/grace/a,b, 345 MiB\r\n", "grace"),
    (r"C:\Users\Grace Smith\models\llama.gguf", "Smith"),
]


@pytest.mark.parametrize(("given", "secret"), TOLD)
def test_each_kind_of_personal_field_is_hidden(given: str, secret: str) -> None:
    shown = redact.redact_personal(given)
    assert secret not in shown
    assert shown.count("\n") == given.count("\n")
    assert redact.redact_personal(shown) == shown


def test_equal_values_stay_equal_and_different_ones_different() -> None:
    shown = redact.redact_personal("".join(f"Pid {n} on {host} device 0\n" for n, host in enumerate(("b", "a", "b"))))
    assert [line.split()[3] for line in shown.splitlines()] == ["host-1", "host-2", "host-1"]


@pytest.mark.parametrize(
    "plain",
    [
        "821.0TFLOPS @ 11264x19712x1536",
        "driver 31.0.15.3623",
        "2026-11-10T09:00:00",
        "12:34:56",
        "serial=N/A",
        "driver_version: 8.9.7.29",
        "cuDNN 8.9.2.26",
        "nvidia-cudnn-cu12==8.9.2.26",
        "96.00.61.00.01",
        "Version: 1.2.3.4",
        "c10::cuda",
        "2026:11:10:09",
        "/usr/lib/libnccl.so.2.18.5.1",
        '{"nodes": ["a"]}',
        "300.1.2.3",
        "name, memory\nNVIDIA L4, 23034",
    ],
)
def test_what_is_not_personal_stays(plain: str) -> None:
    assert redact.redact_personal(plain) == plain


def test_hiding_changes_no_row_of_the_samples() -> None:
    if not SAMPLES.exists():
        pytest.skip("no samples at hand; set GPULEDGER_SAMPLES to the folder that has them")
    for path in sorted(path for path in SAMPLES.rglob("*") if path.is_file()):
        given = decoding.decode(path.read_bytes())
        assert _read(redact.redact_personal(given)) == _read(given), path.name


def _read(given: str) -> object:
    try:
        return detection.read(given)
    except RefusedError as refused:
        return refused.code


def test_no_stored_file_and_no_row_holds_them(tmp_path: Path) -> None:
    data = data_folder(tmp_path)
    (tmp_path / "smi.xml").write_text(SMI)
    (tmp_path / "log of grace@lab-node-7.txt").write_text(NCCL)
    outcomes = take_in(data, tmp_path / "smi.xml", tmp_path / "log of grace@lab-node-7.txt")
    assert [outcome.status for outcome in outcomes] == ["accepted", "accepted"]
    kept = [path.read_text() for path in (data / "uploads").rglob("*") if path.is_file()]
    uploads = load_accepted.uploads(data, data / "build" / "parsed")
    loaded = [json.dumps(asdict(run), default=str) for upload in uploads for run in upload.runs]
    assert len(kept) == 4
    assert len(loaded) == 2
    for secret in (UUID, SERIAL, "00000000:65:00.0", "grace", "lab-node-7", "41234", "77123"):
        assert not [place for place in (*kept, *loaded) if secret in place], secret
