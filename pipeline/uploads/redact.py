"""Redaction of personal fields, before a format sees the text, so that neither a row nor a stored copy can contain them.

Serial numbers, UUIDs, PCI addresses, host and user names, process lists. Replacements keep the form of a value, and equal
values stay equal (host-1, host-2), so that a format reads the same figures. Line numbers do not change. Redacting a text
twice gives the same result as once.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Callable

_UUID = re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b")
_PCI = re.compile(r"\b(?:0x)?([0-9a-fA-F]{8}|[0-9a-fA-F]{4}):[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(\.[0-7])?\b(?![:\d])")
_MAC = re.compile(r"\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b")
_OCTET = r"(?:25[0-5]|2[0-4]\d|[01]?\d?\d)"
_ADDRESS = re.compile(rf"(?<![\w.])(?:{_OCTET}\.){{3}}{_OCTET}(?!\w|\.\w)")
_VERSIONED = (
    "driver", "version", "release", "build", "firmware", "toolkit", "vbios", "cuda", "cudnn", "cublas", "nccl", "tensorrt",
)  # fmt: skip
_BETWEEN = " \t:=-/\"'>("
_ADDRESS_6 = re.compile(
    r"(?<![\w.])(?:[23][0-9a-f]{3}|f[cd][0-9a-f]{2}|fe[89ab][0-9a-f])(?::[0-9a-f]{0,4}){2,7}(?!\w)", re.IGNORECASE
)
_AT_HOST = re.compile(r"(?<![\w.+-])[A-Za-z_][\w.+-]{0,63}@(?:[A-Za-z][\w.-]{0,252}|\d{1,3}(?:\.\d{1,3}){3}(?![\w.]))")
_SPACED_HOME = re.compile(r"(\\Users\\|\\\\Users\\\\)([^/\\\r\n\"'<>:,;|]{1,64})(?=\\)")
_HOME = re.compile(r"((?:/home/|/Users/|\\Users\\|\\\\Users\\\\))([^/\\\s\"'<>:,;]{1,64})")
_RANK_HOST = re.compile(r"\b(Pid\s{1,8})\d{1,10}( on\s{1,8})(\S{1,253})(\s{1,8}device\s)")
_HOST_ALONE = re.compile(r"^([A-Za-z0-9][\w.-]{0,252})(\r?\nDevice\s{1,4}\d{1,3}: )", re.MULTILINE)
_NCCL_HOST = re.compile(r"^([\w.-]{1,253})(:\d{1,10}){2}( \[\d{1,4}\] NCCL )", re.MULTILINE)
_BUS_HOST = re.compile(r"(\([0-9a-fA-F]{8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\): \()([^()\r\n]{1,253})\)")
_TAGS = (
    "serial|chassis_serial_number|host_?id|hostname|process_name|pid|account_pid|board_id|peer_id|gpu_fabric_guid|guid|pdi|"
    "chassis_physical_slot|slot_number|tray_index|module_id|pci_bus"
)
_ELEMENT = re.compile(rf"(<({_TAGS})>)[^<\r\n]{{0,4096}}(</\2>)")
_KEYS = (
    "serial|serial[ _]?number|board[ _]serial|board[ _]id|host|host[ _]?name|node[ _]?name|nodelist|user|user[ _]?name|"
    "login|logname|email|process[ _]?name|cluster[ _]?uuid|machine[ _]?id|node|hostnames|ssh_\\w{1,40}|sudo_user"
)
_MEMBER = re.compile(rf'("(?:{_KEYS})"\s{{0,3}}:\s{{0,3}}")((?:[^"\\\r\n]|\\.){{0,1024}})(")', re.IGNORECASE)
_LIST = re.compile(rf'("(?:{_KEYS})"\s{{0,3}}:\s{{0,3}}\[)([^\[\]{{}}]{{0,4096}})(?=\])', re.IGNORECASE)
_STRING = re.compile(r'"(?:[^"\\\r\n]|\\.){0,1024}"')
_PAIR = re.compile(
    r"^([ \t]{0,40}(?:export |declare -x )?"
    rf"(?:{_KEYS}|slurm_\w{{1,40}}|gpu uuid)[ \t]{{0,40}}[:=][ \t]{{0,4}})(?!N/A)([^\r\n]{{1,256}})",
    re.IGNORECASE | re.MULTILINE,
)
_BUS = re.compile(r"(PCI Domain ID / Bus ID / location ID:\s{1,8})\d+ / \d+ / \d+")
_PROCESS_ROW = re.compile(  # of nvidia-smi's default table
    r"^(\|\s{1,6}\d{1,3}\s[^\r\n|]{0,24}?)\d{1,10}(\s{1,8}[CGM+]{1,4}\s{1,8})(\S[^\r\n|]{0,60}?)"
    r"(\s{1,60}\d{0,8}(?:MiB|N/A)?\s{0,4}\|)",
    re.MULTILINE,
)
_MAX_HEADER = 4096
_COLUMNS = ("process_name", "hostname", "username")
_SERIAL = re.compile(r"(?<![\w.])\d{10,16}(?![\w.])")
_HIDDEN = "hidden"
_Rule = tuple[str, re.Pattern[str], str | Callable[[re.Match[str]], str]]  # text that must occur, pattern, replacement


def redact_personal(text: str) -> str:
    """Return the text with personal fields replaced; the same text if it has none."""
    for needle, pattern, replacement in (*_numbered(), *_PLAIN):
        if needle in text:
            text = pattern.sub(replacement, text)
    columns = text[:_MAX_HEADER].partition("\n")[0].split(",")
    has_serials = any(column.strip() in ("serial", "gpu_serial") for column in columns)
    text = _SERIAL.sub(lambda match: "0" * len(match[0]), text) if has_serials else text
    names = [place for place, column in enumerate(columns) if column.strip().strip('"').lower() in _COLUMNS]
    return _without_column(text, names[0], len(columns)) if names and len(columns) > 1 else text


def _without_column(text: str, place: int, count: int) -> str:
    """Redact the CSV column at `place` from the second line on; its values may contain commas."""
    head, *rows = text.split("\n")
    return "\n".join([head, *(_without_cell(row, place, count) for row in rows)])


def _without_cell(row: str, place: int, count: int) -> str:
    cells, end = row.rstrip("\r").split(","), row[len(row.rstrip("\r")) :]
    after = count - place - 1
    if len(cells) < count:
        return row
    return ",".join([*cells[:place], f" {_HIDDEN}", *cells[len(cells) - after :]]) + end


def _numbered() -> tuple[_Rule, ...]:
    """Rules for values that must stay distinct: each is replaced by a number, the same for equal values of a text."""
    hosts, uuids, buses = (defaultdict[str, int](itertools.count(1).__next__) for _ in range(3))  # from 1, as first met
    return (
        ("-", _UUID, lambda match: f"00000000-0000-0000-0000-{uuids[match[0]]:012x}"),
        (":", _PCI, lambda match: f"{'0' * len(match[1])}:{buses[match[0]] % 256:02x}:00{'.0' if match[2] else ''}"),
        ("Pid", _RANK_HOST, lambda match: f"{match[1]}0{match[2]}host-{hosts[match[3]]}{match[4]}"),
        (" NCCL ", _NCCL_HOST, lambda match: f"host-{hosts[match[1]]}:0:0{match[3]}"),
        ("): (", _BUS_HOST, lambda match: f"{match[1]}host-{hosts[match[2]]})"),
        ("\nDevice ", _HOST_ALONE, lambda match: f"host-{hosts[match[1]]}{match[2]}"),
    )


def _address(match: re.Match[str]) -> str:
    """Replace four numbers up to 255, unless the word before shows that they are a version."""
    before = match.string[max(0, match.start() - 20) : match.start()].lower()
    is_version = before.endswith("==") or before.rstrip(_BETWEEN).endswith(_VERSIONED)
    return match[0] if is_version else "192.0.2.0"


def _element(match: re.Match[str]) -> str:
    value = match[0][len(match[1]) : -len(match[3])]
    shown = value if value.strip() in ("", "N/A") else "0" * len(value) if value.isdigit() else _HIDDEN
    return f"{match[1]}{shown}{match[3]}"


_PLAIN: tuple[_Rule, ...] = (
    (":", _MAC, "00:00:00:00:00:00"),
    (".", _ADDRESS, _address),
    (":", _ADDRESS_6, lambda match: "2001:db8::" if "::" in match[0] or match[0].count(":") == 7 else match[0]),
    ("@", _AT_HOST, "user@host"),
    ("/home/", _HOME, r"\1user"),
    ("Users", _SPACED_HOME, r"\1user"),
    ("Users", _HOME, r"\1user"),
    ("</", _ELEMENT, _element),
    ('"', _MEMBER, rf"\g<1>{_HIDDEN}\3"),
    ("[", _LIST, lambda match: match[1] + _STRING.sub(f'"{_HIDDEN}"', match[2])),
    ("", _PAIR, rf"\g<1>{_HIDDEN}"),
    ("Bus ID", _BUS, r"\g<1>0 / 0 / 0"),
    ("|", _PROCESS_ROW, rf"\g<1>0\g<2>{_HIDDEN}\g<4>"),
)
