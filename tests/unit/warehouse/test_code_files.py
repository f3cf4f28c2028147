"""The files of code that a module depends on, and the versions of database and site made of them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster import AssetKey

from pipeline.orchestration import table_assets
from pipeline.orchestration.publication_assets import data_code, site_code
from pipeline.orchestration.source_assets import rows_key, source_assets
from pipeline.prices import normalize
from pipeline.uploads.load_accepted import parser_hash
from pipeline.warehouse import build_records, code_files
from pipeline.warehouse.code_files import imported_files, imported_names


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project of modules that import one another in every form."""
    texts = {
        "pipeline/__init__.py": "",
        "pipeline/first.py": "from pipeline import second\n",
        "pipeline/second.py": "def work():\n    import pipeline.folder.third\n",
        "pipeline/folder/__init__.py": "",
        "pipeline/folder/third.py": "from pipeline.fourth import (\n    one,\n    two,\n)\nimport pipeline.second, json\n",
        "pipeline/fourth.py": "import sources.fifth\none = two = 1\n",
        "pipeline/unused.py": "import pipeline.first\n",
        "sources/fifth.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(code_files, "ROOT", tmp_path)
    imported_files.cache_clear()
    yield tmp_path
    imported_files.cache_clear()


def test_imports_are_followed_through_other_modules(project: Path) -> None:
    everything = {str(path.relative_to(project)) for path in project.rglob("*.py")}
    assert set(imported_files("pipeline/first.py")) == everything - {"pipeline/unused.py"}


def test_other_packages_are_left_out(project: Path) -> None:
    assert "sources/fifth.py" not in imported_files("pipeline/first.py", packages=("pipeline",))


def test_every_import_of_the_project_is_found() -> None:
    for package in code_files.PROJECT:
        for path in (code_files.ROOT / package).rglob("*.py"):
            text = path.read_text()
            missed = set(names_that_python_imports(text)) - set(imported_names(text))
            assert not missed, f"{path}: {missed}"


def names_that_python_imports(text: str) -> Iterator[str]:
    """Names by Python's own parser."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_the_files_of_a_folder_are_those_of_all_its_modules(project: Path) -> None:
    assert "pipeline/unused.py" in imported_files("pipeline")


def row_code() -> str | None:
    """Version of the code of the rows of one source of prices."""
    specs = {spec.key: spec for assets in source_assets() for spec in assets.specs}
    return specs[rows_key("azure_retail")].code_version


def table_code() -> str | None:
    """Version of the code of a table that SQL computes."""
    return code_of("spec_coverage")


def model_code() -> str | None:
    """Version of the code of a table of the speeds of language models."""
    return code_of("llm_speed")


def upload_code() -> str | None:
    """Version of the code of a table of uploads."""
    return code_of("measurement")


def code_of(table: str) -> str | None:
    specs = {spec.key: spec for assets in table_assets.table_assets() for spec in assets.specs}
    return specs[AssetKey(table)].code_version


# each is imported through another module, by a page for example, or read as SQL
@pytest.mark.parametrize(
    ("version", "file"),
    [
        (site_code, "pipeline/gpu_identity/tokens.py"),
        (site_code, "pipeline/readers/text.py"),
        (site_code, "pipeline/website/components/price_chart/price_lines.py"),
        (data_code, "pipeline/readers/numbers.py"),
        (data_code, "pipeline/files.py"),
        (data_code, "pipeline/schema/core.py"),
        (row_code, "pipeline/warehouse/gpu_labels.py"),
        (row_code, "pipeline/macros/machine_key.sql"),
        (row_code, "pipeline/prices/reject_rules.sql"),
        (row_code, "pipeline/readers/strict_json.py"),
        (table_code, "pipeline/warehouse/violations.py"),
        (table_code, "pipeline/schema/checks.py"),
        (model_code, "pipeline/warehouse/frames.py"),
        (model_code, "pipeline/warehouse/connection.py"),
        (upload_code, "sources/inference/llm_model_configs.py"),
        (parser_hash, "pipeline/schema/core.py"),
        (parser_hash, "benchmarks/formats/nvbandwidth.py"),
    ],
)
def test_an_edit_of_a_module_that_is_imported_through_others_changes_the_version(version, file, monkeypatch):
    before, hash_of = version(), build_records.hash_file
    _forget()
    edited = code_files.ROOT / file
    monkeypatch.setattr(build_records, "hash_file", lambda path: hash_of(path) + "edited" * (path == edited))
    assert version() != before
    _forget()


def _forget():
    build_records.code_version.cache_clear()
    normalize.code.cache_clear()
