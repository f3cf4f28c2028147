"""Every line of the hostile samples' manifest: the code that it demands, in bounded memory, each file by itself."""

import csv
import gzip
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.readers import RefusedError
from pipeline.uploads import decoding, precheck
from pipeline.uploads.ingest import Outcome
from pipeline.uploads.sandbox import Sandbox
from tests.samples import SAMPLES
from tests.tools import readers_of_uploads
from tests.unit.uploads.upload_texts import HEADER, SIMPLEST, data_folder, take_in

pytestmark = pytest.mark.slow  # each test starts the sandbox

HOSTILE = SAMPLES.parent / "hostile"
MAX_EXTRA = 64 * 2**20
CODES = re.compile(
    r"\b(ENCODING|CONTROL_CHAR|EMPTY|NO_ROWS|SCHEMA|TOO_WIDE|TOO_DEEP|LINE_TOO_LONG|SIZE|RATIO|CONTENT_TYPE|PARSE|DUP_KEY|RANGE)\b"
)
# lines of the manifest that name no code: what they mean in the contract's codes
WORDS = {
    "bad_ragged.csv": "PARSE",
    "bad_numbers.csv": "NOT_FINITE",
    "bad_formula.csv": "NAME_NOT_ALLOWED",
    "bad_device_names.json": "NAME_NOT_ALLOWED",
    "bad_vegalite_href.json": "SCHEMA",
    "bad_mixed_types.ndjson": "SCHEMA",
}


def manifest() -> Iterator[tuple[str, str]]:
    path = HOSTILE / "MANIFEST.csv"
    if path.exists():
        with path.open(newline="") as file:
            yield from ((row["file"], row["must_lead_to"]) for row in csv.DictReader(file) if "make_big" not in row["file"])


def demanded(name: str, words: str) -> set[str | None]:
    """The codes that a line allows; None where the file may be accepted."""
    if name.endswith(".parquet"):
        return {"CONTENT_TYPE"}
    if name in WORDS:
        return {WORDS[name]}
    named: set[str | None] = set(CODES.findall(words))
    accepted = words.startswith("accept") or "IMPLAUSIBLE" in words
    return named | ({None} if accepted else set())


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """Outcome of every file of the folder, read one after another."""
    data = data_folder(tmp_path_factory.mktemp("hostile"))
    return {outcome.file.name: outcome for outcome in take_in(data, *(HOSTILE / name for name, _ in manifest()))}


@pytest.mark.parametrize(("name", "words"), list(manifest()))
def test_each_hostile_file_leads_to_what_the_manifest_says(name: str, words: str, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[name]
    assert outcome.code in demanded(name, words), (words, outcome.reason)
    assert bool(outcome.runs) == (outcome.status == "accepted")
    assert outcome.code is None or outcome.reason
    if "accept 3 rows" in words:  # identical rows count once
        assert sum(figure.n_samples or 1 for run in outcome.runs for figure in run.measurements) in (1, 3)
    if "IMPLAUSIBLE" in words:
        assert all("exceeds_peak" in (figure.flags or "") for run in outcome.runs for figure in run.measurements)


def large(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """The files that are too big to keep: sparse where zeros will do."""
    starts = {"line_1gb.csv": HEADER.encode(), "quoted_1gb.csv": HEADER.encode() + b'"', "string_1gb.json": b'[{"device_name":"'}
    for name, start in starts.items():
        (tmp_path / name).write_bytes(start)
        os.truncate(tmp_path / name, 2**30)
        yield tmp_path / name, "SIZE"
    with gzip.open(tmp_path / "bomb.csv.gz", "wb", 1) as file:
        for _ in range(12):
            file.write(b"NVIDIA H100,copy,1,1,1\n" * 2**20)
    yield tmp_path / "bomb.csv.gz", "SIZE"
    limit = precheck.MAX_BYTES
    for name, body, code in (
        ("lines.txt", b"BabelStream\n" * (limit // 12), "SIZE"),
        ("runs.txt", b"BabelStream\n" * decoding.MAX_LINES, "NO_ROWS"),
        ("blanks.txt", b"BabelStream\n" + b" \n" * (decoding.MAX_LINES - 1), "NO_ROWS"),
        ("objects.json", b"[" + b'{"aaaaaaaa":1.5,"b":"cd"},' * (decoding.MAX_CONTAINERS - 2) + b"{}]", "SCHEMA"),
        ("lists.json", b"[" + b"[]," * (limit // 3 - 4) + b"[]]", "SIZE"),
        ("numbers.json", b"[" + b"1," * (limit // 2 - 4) + b"1]", "SIZE"),
        ("few.json", b"[" + b"1," * (decoding.MAX_VALUES - 1) + b"1]", "SCHEMA"),
        ("quotes.json", b'["' + b'\\"' * (limit // 2 - 4), "PARSE"),
        ("short.txt", b"a\n" * (limit // 2), "SIZE"),
        ("hosts.txt", b"a.a@" * (limit // 4), "LINE_TOO_LONG"),
        (
            "rows.csv",
            (HEADER + "".join(f"NVIDIA L4,copy,{n},1,1\n" for n in range(1, decoding.MAX_LINES))).encode(),
            "SIZE",
        ),
    ):
        (tmp_path / name).write_bytes(body)
        yield tmp_path / name, code or ""


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="measures peaks through Linux' /proc")
def test_no_file_takes_much_memory(tmp_path: Path) -> None:
    """Peak over what was resident before, of this process and the child together, per file."""
    files = [*large(tmp_path), *((HOSTILE / name, "") for name, _ in manifest())]
    with Sandbox(children=1) as sandbox:
        sandbox.parse(SIMPLEST.encode())
        for path, code in files:
            processes = [os.getpid(), *readers_of_uploads()]
            before = sum(_started(pid) for pid in processes)
            found = _read(sandbox, path)
            running = {os.getpid(), *readers_of_uploads()}
            extra = sum(_status(pid, "VmHWM") for pid in processes if pid in running) - before
            assert extra < MAX_EXTRA, (path.name, extra >> 20)
            assert found != "CRASH", path.name
            assert not code or found in (code, "TIMEOUT"), path.name  # a slow machine may give up, in the same memory


def _read(sandbox: Sandbox, path: Path) -> str | None:
    try:
        raw = precheck.read_file(path)
        precheck.refuse_binary(raw)
    except RefusedError as refused:
        return refused.code
    found = sandbox.parse(raw)
    return found.code if isinstance(found, RefusedError) else None


def _started(pid: int) -> int:
    """Begin to measure a process's peak: what it holds now, in bytes."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return _status(pid, "VmRSS")


def _status(pid: int, key: str) -> int:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith(key))
    return int(line.split()[1]) * 1024


NAMES = ("*.csv", "vendor=EVIL.csv", "[a-z].csv", "-rf", "a\nb.csv", "x\u202ecsv.exe", "'; DROP TABLE gpu; --", "<img src=x>")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_a_name(tmp_path: Path, name: str) -> None:
    data, folder = data_folder(tmp_path), tmp_path / "in"
    folder.mkdir()
    (folder / "other.csv").write_text("secret")
    (folder / name).write_text(SIMPLEST)
    (outcome,) = take_in(data, folder / name)
    assert outcome.status == "accepted"
    (stored,) = (data / "uploads" / "accepted").glob("*.csv")
    assert stored.read_text() == SIMPLEST
    assert not [path for path in data.rglob("*") if path.name == name]
