"""Azure: reservations are totals, Windows is never Linux, a list that goes on is refused."""

import json

import pytest

from sources import UnparsableError
from sources.prices import azure_retail
from tests.unit.sources.prices.support import codes, normalized, parse, sample, stored, stored_text

H100 = "Standard_ND96isr_H100_v5"
NAME = "retail_prices.json"


def item(**fields):
    plain = {
        "currencyCode": "USD",
        "tierMinimumUnits": 0.0,
        "retailPrice": 7.346,
        "armRegionName": "eastus",
        "effectiveStartDate": "2025-04-01T00:00:00Z",
        "skuId": "A/1",
        "productName": "Virtual Machines NCads A100 v4 Series",
        "skuName": "NC48ads A100 v4",
        "unitOfMeasure": "1 Hour",
        "type": "Consumption",
        "armSkuName": "Standard_NC48ads_A100_v4",
    }
    return plain | fields


def page(*items, link=None):
    return json.dumps({"Items": items, "NextPageLink": link, "Count": len(items)})


def read(*items):
    return parse("azure_retail", NAME, page(*items))


def per_gpu_hour(row, gpus):
    """Normalize a row whose number of GPUs is known."""
    hours = 8760 * row.commitment_months / 12 if row.price_unit == "term_total" else 1
    return round(row.amount / hours / gpus, 2)


def check_h100_and_h200(rows):
    reserved = {row.commitment_months: row for row in rows if row.billing == "reserved" and row.raw_gpu_name == H100}
    assert {row.price_unit for row in reserved.values()} == {"term_total"}
    assert {months: per_gpu_hour(row, 8) for months, row in reserved.items()} == {12: 7.87, 36: 5.40, 60: 4.92}
    h200 = {(row.billing, row.os): row.amount for row in rows if "H200" in row.raw_gpu_name and row.price_unit == "hour"}
    assert h200 == {("on_demand", "windows"): 89.216, ("on_demand", "linux"): 84.8, ("spot", "linux"): 84.8}
    windows = {row.amount for row in rows if row.os == "windows"}
    assert windows == {89.216, 102.736, 18.985613}
    assert not windows & {row.amount for row in rows if row.os == "linux"}


def test_the_committed_page():
    kept, refused = stored("azure_retail")
    assert (len(kept), codes(refused)) == (14, {"RETIRED": 3})
    check_h100_and_h200(list(kept.values()))
    assert {row.gpu_context for row in kept.values() if row.os == "windows"} == {
        "Virtual Machines NDsr H100 v5 Series Windows",
        "Virtual Machines NDsrH200v5 Series Windows",
    }


def test_the_sample_page():
    kept, refused = parse("azure_retail", NAME, sample("azure/retail_prices_eastus2_nd_h100_h200_gb200.json"))
    assert (len(kept), codes(refused)) == (14, {"RETIRED": 3})
    check_h100_and_h200(list(kept.values()))


def test_windows_stands_in_the_product_name_alone():
    kept, refused = read(
        item(),
        item(retailPrice=9.554, productName="Virtual Machines NCads A100 v4 Series Windows"),
        item(retailPrice=9.554, productName="NCads A100 v4 Series Cloud Services"),
    )
    assert [(row.amount, row.os) for row in kept.values()] == [(7.346, "linux"), (9.554, "windows")]
    assert codes(refused) == {"WINDOWS": 1}


def test_what_is_no_open_offer_of_a_gpu_machine_is_rejected_with_its_reason():
    _, refused = read(
        item(),
        item(armSkuName="Standard_D2s_v5"),
        item(armSkuName=""),
        item(type="DevTestConsumption"),
        item(tierMinimumUnits=500.0),
        item(unitOfMeasure="1/Month"),
        item(skuName="NC48ads A100 v4 Low Priority"),
    )
    assert [refused[f"item {n}"].reason_code for n in range(1, 7)] == [
        "NOT_A_GPU", "NOT_A_GPU", "DUPLICATE", "DUPLICATE", "UNKNOWN_FORMAT", "RETIRED",
    ]  # fmt: skip


