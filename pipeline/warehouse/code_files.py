"""Files of Python code that a module depends on, read from its imports."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pipeline.paths import ROOT

PROJECT = ("pipeline", "sources", "benchmarks")
# a pattern, since parsing all modules takes seconds in each command that builds; a test compares both
_IMPORT = re.compile(r"^[ \t]*(?:from +([\w.]+) +import +(\([^)]*\)|.+)|import +(.+))", re.MULTILINE)
_NAME = re.compile(r"[\w.]+")
_COMMENT = re.compile(r"#.*")


@cache
def imported_files(*starts: str, packages: tuple[str, ...] = PROJECT) -> tuple[str, ...]:
    """Return the modules at or below the paths `starts`, and all that they import from `packages`, directly or through others.

    Paths are relative to the project's folder. A module that a name of the result only finds at run time is no import.
    Files are read once per process.
    """
    files: set[Path] = set()
    paths = [ROOT / start for start in starts]
    new = {file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))}
    while new:
        files |= new
        new = {found for file in new for name, found in _imports(file) if name.startswith(packages)} - files
    return tuple(sorted(str(file.relative_to(ROOT)) for file in files))


@cache
def _imports(file: Path) -> frozenset[tuple[str, Path]]:
    """Names and files of the project's modules that the file imports anywhere, with the packages around them."""
    parts = (name.split(".") for name in imported_names(file.read_text(encoding="utf-8")))
    names = {".".join(name[:end]) for name in parts if name[0] in PROJECT for end in range(1, len(name) + 1)}
    return frozenset((name, found) for name in names if (found := _file_of(name)))


def imported_names(text: str) -> Iterator[str]:
    """Yield the full name of all that a module imports, at any depth; after `as` too, which names no module."""
    for source, names, modules in _IMPORT.findall(_COMMENT.sub("", text)):
        if source:
            yield source
        for name in _NAME.findall(names or modules):
            yield f"{source}.{name}" if source else name


def _file_of(name: str) -> Path | None:
    """Return the file of a module or package of the project; None for the name of anything else."""
    path = ROOT.joinpath(*name.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)
