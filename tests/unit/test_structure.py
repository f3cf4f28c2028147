"""Structure of the project: direction of imports, size of folders, private names, and true declarations."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from pipeline import paths
from pipeline.fetch import snapshots
from pipeline.schema import RECORDS
from pipeline.website.pages import KINDS
from sources import Accepted, discover
from tests.command import ROOT

# From the bottom up: a package or module may import itself and what is in the lines above it, nothing beside or below it.
LAYERS = [
    ("pipeline.errors", "pipeline.paths", "pipeline.files", "pipeline.interrupts", "pipeline.spreadsheets", "pipeline.readers"),
    ("pipeline.build_lock", "pipeline.schema", "pipeline.gpu_identity"),
    ("sources", "benchmarks.suite.result"),
    ("benchmarks.suite.result_schema",),
    ("benchmarks.formats",),
    ("benchmarks.suite", "pipeline.fetch"),
    ("pipeline.warehouse",),
    ("pipeline.uploads",),
    ("pipeline.prices",),
    ("pipeline.performance", "pipeline.llm", "pipeline.claims"),
    ("pipeline.recommend",),
    ("pipeline.tables",),
    ("pipeline.release",),
    ("pipeline.publishing", "pipeline.aggregate"),
    ("pipeline.website.i18n",),
    ("pipeline.website.charts",),
    ("pipeline.website.writing",),
    ("pipeline.website.components",),
    ("pipeline.website.pages",),
    ("pipeline.website",),
    ("pipeline.orchestration",),
    ("pipeline.definitions", "pipeline.cli"),
    ("pipeline.__main__", "benchmarks.project"),
    ("benchmarks.project.faults",),
]
MOST_MODULES = 15
REGISTRIES = {"sources/prices", "benchmarks/formats"}  # one module per source and per format
LONG_HISTORY = {ROOT / "data/raw/gcosts/gcp_gpu_2022_2026.csv"}  # five years of prices in one carried-over file
WITHOUT_PUBLIC_NAME = {"torch._int_mm", "torch._scaled_mm", "nn.modules.batchnorm._BatchNorm"}
OURS = ("pipeline", "sources", "benchmarks")


def place(module: str) -> tuple[int, str]:
    """Layer of a module, and the entry of LAYERS that it belongs to: the longest that fits. Raises ValueError if none does."""
    fits = [(len(name), n, name) for n, names in enumerate(LAYERS) for name in names if f"{module}.".startswith(f"{name}.")]
    _, number, entry = max(fits)
    return number, entry


def may_import(module: str, name: str) -> bool:
    """Tell whether the layers allow the import."""
    (ours, mine), (theirs, other) = place(module), place(name)
    return theirs < ours or mine == other


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Every module of the project by its name, parsed once for all tests."""
    paths = (path for package in OURS for path in sorted((ROOT / package).rglob("*.py")))
    return [(name_of(path.relative_to(ROOT).with_suffix("").parts), ast.parse(path.read_text())) for path in paths]


def name_of(parts: tuple[str, ...]) -> str:
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_module_is_on_a_layer() -> None:
    entries = tuple(f"{name}." for names in LAYERS for name in names)
    assert [module for module, _ in modules() if module not in OURS and not f"{module}.".startswith(entries)] == []


def test_imports_run_one_way() -> None:
    found = ((module, name) for module, tree in modules() for name in imports(tree))
    ours = ((module, name) for module, name in found if name.split(".")[0] in OURS and name not in OURS)
    assert [f"{module} imports {name}" for module, name in ours if not may_import(module, name)] == []


def test_readers_import_nothing_else_of_the_project() -> None:
    names = {name for module, tree in modules() if module.startswith("pipeline.readers") for name in imports(tree)}
    assert not [name for name in names if name.split(".")[0] in OURS and not name.startswith("pipeline.readers")]


