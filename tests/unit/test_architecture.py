"""Files, folders and functions that the architecture page, README, CONTRIBUTING, docstrings and comments name exist."""

import itertools
import re
from pathlib import Path

import pytest

from pipeline.warehouse import sql_models
from tests.command import ROOT

PAGE = ROOT / "site" / "docs" / "architecture.md"
STEP = re.compile(r"^\d+\. `(?P<path>[\w/.]+\.(?:py|sql))(?:: (?P<function>\w+))?`", re.MULTILINE)
STEPS = [(match["path"], match["function"]) for match in STEP.finditer(PAGE.read_text(encoding="utf-8"))]
PLACE = re.compile(r"`((?:pipeline|sources|benchmarks|data|site|tests)/[\w./-]*)`")
ABSENT = ("data/build", "site/languages/CODE.po")  # what a build makes, and an example
TEXTS = [path.read_text(encoding="utf-8") for path in (PAGE, ROOT / "CONTRIBUTING.md", ROOT / "README.md")]
PLACES = {place for text in TEXTS for place in PLACE.findall(text) if not place.startswith(ABSENT)}


@pytest.mark.parametrize(("path", "function"), sorted(set(STEPS), key=str))
def test_every_step_of_a_walk_exists(path: str, function: str | None) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert function is None or re.search(rf"^\s*def {function}\b", text, re.MULTILINE)


def test_each_sql_step_reads_the_table_of_the_step_before() -> None:
    tables = [Path(path).stem for path, _ in STEPS if path.startswith("pipeline/metrics/prices/")]
    assert len(tables) == 7
    metrics = sql_models.metrics()
    assert all(before in metrics[table].reads for before, table in itertools.pairwise(tables))


@pytest.mark.parametrize("place", sorted(PLACES))
def test_every_place_that_the_page_the_readme_or_contributing_names_exists(place: str) -> None:
    assert (ROOT / place).exists()


FILE = re.compile(r"`([\w.-]+(?:/[\w.-]+)+\.(?:css|js|md|py|sql|toml))`")
IN_THE_SITE = {"assets/words.js"}  # a build writes it


@pytest.mark.parametrize("folder", ["pipeline", "sources", "benchmarks", "tests", "site/docs/assets"])
def test_every_file_that_code_names_exists(folder: str) -> None:
    code = [path for path in (ROOT / folder).rglob("*") if path.suffix in {".j2", ".js", ".py", ".sql"}]
    named = {(path.name, name) for path in code for name in FILE.findall(path.read_text(encoding="utf-8"))}
    assert [(path, name) for path, name in sorted(named) if name not in IN_THE_SITE and not (ROOT / name).exists()] == []


LONGEST = {"price": 40, "upload": 28, "metric": 15}


def test_the_page_states_the_length_of_each_walk() -> None:
    walks = PAGE.read_text(encoding="utf-8").split("## Three walks")[1].split("\n## ")[0].split("### ")[1:]
    lengths = [len(STEP.findall(walk)) for walk in walks]
    stated = re.search(r"value: (\d+), (\d+) and (\d+) steps", PAGE.read_text(encoding="utf-8"))
    assert stated
    assert lengths == [int(length) for length in stated.groups()]
    assert all(length <= most for length, most in zip(lengths, LONGEST.values(), strict=True))
