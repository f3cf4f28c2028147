"""The texts about a release that others read: they are valid, name what is there, and their queries answer."""

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pytest
import yaml
from huggingface_hub import DatasetCard

from pipeline.release import cards
from tests.command import ROOT

CARD_SCHEMA = {  # github.com/huggingface/hub-docs, datasetcard.md: what the viewer of a dataset needs
    "type": "object",
    "additionalProperties": False,
    "required": ["pretty_name", "license", "size_categories", "configs"],
    "properties": {
        "pretty_name": {"type": "string"},
        "license": {"const": "cc-by-sa-4.0"},
        "language": {"type": "array", "items": {"pattern": "^[a-z]{2}$"}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "size_categories": {"type": "array", "items": {"pattern": r"^(n<1K|\d+[KMB]<n<\d+[KMB])$"}},
        "configs": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["config_name", "data_files"],
                "properties": {
                    "config_name": {"pattern": r"^\w+$"},
                    "default": {"const": True},
                    "data_files": {"type": "array", "items": {"required": ["split", "path"]}},
                },
            },
        },
    },
}
DEPOSIT_SCHEMA = {  # developers.zenodo.org, deposit metadata
    "type": "object",
    "additionalProperties": False,
    "required": ["upload_type", "publication_date", "title", "creators", "description", "access_right", "license"],
    "properties": {
        "upload_type": {"enum": ["publication", "poster", "presentation", "dataset", "image", "video", "software", "other"]},
        "publication_date": {"type": "string", "format": "date"},
        "title": {"type": "string", "minLength": 3},
        "creators": {"type": "array", "minItems": 1, "items": {"type": "object", "required": ["name"]}},
        "description": {"type": "string", "minLength": 3},
        "access_right": {"enum": ["open", "embargoed", "restricted", "closed"]},
        "license": {"const": "CC-BY-SA-4.0"},
        "keywords": {"type": "array", "items": {"type": "string"}},
        "version": {"pattern": r"^\d+\.\d+\.\d+$"},
        "language": {"pattern": "^[a-z]{3}$"},
        "notes": {"type": "string"},
    },
}
QUERY = re.compile(r"^([A-Z][^\n]*\?)\n\n```sql\n(.*?)```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def card(release: Path) -> DatasetCard:
    return DatasetCard.load(release / cards.CARD)


@pytest.fixture(scope="module")
def skill(release: Path) -> str:
    return (release / cards.SKILL).read_text(encoding="utf-8")


def validate(value: Any, schema: dict[str, Any]) -> None:
    jsonschema.validate(value, schema, format_checker=jsonschema.FormatChecker())


def test_the_dataset_card_has_a_valid_header(card: DatasetCard) -> None:
    validate(card.data.to_dict(), CARD_SCHEMA)


def test_the_dataset_card_names_the_tables_and_their_files(
    card: DatasetCard, release: Path, con: duckdb.DuckDBPyConnection
) -> None:
    files = {one["config_name"]: one["data_files"][0]["path"] for one in card.data.to_dict()["configs"]}
    assert [path for path in files.values() if not (release / path).is_file()] == []
    rows = {
        name: con.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0]
        for (name,) in con.execute("SELECT table_name FROM table_dictionary").fetchall()
    }
    assert files.keys() == {name for name, count in rows.items() if count}
    assert f"{len(rows)} tables, {sum(rows.values()):,} rows" in card.text
    assert [one["config_name"] for one in card.data.to_dict()["configs"] if one.get("default")] == ["gpu"]


@pytest.mark.parametrize(
    ("rows", "category"), [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (428_329, "100K<n<1M"), (10**6, "1M<n<10M")]
)
def test_the_size_of_a_dataset_card_is_its_number_of_rows(rows: int, category: str) -> None:
    assert cards.size_category(rows) == category


