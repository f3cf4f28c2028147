"""Exchange rates of the European Central Bank, in each of the forms that it publishes."""

import datetime as dt
import io
import zipfile

import pytest

from sources import UnparsableError
from tests.unit.sources.prices.support import codes, parse, sample, stored

DAILY = "Date, USD, JPY, CNY, \n13 April 2026, 1.1684, 186.75, 7.9827, \n"
HISTORY = "Date,USD,BGN,\n2026-04-13,1.1684,N/A,\n2026-04-10,1.1711,N/A,\n"
XML = """<?xml version='1.0' encoding='UTF-8'?><gesmes:Envelope xmlns:gesmes='http://www.gesmes.org/xml/2002-08-01'
xmlns='http://www.ecb.int/vocabulary/2002-08-01/eurofxref'><Cube><Cube time='2026-04-13'><Cube currency='USD' rate='1.1684'/>
<Cube currency='CNY' rate='7.9827'/></Cube><Cube time='2026-04-10'><Cube currency='USD' rate='1.1711'/></Cube></Cube>
</gesmes:Envelope>"""


def rates(text):
    accepted, _ = parse("ecb", "rates", text)
    return {(row.date.isoformat(), row.currency): row.units_per_eur for row in accepted.values()}


def zipped(*texts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, text in enumerate(texts):
            archive.writestr(zipfile.ZipInfo(f"{number}.csv"), text)
    return out.getvalue()


def test_the_committed_days():
    accepted, rejected = stored("ecb")
    found = {(row.date, row.currency): row.units_per_eur for row in accepted.values()}
    assert (len(found), len(accepted), rejected) == (750, 750, {})
    assert found[dt.date(2026, 4, 13), "CNY"] == 7.9827
    assert found[dt.date(2024, 1, 31), "CNY"] == 7.7789


def test_the_forms_agree():
    day = ("2026-04-13", "USD")
    assert rates(DAILY)[day] == rates(HISTORY)[day] == rates(XML)[day] == rates(zipped(HISTORY))[day] == 1.1684
    assert rates(XML)["2026-04-10", "USD"] == 1.1711
    assert rates(HISTORY) == rates(zipped(HISTORY))


def test_a_currency_not_quoted_is_no_rate():
    assert {currency for _, currency in rates(HISTORY)} == {"USD"}


def test_a_day_without_rates_is_rejected():
    accepted, rejected = parse("ecb", "rates", "Date,USD,\n2026-04-13,N/A,\n2026-04-10,1.1711,\n")
    assert (len(accepted), codes(rejected)) == (1, {"EMPTY": 1})


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("", "header"),
        ("Date,USD,\n", "not one day"),
        ("Day,USD,\n2026-04-13,1.1684,\n", "expected Date"),
        ("<html><body>Service unavailable</body></html>", "not one day"),
        (XML[:-60], "broken XML"),
        (XML.replace("rate='1.1684'", "rat='1'"), "without its day or its figure"),
        (XML.replace("?>", "?><!DOCTYPE a [<!ENTITY b 'c'>]>", 1), "entity"),
        (DAILY.replace("13 April", "13 Brumaire"), "not a date"),
        (HISTORY.replace("1.1684", "0"), "not a rate"),
        (HISTORY.replace("1.1684", "1.1684^1"), "not a rate"),
        (HISTORY + "2026-04-09,1.1\n", "fields where the header names"),
        (zipped(), "not an archive of one file"),
        (zipped(HISTORY, HISTORY), "not an archive of one file"),
        (zipped(HISTORY)[:40], "not an archive of one file"),
    ],
)
def test_what_is_broken_is_named(broken, says):
    with pytest.raises(UnparsableError, match=says):
        parse("ecb", "rates", broken)


@pytest.mark.parametrize(
    ("name", "days", "quoted"),
    [
        ("eurofxref-daily_shape.xml", 1, 4),
        ("eurofxref.csv", 1, 29),
        pytest.param("eurofxref-hist.zip", 6983, 214_000, marks=pytest.mark.slow),
    ],
)
def test_samples(name, days, quoted):
    accepted, rejected = parse("ecb", name, sample(f"ecb/{name}"))
    assert rejected == {}
    assert len({row.date for row in accepted.values()}) == days
    assert len(accepted) == pytest.approx(quoted, rel=0.1)
