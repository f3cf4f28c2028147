"""Every rental price on the site is a column of table rental_market: one price per GPU or model and billing on all pages.

A figure is read where a reader or a script finds it: by the ids of tables, links to GPUs and keys of columns.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from pipeline.warehouse.connection import dictionaries
from pipeline.website.writing.labels import short_gpu, words
from pipeline.website.writing.numbers import day, usd

ON_DEMAND = "on_demand"
LOW, MEDIAN, PROVIDER = "usd_per_gpu_hour_low", "usd_per_gpu_hour_median", "low_provider"
OFFERS, PROVIDERS, DATE = "n_offers", "n_providers", "low_price_date"
ANY = "any "
ASKED = "asked"  # by one provider: the lowest of all is the column LOW
RENT = "rental_usd_per_gpu_hour"  # the median, or the low below three providers
Key = tuple[str, str]  # a variant or `any_of` a model, billing
Shown = tuple[Key, str, Any]  # whose price, column of rental_market, what the page shows: a text, or the number of a script
Reader = Callable[[Path], Iterator[Shown]]
PRICE = re.compile(
    r"(\$\S+) (?:per hour,? |at )?(?:\d+-month commitment )?"
    r"(\S.*?)(?: ↗)? ?[,(]? ?(\d+ \w+ \d{4})(?:, variant not stated)?;? (?:[^:;$]+: )?"
    r"(?:median (\$\S*\d)(?:,| of) )?(?:([\d,]+) offers? of )?([\d,]+)(?: providers?|(?<= of \d)|(?<= of \d\d))"
    r"(?:; variant not stated in [\d,]+ of them)?"
)
MODEL_PRICE = re.compile(r"([a-z][a-z ]*) from (\$.*? providers?)(?:, \d+-month commitment)? ?\)")


def any_of(gpu: str) -> str:
    """The key of a GPU model, named by its id, its shown name or one of its variants."""
    return f"{ANY}{gpu}"


@cache
def models(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Every model by its id and shown name, and by those of its variants."""
    named = con.execute("SELECT gpu_model_id, gpu_model_id, name FROM gpu_model").fetchall()
    named += con.execute("SELECT gpu_model_id, gpu_id, name FROM gpu").fetchall()
    return {key: model for model, own_id, name in named for key in (own_id, short_gpu(name, ""))}