def test_the_metadata_of_a_deposit_are_valid_and_agree_with_the_citation(release: Path) -> None:
    found = json.loads((release / cards.DEPOSIT).read_text(encoding="utf-8"))
    validate(found, DEPOSIT_SCHEMA)
    cited = yaml.safe_load((release / "CITATION.cff").read_text(encoding="utf-8"))
    assert (found["license"], found["version"]) == (cited["license"], cited["version"])
    assert (found["publication_date"], found["keywords"]) == (str(cited["date-released"]), cited["keywords"])
    assert [one["name"] for one in found["creators"]] == [one["name"] for one in cited["authors"]]


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("- Language models: {} models", "SELECT count(*) FROM llm_model"),
        ("models, {} of them with their configuration", "SELECT count(n_layers) FROM llm_model"),
        ("{} measured runs (llama.cpp", "SELECT count(*) FROM llm_measurement"),
        ("Measured training throughput of {} GPUs", "SELECT count(DISTINCT gpu_id) FROM training_throughput"),
        ("{} outputs of Spare Cores", "SELECT count(*) FROM upload WHERE measured_by = 'Spare Cores'"),
    ],
)
def test_the_readme_of_the_repository_counts_what_the_tables_have(text: str, sql: str, con: duckdb.DuckDBPyConnection) -> None:
    ((count,),) = con.execute(sql).fetchall()
    assert text.format(f"{count:,}") in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_skill_has_the_header_that_agents_read(skill: str) -> None:
    header = yaml.safe_load(skill.split("---\n")[1])
    assert re.fullmatch(r"[a-z0-9-]{1,64}", header["name"])
    assert 100 < len(header["description"]) <= 1024


def test_each_of_the_ten_queries_of_the_skill_has_rows(skill: str, con: duckdb.DuckDBPyConnection) -> None:
    queries = QUERY.findall(skill)
    assert len(queries) == 10
    assert [question for question, sql in queries if not con.execute(sql).fetchall()] == []


def test_a_query_of_the_skill_that_names_a_gpu_and_its_seller_says_whether_the_seller_does(
    skill: str, con: duckdb.DuckDBPyConnection
) -> None:
    answers = {question: set(con.sql(sql).columns) for question, sql in QUERY.findall(skill)}
    named = {
        question: columns for question, columns in answers.items() if "provider" in columns and columns & {"name", "gpu_name"}
    }
    assert len(named) == 4
    assert [question for question, columns in named.items() if not columns & {"unstated", "variant_stated"}] == []


def test_the_listings_to_choose_from_have_the_prices_after_a_jump_as_the_skill_says(
    skill: str, con: duckdb.DuckDBPyConnection
) -> None:
    assert "A price after a jump counts." in skill
    flags = "SELECT DISTINCT unnest(string_split(l.flags, ',')) FROM offer_current JOIN offer_listing AS l USING (observation_id)"
    found = {flag for (flag,) in con.execute(flags).fetchall()}
    assert "JUMP" in found
    assert found <= {"JUMP", "STALE", "CPU_STARVED", "CONFLICT"}


def test_no_column_of_a_query_of_the_skill_is_empty_throughout(skill: str, con: duckdb.DuckDBPyConnection) -> None:
    """A join over another name of a provider gave offers without an address, in every row."""
    empty = []
    for question, sql in QUERY.findall(skill):
        answer = con.execute(sql)
        names, rows = [column[0] for column in answer.description or []], answer.fetchall()
        empty += [
            (question, name)
            for name, values in zip(names, zip(*rows, strict=True), strict=True)
            if not any(v is not None for v in values)
        ]
    assert empty == []


def test_the_skill_finds_the_lowest_cost_of_a_model_without_ranks(skill: str, con: duckdb.DuckDBPyConnection) -> None:
    """All predictions of the model are too wide for a rank: sorted by it, the answer was in no order."""
    (sql,) = (sql for question, sql in QUERY.findall(skill) if "70B model at the lowest cost" in question)
    least = "SELECT min(usd_per_million_output_tokens) FROM llm_rank WHERE llm_model_id = 'llama-3.3-70b' AND use = 'chat'"
    assert (
        con.execute(f"SELECT usd_per_million_output_tokens FROM ({sql.rstrip().rstrip(';')})").fetchall()[0]
        == (con.execute(least).fetchall()[0])
    )


def test_tables_and_columns_that_the_skill_names_exist(skill: str, con: duckdb.DuckDBPyConnection) -> None:
    objects = """
        SELECT table_name FROM table_dictionary UNION SELECT column_name FROM column_dictionary
        UNION SELECT function_name FROM function_dictionary
    """
    known = {name for (name,) in con.execute(objects).fetchall()} | {"_low", "_high", "any", "flags"}
    prose = re.sub(r"```.*?```", "", skill, flags=re.DOTALL)
    named = {name for code in re.findall(r"`([^`]+)`", prose) for name in re.findall(r"^\w+$", code.split("(")[0].split(".")[-1])}
    assert named - known - {"duckdb", "parquet", "any"} == set()
