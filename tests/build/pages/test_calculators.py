"""The calculators before a script runs: the guides' worked examples, and data that are those of the command and the tables."""

import html
import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipeline.website.pages.break_even import page as break_even_page
from pipeline.website.writing import numbers
from pipeline.website.writing.labels import short_gpu
from tests.build.pages.site_pages import text_of, write_pages
from tests.command import gpuledger


def spots(site: Path, page: str) -> dict[str, str]:
    """The texts of a page's spots by their name."""
    text = (site / page / "index.html").read_text()
    return {name: html.unescape(found) for name, found in re.findall(r'data-text="([^"]+)">([^<]*)<', text)}


RENTED = r"^--cloud (\S+): (.+?) from (.+), (\d{4}-\d\d-\d\d)"
BOUGHT = r"^--purchase \S+: 1 x (\S+) USD \((.+?) from (.+?), (\d{4}-\d\d-\d\d)"


def price_in_words(said: str, pattern: str) -> tuple[str, ...]:
    """Price, kind, seller's name and day that the command states for the rent or the GPU."""
    found = re.search(pattern, said, re.MULTILINE)
    assert found, said
    return found.groups()


@pytest.fixture(scope="module")
def gpus(site: Path) -> dict[str, dict[str, Any]]:
    """Rows that the calculators copy from, by GPU."""
    text = (site / "assets" / "calculators-data.js").read_text()
    columns = json.loads(text.partition(" = ")[2].rstrip(";\n"))["gpu"]
    return {gpu_id: {name: values[at] for name, values in columns.items()} for at, gpu_id in enumerate(columns["gpu_id"])}


