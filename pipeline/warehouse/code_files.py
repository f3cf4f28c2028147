"""Files of Python code that a module depends on, read from its imports."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pipeline.paths import ROOT

PROJECT = ("pipeline", "sources", "benchmarks")


def imported_files(*starts: str, packages: tuple[str, ...] = PROJECT) -> list[str]:
    """Return the modules at or below the paths `starts`, and all that they import from `packages`, directly or through others.

    Paths are relative to the project's folder. A module that a name of the result only finds at run time is no import.
    """
    files: set[Path] = set()
    new = {file for start in starts for file in _modules_below(ROOT / start)}
    while new:
        files |= new
        new = {
            found for file in new for name in _imports(file) if name.startswith(packages) and (found := _file_of(name))
        } - files
    return sorted(str(file.relative_to(ROOT)) for file in files)


def _modules_below(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


@cache
def _imports(file: Path) -> frozenset[str]:
    """Names that the file imports anywhere: of modules, of the packages around them, and of what they contain."""
    parts = (name.split(".") for name in _names(ast.parse(file.read_bytes())))
    return frozenset(".".join(name[:end]) for name in parts for end in range(1, len(name) + 1))


def _names(tree: ast.Module) -> Iterator[str]:
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements below a module or statement, at any depth; no import is inside an expression."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, field, ()):
            yield child
            yield from _statements(child)


def _file_of(name: str) -> Path | None:
    """Return the file of a module or package of the project; None for the name of anything else."""
    path = ROOT.joinpath(*name.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)
