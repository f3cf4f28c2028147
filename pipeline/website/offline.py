"""The edition for reading from disk: the finished site as one zip file, whose search works without a server.

Browsers start no worker from a file, so each page loads a shim for workers, and each search index is a script as well.
"""

import datetime as dt
import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from markupsafe import Markup

from pipeline.website.i18n.language import current_language, languages, use_language
from pipeline.website.writing import npm_packages
from pipeline.website.writing.page_writer import render_fragment

NAME = "gpuledger-site.zip"
_FOLDER = Path(NAME).stem  # of what is unpacked
_PLACEHOLDER = "<!-- offline edition -->"  # of the table row on the data page
FOR_HOSTS = {
    ("404.html",),
    ("assets", "duckdb"),
    ("assets", "share"),
}  # useless on disk: pages without links to them, and an engine that browsers do not start
_SHIM = "assets/vendor/iframe-worker.js"
_INDEX = "search_index.json"
_PACKED = {".gz", ".parquet", ".png"}
_LEVEL = 2  # a tenth larger than the default, in half the time


def add_archive(site: Path, as_of: dt.date) -> None:
    """Pack the finished site into `site/data` and name the file on the data page; without packages from npm, do nothing."""
    shim = npm_packages.shim()
    if shim is None:
        return
    files = {path.relative_to(site): path for path in site.rglob("*") if path.is_file()}
    files |= {Path(_SHIM): shim, Path(_SHIM).with_name("iframe-worker-licence.txt"): shim.parent.parent / "LICENSE"}
    with zipfile.ZipFile(site / "data" / NAME, "w", zipfile.ZIP_DEFLATED) as archive:
        _pack(archive, as_of, files)
    for one in languages():
        with use_language(one):
            _add_table_row(site / one.folder / "data" / "index.html", site / "data" / NAME)


def _pack(archive: zipfile.ZipFile, as_of: dt.date, files: Mapping[Path, Path]) -> None:
    for name, path in sorted(files.items()):
        if name.parts[:2] in FOR_HOSTS:
            continue
        for entry, content in _contents(name, path.read_bytes()):
            archive.writestr(_entry(entry, as_of), content, compresslevel=_LEVEL)


def _contents(name: Path, content: bytes) -> Iterator[tuple[Path, bytes]]:
    """The file as it is read from disk, changed as Material's plugin `offline` would, which adds the search index as a script."""
    if name.suffix == ".html":
        shim = f'<script src="{"../" * (len(name.parts) - 1)}{_SHIM}"></script>'
        content = content.replace(b"</head>", f"{shim}</head>".encode(), 1)
    yield name, content
    if name.name == _INDEX:
        yield name.with_suffix(".js"), b"var __index = " + content


def _entry(name: Path, as_of: dt.date) -> zipfile.ZipInfo:
    """An entry dated by the data, not by the clock, so that the same files give the same bytes."""
    entry = zipfile.ZipInfo(f"{_FOLDER}/{name.as_posix()}", as_of.timetuple()[:6])
    entry.compress_type = zipfile.ZIP_STORED if name.suffix in _PACKED else zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _add_table_row(page: Path, target: Path) -> None:
    content = target.read_bytes()
    folder = Markup("../../data/") if current_language().folder else Markup("")
    details = {"name": NAME, "folder": folder, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    row = render_fragment("components/offline_offer.html.j2", **details)
    page.write_text(page.read_text(encoding="utf-8").replace(_PLACEHOLDER, row), encoding="utf-8")
