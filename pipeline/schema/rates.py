"""The table of exchange rates, one row per day and currency."""

import datetime as dt
from typing import Annotated

from pipeline.schema.core import Col, record
from pipeline.schema.provenance import Sourced


@record(
    "exchange_rate",
    title="Exchange rates",
    text=(
        "Reference rates of the European Central Bank, one row per business day and currency. Other currencies than the euro "
        "are converted through it; a price is converted with the last rate on or before its date, at most seven days old."
    ),
    group="prices",
    key=("date", "currency"),
)
class ExchangeRate(Sourced):
    date: Annotated[dt.date, Col("Day of the rate")]
    currency: Annotated[str, Col("Currency code, ISO 4217", check="regexp_full_match(currency, '[A-Z]{3}')")]
    units_per_eur: Annotated[float, Col("Units of the currency for one euro", "1/EUR", check="units_per_eur > 0")]
