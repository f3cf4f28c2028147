"""Prices of GPUs to buy: new in shops, and used."""

import datetime as dt

import pytest

from sources import UnparsableError
from tests.unit.sources.prices.support import codes, normalized, parse, sample, stored, stored_text

SHOP = "name,price,chipset,memory,core_clock,boost_clock,color,length\n"
USED = "GPU,eBay Price,QTY Sold,Month\n"


def test_new_gpus_on_sale():
    accepted, rejected = parse("pcpartpicker", "video-card.csv", stored_text("pcpartpicker", "video-card.csv"))
    assert (len(accepted), codes(rejected)) == (31, {"EMPTY": 3})
    cheapest = min((row for row in accepted.values() if row.raw_gpu_name == "GeForce RTX 4090"), key=lambda row: row.amount)
    assert (cheapest.amount, cheapest.kind, cheapest.price_unit, cheapest.reported_memory_gb) == (
        1819.99,
        "purchase_new",
        "unit",
        24,
    )
    assert {row.includes_host for row in accepted.values()} == {False}


def test_new_gpus_by_day():
    accepted, _ = stored("pcpartpicker")
    rows = [row for locator, row in accepted.items() if locator.startswith("purchase_prices")]
    assert len(rows) == 2407
    assert {row.qualifier for row in rows} == {"exact"}
    newest = max((row for row in rows if row.raw_gpu_name == "GeForce RTX 4090"), key=lambda row: row.observed_at)
    assert (newest.observed_at, newest.amount) == (dt.date(2025, 7, 23), 1819.99)


def test_the_lowest_of_several_boards_is_the_price():
    """One of the two of an RTX A5000 was at 7,516 USD; their middle is no price that a buyer pays."""
    accepted, _ = stored("pcpartpicker")
    rows = [row for locator, row in accepted.items() if locator.startswith("purchase_prices")]
    days = {row.observed_at: row for row in rows if row.raw_gpu_name == "RTX A5000"}
    assert days[dt.date(2025, 7, 23)].amount == 1865.62


def test_two_labels_of_one_gpu_are_two_offers():
    """As one offer, the RTX 3080 and the RTX 3080 LHR of a day would be a move of the price."""
    accepted, _ = stored("pcpartpicker")
    history = [row for locator, row in accepted.items() if locator.startswith("purchase_prices")]
    assert all(row.offer_id == row.raw_gpu_name for row in history)


def test_used_gpus_by_month():
    accepted, rejected = stored("ebay-used")
    assert (len(accepted), codes(rejected)) == (29, {"EMPTY": 1})
    found = {(row.raw_gpu_name, row.observed_at): row for row in accepted.values()}
    row = found["GeForce RTX 2080 Ti", dt.date(2023, 11, 1)]
    assert (row.amount, row.sample_size, row.qualifier, row.kind) == (309, 196, "median", "purchase_used")


def test_best_deals_by_month():
    accepted, rejected = stored("gpu-poet")
    assert (len(accepted), codes(rejected)) == (138, {})
    found = {(row.offer_id, row.observed_at, row.kind): row for row in accepted.values()}
    assert len(found) == 138, "two prices of one GPU, condition and month"
    used = found["GeForce RTX 3090 24 GB", dt.date(2026, 9, 30), "purchase_used"]
    new = found["GeForce RTX 5090 32 GB", dt.date(2026, 9, 30), "purchase_new"]
    assert [(row.amount, row.price_raw) for row in (used, new)] == [(1207, "$1,207"), (5258, "$5,258")]
    corrected = found["GeForce RTX 5090 32 GB", dt.date(2026, 8, 31), "purchase_used"]
    assert corrected.amount == 3897, "the report of September has 3,254, with two listings that the next one took out"
    assert all(locator.rpartition(", ")[2].startswith("https://gpupoet.com/") for locator in accepted)


def test_best_deals_in_thousands_and_faults():
    columns = "month,report,condition,gpu,memory_gb,price,usd\n"
    accepted, _ = parse("gpu-poet", "deals.csv", f"{columns}2026-02,https://example.org,resale,H100 PCIe,80,$29.2K,29200\n")
    (row,) = accepted.values()
    assert (row.observed_at, row.amount, row.price_raw) == (dt.date(2026, 2, 28), 29200, "$29.2K")
    for wrong in ("2026-13,x,resale,T4,16,$1,1", "2026-02,x,broken,T4,16,$1,1", ""):
        with pytest.raises(UnparsableError):
            parse("gpu-poet", "deals.csv", columns + wrong)


def test_thousands_and_months_without_a_sale():
    rows = 'GeForce RTX 3090,"$1,704",89,April 2022\nA,—,0,May 2023\nB,$330,0,May 2023\n'
    text = USED + rows + 'C,"$1,503",$175,May 2023\nD,lots,3,May 2023\n'
    accepted, rejected = parse("ebay-used", "series.csv", text)
    assert [row.amount for row in accepted.values()] == [1704]
    assert codes(rejected) == {"EMPTY": 2, "PARSE": 2}


def test_a_mark_of_writing_direction_is_no_reason_to_refuse_the_file():
    accepted, _ = parse("pcpartpicker", "video-card.csv", f"{SHOP}Card\u200e,99.5,GeForce RTX 3050 6GB,6,,,Black,\n")
    assert [row.offer_id for row in accepted.values()] == ["Card"]


@pytest.mark.parametrize(
    ("source_id", "text", "says"),
    [
        ("pcpartpicker", SHOP, "no row follows the header"),
        ("pcpartpicker", SHOP.replace("price", "cost") + "a,1,b,1,,,,\n", "the header lacks price and"),
        ("pcpartpicker", SHOP + "a,1\n", "2 fields where"),
        ("pcpartpicker", SHOP + "a,$1,b,1,,,,\n", "is not a number"),
        ("pcpartpicker", "<html>404</html>", "the header lacks"),
        ("ebay-used", USED, "no row follows the header"),
        ("ebay-used", USED.replace("eBay Price", "Price"), "the header lacks eBay Price and"),
        ("ebay-used", USED + "a,$1,2,Smarch 2022\n", "is not a month"),
        ("ebay-used", USED + 'a,"$1,2,April 2022\n', "broken CSV"),
    ],
)
def test_what_is_broken_is_named(source_id, text, says):
    with pytest.raises(UnparsableError, match=says):
        parse(source_id, "table.csv", text)


def test_zero_is_no_price():
    assert normalized("pcpartpicker", "video-card.csv", SHOP + "a,0,b,1,,,,\n") == ({}, {"line 2": "ZERO_PRICE"})


def test_the_sample_of_the_shops():
    accepted, rejected = parse("pcpartpicker", "video-card.csv", sample("pcpartpicker/video-card.csv"))
    assert (len(accepted), codes(rejected)) == (1275, {"EMPTY": 5361})


def test_the_sample_of_used_gpus():
    accepted, rejected = parse("ebay-used", "gpu_time_series.csv", sample("ebay_toms/gpu_time_series.csv"))
    assert (len(accepted), codes(rejected)) == (1054, {"EMPTY": 11, "PARSE": 1})