@cache
def only_variants(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The variant of each model that has one alone."""
    found = con.execute("SELECT gpu_model_id, any_value(gpu_id) FROM gpu GROUP BY gpu_model_id HAVING count(*) = 1").fetchall()
    return {any_of(model): gpu_id for model, gpu_id in found}


def is_dearer_variant(con: duckdb.DuckDBPyConnection, model: dict[str, Any]) -> bool:
    """Whether a variant of the model costs more than the model's cheapest offer, or is not offered on these terms."""
    sql = """SELECT bool_or(m.usd_per_gpu_hour_low IS NULL OR m.usd_per_gpu_hour_low > ?) FROM gpu LEFT JOIN rental_market AS m
        ON m.gpu_id = gpu.gpu_id AND (m.billing, m.shortest_commitment, m.gpus) = (?, true, 'any') WHERE gpu.gpu_model_id = ?"""
    ((found,),) = con.execute(sql, [model[LOW], model["billing"], model["gpu_model_id"]]).fetchall()
    return bool(found)


@cache
def billings(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Every billing by the words that pages use for it."""
    return {words(name).lower(): name for (name,) in con.execute("SELECT DISTINCT billing FROM rental_market").fetchall()}


@pytest.fixture(scope="module")
def market(con: duckdb.DuckDBPyConnection) -> dict[Key, dict[str, Any]]:
    """The table's rows of the shortest terms and all numbers of GPUs."""
    rows = dictionaries(con.execute("SELECT * FROM rental_market WHERE shortest_commitment AND gpus = 'any'"))
    sellers = dict(con.execute("SELECT provider_id, name FROM provider WHERE name IS NOT NULL").fetchall())
    for row in rows:
        row[PROVIDER] = sellers.get(row[PROVIDER], row[PROVIDER])
        row[RENT] = row[LOW] if row[MEDIAN] is None else row[MEDIAN]
        row["key"] = any_of(row["gpu_model_id"]) if row["gpu_id"] == "any" else row["gpu_id"]
    return {(row["key"], row["billing"]): row for row in rows}


def parsed(path: Path) -> LexborHTMLParser:
    return LexborHTMLParser(path.read_text(encoding="utf-8"))


def text_of(node: LexborNode) -> str:
    return " ".join(node.text().split())


def first(node: LexborNode, selector: str) -> LexborNode:
    found = node.css_first(selector)
    assert found is not None, selector
    return found


def gpu_of(node: LexborNode) -> str:
    """The GPU that the first link below the node leads to; the name of a model that has none."""
    link = node.css_first("a[href*='gpus/']")
    if link is None:
        return text_of(node).removesuffix("variant not stated").strip()
    return str(link.attributes["href"]).split("gpus/")[1].split("/")[0]


def spaced(node: LexborNode) -> str:
    """The text with a space between elements."""
    return " ".join(node.text(separator=" ").split())


def prices_in(key: Key, text: str) -> Iterator[Shown]:
    """The cheapest offer as a page words it, with the figures beside it; no median is an empty text."""
    found = PRICE.fullmatch(text)
    assert found, (key, text)
    low, provider, date, median, offers, providers = found.groups()
    shown_columns = {LOW: low, PROVIDER: provider, DATE: date, MEDIAN: median or "", OFFERS: offers, PROVIDERS: providers}
    yield from ((key, column, text) for column, text in shown_columns.items() if text is not None)


def value_of(cell: LexborNode) -> float | None:
    """The number that scripts read in a cell; None in an empty one."""
    text = cell.attributes.get("data-v") or text_of(cell).removeprefix("$").replace(",", "")
    return float(text) if text else None


def cells(page: LexborHTMLParser, table: str) -> Iterator[tuple[LexborNode, dict[str, LexborNode]]]:
    """Each row of a table's body with its cells by the key of their column, or else by its heading."""
    heads = [
        head.attributes.get("data-key") or text_of(head.css_first("button") or head) for head in page.css(f"#{table} thead th")
    ]
    for row in page.css(f"#{table} tbody tr"):
        by_head: dict[str, LexborNode] = {}
        for head, cell in zip(heads, row.css("th, td"), strict=True):
            by_head.setdefault(str(head), cell)
        yield row, by_head


def on_pages_of_gpus(site: Path) -> Iterator[Shown]:
    for path in (site / "gpus").glob("*/index.html"):
        page = parsed(path)
        for fact in page.css("dl.gl-facts > div"):
            billing, _, low = text_of(first(fact, "dt")).partition(", ")
            if low == "from":
                yield from prices_in((path.parent.name, billing), spaced(first(fact, "dd")))
        for paragraph in page.css("#model-market"):
            for part in MODEL_PRICE.finditer(spaced(paragraph)):
                yield from prices_in((any_of(path.parent.name), part[1]), part[2])


def in_the_list_of_gpus(site: Path) -> Iterator[Shown]:
    columns = {"rental_usd_per_gpu_hour_min": LOW, RENT: RENT, OFFERS: OFFERS, PROVIDERS: PROVIDERS}
    for row, by_key in cells(parsed(site / "gpus" / "index.html"), "gpu-table"):
        gpu_id = str(row.attributes["data-id"])
        if value_of(by_key["n_offers"]):
            yield from (((gpu_id, ON_DEMAND), column, value_of(by_key[name])) for name, column in columns.items())
            yield (gpu_id, ON_DEMAND), PROVIDER, text_of(by_key["cheapest_provider"])
        if (model_low := value_of(by_key["model_usd_per_hour"])) is not None:
            yield (any_of(gpu_id), ON_DEMAND), LOW, model_low


def on_the_page_of_prices(site: Path) -> Iterator[Shown]:
    for row, by_head in cells(parsed(site / "prices" / "index.html"), "market-table"):
        for billing, cell in list(by_head.items())[1:]:
            if text_of(cell):
                key = any_of(gpu_of(row)), billing
                yield key, LOW, value_of(cell)
                yield from prices_in(key, spaced(cell))


def on_the_page_of_value(site: Path) -> Iterator[Shown]:
    for row, by_head in cells(parsed(site / "value" / "index.html"), "value-table"):
        if text_of(by_head["Rental price"]):
            yield (gpu_of(row), ON_DEMAND), RENT, value_of(by_head["Rental price"])
            yield (gpu_of(row), ON_DEMAND), OFFERS, value_of(by_head["Offers"])


def in_the_first_offers(site: Path) -> Iterator[Shown]:
    """The list of offers as it is without scripts: the cheapest on-demand offer of each model."""
    for row, by_key in cells(parsed(site / "offers" / "index.html"), "offer-table"):
        name = gpu_of(first(row, "th"))
        yield (any_of(name), ON_DEMAND), LOW, value_of(by_key["usd_per_gpu_hour"])


def on_pages_of_providers(site: Path) -> Iterator[Shown]:
    """The prices of the shortest term that any provider offers for the GPU; a page lists each term."""
    found: list[tuple[Key, int, float | None]] = []
    for path in (site / "providers").glob("*/index.html"):
        for _, by_head in cells(parsed(path), "rival-table"):
            key = any_of(gpu_of(by_head["GPU"])), by_head["Terms"].text(deep=False).strip()
            found.append((key, months_in(text_of(by_head["Terms"])), value_of(by_head["Price here"])))
    shortest = {key: months for key, months, _ in sorted(found, key=lambda row: -row[1])}
    yield from ((key, ASKED, usd) for key, months, usd in found if months == shortest[key])


def months_in(terms: str) -> int:
    """The term of a commitment in words, such as `3 years`; 0 without one."""
    term = re.search(r"(\d+) (month|year)", terms)
    return int(term[1]) * (12 if term[2] == "year" else 1) if term else 0


def script(path: Path) -> dict[str, dict[str, list[Any]]]:
    """The tables of a script of data, by columns."""
    tables: dict[str, dict[str, list[Any]]] = json.loads(path.read_text(encoding="utf-8").partition("= ")[2].rstrip(";\n"))
    return tables


def rows_of(columns: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    yield from (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def in_the_data_of_recommendations(site: Path) -> Iterator[Shown]:
    tables = script(site / "assets" / "recommend-data.js")
    for row in rows_of(tables["offer_current"]):
        if row["acquisition"] == "rent" and not row["stale"]:
            variant = tables["gpu"]["gpu_id"][row["gpu_id"]]  # the weakest, where the offer states none
            yield (any_of(variant), words(row["billing"] or "not stated")), ASKED, row["usd"]


def in_the_data_of_calculators(site: Path) -> Iterator[Shown]:
    for row in rows_of(script(site / "assets" / "calculators-data.js")["gpu"]):
        if row["median_usd"] is not None:
            yield (row["gpu_id"], ON_DEMAND), RENT, row["median_usd"]
            yield (row["gpu_id"], ON_DEMAND), OFFERS, row["n_offers"]


OF_VARIANTS = (on_pages_of_gpus, in_the_list_of_gpus, in_the_data_of_calculators)
OF_MODELS = (
    on_pages_of_gpus,
    in_the_list_of_gpus,
    on_the_page_of_prices,
    on_pages_of_providers,
    in_the_first_offers,
    in_the_data_of_recommendations,
)
EVERY_BILLING = (on_pages_of_gpus, on_the_page_of_prices, on_pages_of_providers, in_the_data_of_recommendations)
READERS = list(dict.fromkeys((*OF_VARIANTS, *OF_MODELS)))
SOME_GPUS = (on_the_page_of_value,)  # those with a known speed


@cache
def read_figures(reader: Reader, site: Path, con: duckdb.DuckDBPyConnection) -> list[Shown]:
    """The figures of one place, with billings and models by their names in the table."""
    known, named = billings(con), models(con)

    def key_of(gpu: str, billing: str) -> Key:
        subject = any_of(named[gpu.removeprefix(ANY)]) if gpu.startswith(ANY) else gpu
        return subject, known.get(billing.lower(), billing)

    found = [(key_of(*key), column, value) for key, column, value in reader(site)]
    lowest: dict[Key, float] = {}
    for key, column, value in found:
        if column == ASKED:
            lowest[key] = min(value, lowest.get(key, value))
    return [one for one in found if one[1] != ASKED] + [(key, LOW, value) for key, value in lowest.items()]


def as_shown(column: str, value: Any) -> str:
    """A figure of the table as text on a page; nothing for a median that the table does not have."""
    if value is None:
        return ""
    if column == DATE:
        return str(day(value))
    return str(usd(value)) if column in {LOW, MEDIAN, RENT} else f"{value:,}" if isinstance(value, int) else str(value)


@pytest.mark.parametrize("reader", [*READERS, *SOME_GPUS], ids=lambda reader: reader.__name__)
def test_every_rental_price_is_that_of_the_table(
    site: Path, con: duckdb.DuckDBPyConnection, market: dict[Key, dict[str, Any]], reader: Reader
) -> None:
    found = read_figures(reader, site, con)
    assert len(found) > 30
    for key, column, value in found:
        expected = market[key][column]
        if isinstance(value, str):
            assert value == as_shown(column, expected), (key, column)
        else:
            assert value == pytest.approx(expected, rel=1e-6), (key, column)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
def test_no_gpu_with_a_rental_price_is_left_out(
    site: Path, con: duckdb.DuckDBPyConnection, market: dict[Key, dict[str, Any]], reader: Reader
) -> None:
    wanted = {key for key in market if reader in (OF_MODELS if key[0].startswith(ANY) else OF_VARIANTS)}
    if reader not in EVERY_BILLING:
        wanted = {key for key in wanted if key[1] == ON_DEMAND}
    if reader is on_pages_of_gpus:  # a page has the price of the model where it is lower than that of the variant
        wanted = {key for key in wanted if not key[0].startswith(ANY) or is_dearer_variant(con, market[key])}
    assert {key for key, _, _ in read_figures(reader, site, con)} == wanted


@pytest.mark.parametrize("gpu_id", ["nvidia-gh200-96gb", "nvidia-l40s-48gb", "nvidia-rtx-a6000-48gb"])
def test_a_gpu_has_one_on_demand_median_everywhere(site: Path, con: duckdb.DuckDBPyConnection, gpu_id: str) -> None:
    readers = [on_pages_of_gpus, in_the_list_of_gpus, on_the_page_of_value, in_the_data_of_calculators]
    subjects = {gpu_id, *(model for model, variant in only_variants(con).items() if variant == gpu_id)}
    if len(subjects) > 1:
        readers.append(on_the_page_of_prices)
    found = [
        {value if isinstance(value, str) else str(usd(value)) for (gpu, billing), name, value in read_figures(reader, site, con)
         if gpu in subjects and billing == ON_DEMAND and name in {MEDIAN, RENT}}
        for reader in readers
    ]  # fmt: skip
    assert all(len(values) == 1 for values in found), found
    assert len(set.union(*found)) == 1, found


@pytest.mark.parametrize("model", ["nvidia-h100", "nvidia-a100", "nvidia-l40s"])
def test_a_model_has_one_on_demand_low_everywhere(site: Path, con: duckdb.DuckDBPyConnection, model: str) -> None:
    subject = only_variants(con).get(any_of(model), any_of(model))
    found = [
        {value if isinstance(value, str) else str(usd(value)) for (gpu, billing), name, value in read_figures(reader, site, con)
         if gpu in {any_of(model), subject} and billing == ON_DEMAND and name == LOW}
        for reader in OF_MODELS
    ]  # fmt: skip
    assert all(len(values) == 1 for values in found), found
    assert len(set.union(*found)) == 1, found


def test_the_market_and_the_rankings_count_the_same_offers(con: duckdb.DuckDBPyConnection) -> None:
    """The lowest price of a variant in rental_market is the one that workloads and language models are ranked with."""
    rows = con.execute("""
        SELECT gpu_id, usd_per_gpu_hour_low, w.usd, l.usd FROM rental_market
        LEFT JOIN (SELECT DISTINCT gpu_id, cheapest_usd_per_gpu_hour AS usd FROM workload_cost) AS w USING (gpu_id)
        LEFT JOIN (
            SELECT DISTINCT gpu_id, usd_per_hour AS usd FROM llm_cost
            WHERE (priced_by, billing, gpu_count) = ('gpu', 'on_demand', 1) AND NOT price_stale
        ) AS l USING (gpu_id)
        WHERE gpu_id <> 'any' AND (billing, commitment, gpus) = ('on_demand', 'any', 'single')
    """).fetchall()
    assert sum(workload is not None for _, _, workload, _ in rows) > 20
    assert sum(model is not None for *_, model in rows) > 20
    assert [row for row in rows if {low for low in row[1:] if low is not None} != {row[1]}] == []