def test_an_item_listed_twice_counts_once_with_its_savings_plan():
    twice = item(savingsPlan=[{"retailPrice": 5.1, "term": "3 Years"}])
    kept, refused = normalized("azure_retail", NAME, page(twice, twice))
    assert kept == {"item 0": 7.346, "item 0, savings plan 3 Years": 5.1}
    assert refused == {"item 1": "DUPLICATE", "item 1, savings plan 3 Years": "DUPLICATE"}


def test_a_savings_plan_is_a_second_price_per_hour():
    kept, _ = read(item(savingsPlan=[{"unitPrice": 5.0, "retailPrice": 5.1, "term": "3 Years"}]))
    plan = kept["item 0, savings plan 3 Years"]
    assert (plan.amount, plan.billing, plan.commitment_months, plan.price_unit) == (5.1, "savings_plan", 36, "hour")


def test_a_price_of_zero_is_rejected_and_hides_no_other():
    """The price of zero ended first: the one that is valid on the same days is accepted."""
    plans = [{"retailPrice": 0, "term": "1 Year"}, {"retailPrice": 5.1, "term": "3 Years"}]
    free = item(retailPrice=0.0, effectiveEndDate="2025-12-31T00:00:00Z", savingsPlan=plans)
    later = item(effectiveStartDate="2025-06-01T00:00:00Z")
    kept, refused = normalized("azure_retail", NAME, page(free, later))
    assert kept == {"item 0, savings plan 3 Years": 5.1, "item 1": 7.346}
    assert refused == {"item 0": "ZERO_PRICE", "item 0, savings plan 1 Year": "ZERO_PRICE"}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (page(), "not one item"),
        (page(item(), link="https://prices.azure.com:443/api/retail/prices?$skip=1000"), "goes on at NextPageLink"),
        ('{"error": {"code": "TooManyRequests"}}', "no field 'Items'"),
        ("<html>Sign in</html>", "broken JSON"),
        (stored_text("azure_retail", NAME)[:9000], "broken JSON"),
        (page(item()).replace("retailPrice", "priceRetail"), "no field 'retailPrice'"),
        (page(item(retailPrice="4^1")), "'4\\^1' is not a number"),
        (page(item(type="Reservation", reservationTerm="12 months")), "is not a term"),
    ],
)
def test_a_changed_or_broken_page_fails_as_a_whole(raw, message):
    with pytest.raises(UnparsableError, match=message):
        parse("azure_retail", NAME, raw)


class Pages:
    """Answers in order, and what was asked for."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def __call__(self, url, *, expect, params=None, headers=None, body=None):
        self.asked.append((url, params))
        return self.answers.pop(0).encode()


LINK = "https://prices.azure.com:443/api/retail/prices?$skip=1"


def test_fetch_joins_all_pages():
    get = Pages(page(item(), link=LINK), page(item(retailPrice=8.0)))
    (download,) = azure_retail.fetch(get)
    kept, _ = parse("azure_retail", download.name, download.raw)
    assert [row.amount for row in kept.values()] == [7.346, 8.0]
    assert get.asked[1] == (azure_retail.SOURCE.url, {"$skip": "1"})


def test_fetch_asks_on_after_a_full_page_without_a_link():
    get = Pages(page(*[item(retailPrice=float(n + 1)) for n in range(100)]), page(item()))
    (download,) = azure_retail.fetch(get)
    assert len(json.loads(download.raw)["Items"]) == 101
    assert get.asked[1][1]["$skip"] == "100"


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        ([page(item(), link=LINK), page(item(), link=LINK)], "do not end"),
        ([page(item(), link=LINK), page(link=LINK + "2")], "an empty page in the middle"),
        ([page(item(), link=LINK), '{"error": 1}'], "has no Items"),
        ([page(item(), link="https://example.com/x")], "another address"),
        ([page(item(), link=LINK.partition("?")[0])], "another address"),
        (['{"Items": null}'], "Items is not a list"),
    ],
)
def test_fetch_never_keeps_a_part_of_the_list(pages, message):
    with pytest.raises(UnparsableError, match=message):
        list(azure_retail.fetch(Pages(*pages)))
