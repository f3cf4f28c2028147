"""The edition of the site that is read from disk: one zip file of everything, whose search needs no server.

Its pages are those of the site, framed by MkDocs with `site/offline.yml`. What stands on them belongs in `pipeline.pages`.
"""

import datetime as dt
import hashlib
import shutil
import zipfile
from pathlib import Path

from markupsafe import Markup

from pipeline import vendored
from pipeline.language import ENGLISH, speaking, spoken, translations
from pipeline.pages.rendering import fragment

CONFIG = "offline.yml"
NAME = "gpuledger-site.zip"
_FOLDER = Path(NAME).stem  # of what is unpacked
_OFFER = "<!-- offline edition -->"  # where the data page names the file, once it is made
FOR_HOSTS = {("assets", "duckdb"), ("assets", "share")}  # browsers start no engine of a page on disk, and nobody links to one
_PACKED = {".gz", ".parquet", ".png"}


def possible() -> bool:
    """Whether the edition can be made: not where this copy is built without packages from npm."""
    return vendored.shim() is not None


def prepare(docs: Path) -> None:
    """Lay what the pages need on disk beside them."""
    shim = vendored.shim()
    if shim is None:
        return
    target = docs / "assets" / "vendor" / "iframe-worker.js"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(shim, target)
    shutil.copyfile(shim.parent.parent / "LICENSE", target.with_name("iframe-worker-licence.txt"))


def pack(site: Path, edition: Path, as_of: dt.date) -> None:
    """Write the zip file below `site/data` and name it on the data page.

    It holds the files of `edition`, and of `site` those that the edition lacks: the data and the scripts made beside MkDocs.
    """
    target = site / "data" / NAME
    found = {path.relative_to(folder): path for folder in (site, edition) for path in folder.rglob("*") if path.is_file()}
    files = {name: path for name, path in found.items() if name.parts[:2] not in FOR_HOSTS}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in sorted(files.items()):
            archive.writestr(_entry(name, as_of), path.read_bytes())
    for one in (ENGLISH, *translations()):
        with speaking(one):
            _offer(site / one.folder / "data" / "index.html", target)


def _entry(name: Path, as_of: dt.date) -> zipfile.ZipInfo:
    """The same bytes for the same files: dated by the data, not by the clock."""
    entry = zipfile.ZipInfo(f"{_FOLDER}/{name.as_posix()}", as_of.timetuple()[:6])
    entry.compress_type = zipfile.ZIP_STORED if name.suffix in _PACKED else zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _offer(page: Path, target: Path) -> None:
    content = target.read_bytes()
    folder = Markup("../../data/") if spoken().folder else Markup("")
    told = {"name": NAME, "folder": folder, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    row = fragment("offline_offer.html.j2", **told)
    page.write_text(page.read_text(encoding="utf-8").replace(_OFFER, row), encoding="utf-8")
