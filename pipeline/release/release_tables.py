"""Tables of releases and of their differences. The publication fills them, no source does."""

import datetime as dt
from typing import Annotated

from pipeline.schema.core import Col, Record, record

_PRICE = "USD/(GPU·h) or USD/GPU"


@record("release_history", title="Releases", group="provenance", key=("release_id",))
class ReleaseRow(Record):
    """One row per release with other data than the release before it. A build of the same data is the same release. The first
    release has nothing to be compared with.
    """

    release_id: Annotated[str, Col("Hash of the release's data and of the release before it")]
    number: Annotated[int, Col("Place in the sequence of releases, from 1", above=0)]
    as_of: Annotated[dt.date, Col("Reference date of its data")]
    previous_release_id: Annotated[str | None, Col("Release that it is compared with; empty for the first")]
    previous_as_of: Annotated[dt.date | None, Col("Reference date of that release")]
    n_tables: Annotated[int, Col("Tables that differ")]
    rows_added: Annotated[int, Col("Rows whose key is new, in all tables")]
    rows_removed: Annotated[int, Col("Rows whose key is gone, in all tables")]
    rows_changed: Annotated[int, Col("Rows with the same key and another value, in all tables")]
    n_price_rises: Annotated[int, Col("Prices that rose")]
    n_price_cuts: Annotated[int, Col("Prices that fell")]
    new_gpus: Annotated[str | None, Col("Variants of GPUs that are new in table gpu, comma-separated")]
    new_gpu_models: Annotated[str | None, Col("GPU models that are new in table gpu_model, comma-separated")]
    new_llm_models: Annotated[str | None, Col("Language models that are new in table llm_model, comma-separated")]


@record("release_diff", title="Differences between releases", group="provenance", key=("release_id", "table_name"))
class ReleaseDiff(Record):
    """One row per release and table that differs from the release before. Rows are matched by the key of the table. Figures that
    differ by less than one part in a billion are equal. The dictionary of the data is not compared.
    """

    release_id: Annotated[str, Col("Release", references="release_history.release_id")]
    table_name: Annotated[str, Col("Table")]
    rows_before: Annotated[int | None, Col("Rows in the release before; empty where the table is new")]
    rows_after: Annotated[int | None, Col("Rows in this release; empty where the table is gone")]
    rows_added: Annotated[int, Col("Rows whose key is new")]
    rows_removed: Annotated[int, Col("Rows whose key is gone")]
    rows_changed: Annotated[int, Col("Rows with the same key and another value")]
    columns_added: Annotated[str | None, Col("Columns that are new, comma-separated")]
    columns_removed: Annotated[str | None, Col("Columns that are gone, comma-separated")]


@record("release_price_move", title="Moves of prices since the last release", group="provenance", key=("offer_key", "valid_from"))
class ReleasePriceMove(Record):
    """One row per move in price_move, of an offer that the release before has, after the last day on which it saw the offer. Rows
    are of the newest release alone.
    """

    release_id: Annotated[str, Col("Release", references="release_history.release_id")]
    offer_key: Annotated[str, Col("The offer, the same on every day")]
    seen_before: Annotated[dt.date, Col("Last day on which the old price was seen", check="seen_before < valid_from")]
    valid_from: Annotated[dt.date, Col("First day on which the new price was seen")]
    source_id: Annotated[str, Col("Source of the price", references="source.source_id")]
    provider: Annotated[str, Col("Who sells or rents")]
    gpu_model_id: Annotated[str, Col("GPU model")]
    gpu_id: Annotated[str | None, Col("Variant of the model; empty where the source does not state it")]
    partition: Annotated[str, Col("Whether a whole GPU is offered")]
    region: Annotated[str | None, Col("Region, as the provider names it")]
    kind: Annotated[str, Col("What is paid for")]
    billing: Annotated[str | None, Col("On what terms a rental is billed")]
    commitment_months: Annotated[int | None, Col("Term of a commitment", "month")]
    usd_before: Annotated[float, Col("Price of one GPU before", _PRICE)]
    usd: Annotated[float, Col("Price of one GPU since", _PRICE)]
    change: Annotated[float, Col("Change of the price; below zero = cheaper", "fraction")]


TABLES = {kind.__table__.name: kind.__table__ for kind in (ReleaseRow, ReleaseDiff, ReleasePriceMove)}