def test_rent_or_buy_begins_with_the_newest_gpu_that_has_both_prices(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = spots(site, "break-even")
    days, purchase, saved, gpu_id, name = con.execute(
        "SELECT b.break_even_days, b.purchase_usd, b.saved_usd_per_day, d.gpu_id, g.name FROM break_even b "
        "JOIN break_even_default d USING (purchase_id, rental_observation_id) JOIN gpu g ON g.gpu_id = d.gpu_id "
        "WHERE d.is_example AND b.utilisation_percent = 15"
    ).fetchall()[0]
    assert page["days"] == f"{days:,.0f} days"
    assert f"= {numbers.usd(purchase)} / {numbers.usd(saved)} a day = " in page["arithmetic"]
    lead = re.search(r'<p class="gl-lead">(.*?)</p>', (site / "break-even" / "index.html").read_text(), re.S)
    assert lead
    assert f"the {short_gpu(name, gpu_id)} with" in " ".join(lead[1].split())
    assert f"pays off after {days:,.0f} days" in " ".join(lead[1].split())


def test_the_calculators_begin_with_the_finding_of_each(site: Path) -> None:
    text = (site / "calculators" / "index.html").read_text()
    found = re.search(r'<p class="gl-lead">(.*?)</p>', text, re.S)
    assert found
    outcomes = re.findall(r'data-text="outcome">([^<]+)<', text)
    assert len(outcomes) == 2
    for outcome in (*outcomes, spots(site, "break-even")["days"]):
        assert outcome in " ".join(found[1].split())


def test_the_guides_case_is_one_click_away(site: Path) -> None:
    text = (site / "break-even" / "index.html").read_text()
    link = re.search(r'<a href="\?card=guide">(.*?)</a>', text, re.S)
    assert link
    assert " ".join(link[1].split()) == "a GeForce RTX 3090 takes 293 days"
    options = json.loads(html.unescape(text.partition('<script type="application/json">')[2].partition("</script>")[0]))
    assert {name: one["value"] for name, one in options.items()} == {
        "gpu": 1499, "host": 701, "cloud": 2.14, "utilisation": 15, "watts": 450, "kwh": 0.12
    }  # fmt: skip


def test_rent_or_buy_stands_without_an_example(database_copy: Path) -> None:
    with duckdb.connect(str(database_copy)) as con:
        con.execute("UPDATE break_even_default SET is_example = false")
    text = text_of(write_pages(database_copy, break_even_page) / "break-even" / "index.md")
    assert "takes 293 days" in text
    assert "At 15% utilization, the guide's desktop of October 2020 pays off after 293 days" in text
    assert not {"None", "nan"} & set(text.split())


def test_another_assumed_utilization_is_not_said_to_be_of_the_guide(database_copy: Path) -> None:
    with duckdb.connect(str(database_copy)) as con:
        con.execute("UPDATE assumption SET value = 0.5 WHERE assumption_id = 'utilisation'")
    text = text_of(write_pages(database_copy, break_even_page) / "break-even" / "index.md")
    assert "pays off after about 300 days at 15% utilization" in text
    assert "takes 293 days" in text
    assert "At 50% utilization, the " in text
    assert "the guide's desktop of October 2020 after 88" in text


def test_a_training_begins_with_the_timed_gpu(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = spots(site, "calculators")
    usd, days, gpus = con.execute(
        "SELECT usd_on_one, days_on_one, gpus_in_24_hours FROM training_job WHERE gpu_id = 'nvidia-t4-16gb'"
    ).fetchall()[0]
    assert page["cost-1"] == f"${usd:.2f}"
    assert page["time-1"] == f"{days:.2f} days"
    assert page["within"].startswith(f"Within 24 hours: {gpus} GPUs, ")


def test_a_system_begins_with_the_guides_four_gpus(site: Path) -> None:
    page = spots(site, "calculators")
    assert (page["memory"], page["gpu_power"], page["guide"]) == ("96 GB", "1,800 W", "2,100 W")
    assert page["fit"] == "Only 2 of 4 fit a board with 4 double-width slots."


def test_every_gpu_can_be_copied_and_unknown_stays_unknown(
    gpus: dict[str, dict[str, Any]], con: duckdb.DuckDBPyConnection
) -> None:
    rows = con.execute(
        """SELECT gpu_id, tdp_w, slot_width, gpu_price.rental_usd_per_gpu_hour, purchase_usd, seconds_per_epoch
        FROM gpu LEFT JOIN gpu_price USING (gpu_id) LEFT JOIN training_job USING (gpu_id)"""
    ).fetchall()
    named = ("tdp_w", "slot_width", "median_usd", "buy_usd", "seconds")
    assert {gpu_id: tuple(gpu[name] for name in named) for gpu_id, gpu in gpus.items()} == {row[0]: row[1:] for row in rows}


@pytest.mark.parametrize("gpu_id", ["nvidia-geforce-rtx-4090-24gb", "nvidia-rtx-6000-ada-48gb", "nvidia-geforce-rtx-3090-24gb"])
def test_the_prices_copied_are_those_of_the_command(
    gpus: dict[str, dict[str, Any]], built: Path, con: duckdb.DuckDBPyConnection, gpu_id: str
) -> None:
    gpu = gpus[gpu_id]
    said = gpuledger("break-even", "--gpu", gpu_id, "--older-prices", "--db", str(built / "gpuledger.duckdb")).stderr
    rented = (f"{gpu['rent_usd']:g}", gpu["rent_terms"], gpu["rent_provider"], gpu["rent_date"])
    assert price_in_words(said, RENTED) == rented
    bought = (f"{gpu['buy_usd']:g}", gpu["buy_kind"].replace("_", " "), gpu["buy_seller"], gpu["buy_date"])
    assert price_in_words(said, BOUGHT) == bought
    assert ("no current offer" in said) == (gpu["rent_stale"] or not gpu["buy_current"])


def test_hostile_names_stay_data(hostile_site: Path) -> None:
    data = (hostile_site / "assets" / "calculators-data.js").read_text()
    assert "window.hit" in data, "the hostile text never reached the data"
    assert not set("<>&") & set(data)