def test_dagster_is_imported_by_the_orchestration_alone() -> None:
    using = {module for module, tree in modules() if any(name.split(".")[0] == "dagster" for name in imports(tree))}
    allowed = ("pipeline.orchestration", "pipeline.definitions", "benchmarks.project.prices")
    assert [module for module in using if not module.startswith(allowed)] == []


def private_names(tree: ast.Module) -> Iterator[str]:
    """Names with a leading underscore that the module imports from elsewhere or reads of another object."""
    yield from (name for name in imports(tree) if any(re.match("_[^_]", part) for part in name.split(".")))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and re.match("_[^_]", node.attr) and node.attr != "_asdict":  # of named tuples: public
            owner = ast.unparse(node.value)
            yield from () if owner in {"self", "cls"} else (f"{owner}.{node.attr}",)


def test_no_module_reads_private_names_of_others() -> None:
    found = [f"{module}: {name}" for module, tree in modules() for name in private_names(tree) if name not in WITHOUT_PUBLIC_NAME]
    assert found == []


def test_folders_are_small() -> None:
    folders = Counter(path.parent.relative_to(ROOT).as_posix() for package in OURS for path in (ROOT / package).rglob("*.py"))
    modules_in = {folder: files - 1 for folder, files in folders.items() if folder not in REGISTRIES}  # but __init__
    assert {folder: n for folder, n in modules_in.items() if n > MOST_MODULES} == {}


def test_every_kind_of_page_is_a_module_that_writes() -> None:
    for kind in KINDS:
        assert callable(import_module(f"pipeline.website.pages.{kind}.page").write)


def test_lines_of_templates_are_short() -> None:
    templates = [*(ROOT / "pipeline").rglob("*.j2"), *(ROOT / "site" / "overrides").rglob("*.html")]
    assert [str(path) for path in templates for line in path.read_text().splitlines() if len(line) >= 150] == []


@pytest.mark.slow
def test_the_pipeline_runs_without_torch() -> None:
    code = "import sys, pipeline.cli, pipeline.definitions; pipeline.definitions.defs(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("source_id", sorted(discover()))
def test_a_source_yields_what_it_declares(source_id: str) -> None:
    parser = discover()[source_id]
    items = [item for file in snapshots.stored_files(parser.SOURCE, paths.DATA) for item in parser.parse(file.document())]
    found = {type(item.row) for item in items if isinstance(item, Accepted)}
    assert found == set(parser.SOURCE.yields) or (parser.SOURCE.kind == "prices" and not items)
    assert found <= set(RECORDS.values())


def test_every_column_says_what_it_means() -> None:
    silent = [f"{t.name}.{c.name}" for t in (r.__table__ for r in RECORDS.values()) for c in t.columns if len(c.col.text) < 3]
    assert silent == []


def test_no_file_names_a_machine_path_or_is_huge() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    files = [ROOT / name for name in tracked.split("\0") if name]
    if not files:
        pytest.skip("not a git checkout: nothing to list")
    assert [str(f) for f in files if f.exists() and f.stat().st_size > (5_000_000 if f in LONG_HISTORY else 2_000_000)] == []
    machine_path = re.compile(r"(^|[^\w.])/(work|home|root|Users)/\w")
    texts = [f for f in files if f.exists() and f.suffix in (".py", ".sql", ".md", ".toml", ".yml", ".js", ".css", ".j2")]
    assert [str(f) for f in texts if machine_path.search(f.read_text())] == []
    assert sum(f.stat().st_size for f in files if f.exists()) < 40_000_000


def test_every_stored_file_belongs_to_a_source() -> None:
    folders = {paths.DATA / parser.SOURCE.snapshot_folder for parser in discover().values()}
    stored: list[Path] = [p for kind in ("raw", "specs", "names") for p in (paths.DATA / kind).rglob("*") if p.is_file()]
    assert [str(p) for p in stored if not any(p.is_relative_to(folder) for folder in folders)] == []
