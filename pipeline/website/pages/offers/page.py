"""Table of all offers, to explore: every offer of table offer_listing at its newest price."""

from urllib.parse import urlsplit

from pipeline.website.components import market
from pipeline.website.components.explorer import Column, Explorer, explorer, format_cell, machine_value, write_rows
from pipeline.website.i18n.language import N_
from pipeline.website.writing.database import Row
from pipeline.website.writing.escape import script_json
from pipeline.website.writing.labels import short_gpu, short_source
from pipeline.website.writing.links import (
    ROW_ID_LENGTH,
    Sellers,
    gpu_path,
    is_web_address,
    provider_name,
    provider_path,
    slug,
    source_path,
    stored_row_query,
)
from pipeline.website.writing.page_writer import PageWriter

_OFFERS = """
    SELECT l.*, o.gpu_name AS gpu, o.memory_gb, o.usd, o.upfront_usd, o.state, o.repeated, o.min_gpus,
        r.usd_per_fp16_tensor_tflop_hour_low, r.usd_per_fp32_tflop_hour, r.usd_per_gb_hour_low,
        nullif(r.usd_per_fp16_tensor_tflop_hour_high, r.usd_per_fp16_tensor_tflop_hour_low)
            AS usd_per_fp16_tensor_tflop_hour_high,
        nullif(r.usd_per_gb_hour_high, r.usd_per_gb_hour_low) AS usd_per_gb_hour_high, r.usd_per_pb_moved, r.usd_per_month,
        s.offer_url, x.snapshot_id, x.locator,
        r.vcpus_per_gpu, r.host_gb_per_gpu, b.usd_per_fp16_tensor_tflop, b.usd_per_fp32_tflop, b.usd_per_gb
    FROM offer_listing o
    JOIN price_latest l USING (observation_id)
    JOIN (SELECT observation_id, snapshot_id, locator FROM price) x USING (observation_id)
    LEFT JOIN price_metric r USING (observation_id)
    LEFT JOIN purchase_metric b USING (observation_id)
    LEFT JOIN provider s ON s.provider_id = l.provider
    LEFT JOIN rental_market m ON (m.gpu_model_id, m.gpu_id, m.billing, m.commitment, m.gpus)
        = (o.gpu_model_id, 'any', 'on_demand', 'any', 'any')
    WHERE o.kind <> 'cloud_rental' OR observation_id IN (SELECT observation_id FROM rental_listing WHERE recent)
    ORDER BY o.state, o.kind, m.n_providers DESC NULLS LAST, o.gpu_model_id, o.usd, o.gpu_id, o.provider, o.offer_key
"""
# what a reader without scripts sees
_CHEAPEST = """
    SELECT low_observation_id AS observation_id FROM rental_market
    WHERE billing = 'on_demand' AND commitment = 'any' AND gpus = 'any' AND gpu_id = 'any'
    ORDER BY usd_per_gpu_hour_low, gpu_model_id
"""
_STATE = N_(
    "Stale: too old, or no longer in the newest list. Not counted: in no statistic, because another source lists the same offer, "
    "it is out of stock, or the price is doubtful."
)
_RANGE = N_("Empty where the variant is stated.")
_COLUMNS = {
    N_("Price"): (
        Column("usd_per_gpu_hour", "price_latest", N_("Rental price"), shown=True),
        Column("usd_per_gpu", "price_latest", N_("Purchase price"), shown=True),
        Column("usd_per_month", "price_metric", N_("Rent of a month")),
        Column("upfront_usd", "price", N_("At the start")),
    ),
    N_("Terms"): (
        Column("provider", "price_latest", N_("Provider"), shown=True),
        Column("offer_url", "provider", N_("Seller"), shown=True),
        Column("kind", "price_latest", N_("Price type"), choices=True, facet=True),
        Column("billing", "price_latest", N_("Billing"), shown=True, choices=True, facet=True),
        Column("last_day", "price_latest", N_("Price date"), shown=True),
        Column("commitment_months", "price_latest", N_("Commitment"), shown=True, first="ascending"),
        Column("tier", "price_latest", N_("Class of service")),
        Column("region", "price_latest", N_("Region"), shown=True),
    ),
    N_("Machine"): (
        Column("memory_gb", "gpu", N_("GPU memory"), shown=True),
        Column("gpu_count", "price_latest", N_("GPUs in the machine"), shown=True, first="ascending"),
        Column("min_gpus", "price_latest", N_("GPUs, minimum"), first="ascending"),
        Column("instance_type", "price_latest", N_("Machine")),
        Column("vcpus_per_gpu", "price_metric", N_("Threads per GPU")),
        Column("host_gb_per_gpu", "price_metric", N_("Host memory per GPU")),
    ),
    N_("For the money"): (
        Column("usd_per_fp16_tensor_tflop_hour_low", "price_metric", N_("Rent per FP16 tensor TFLOPS"), shown=True),
        Column("usd_per_fp16_tensor_tflop_hour_high", "price_metric", N_("Rent per FP16 tensor TFLOPS, highest"), more=_RANGE),
        Column("usd_per_fp32_tflop_hour", "price_metric", N_("Rent per FP32 TFLOPS")),
        Column("usd_per_gb_hour_low", "price_metric", N_("Rent per GB"), shown=True),
        Column("usd_per_gb_hour_high", "price_metric", N_("Rent per GB, highest"), more=_RANGE),
        Column("usd_per_pb_moved", "price_metric", N_("Rent per PB moved")),
        Column("usd_per_fp16_tensor_tflop", "purchase_metric", N_("Price per FP16 tensor TFLOPS")),
        Column("usd_per_fp32_tflop", "purchase_metric", N_("Price per FP32 TFLOPS")),
        Column("usd_per_gb", "purchase_metric", N_("Price per GB")),
    ),
    N_("Evidence"): (
        Column("source_id", "price_latest", N_("Source"), shown=True),
        Column("state", "price_latest", N_("State"), name="stale", more=_STATE, choices=True, facet=True, chosen="current"),
        Column("flags", "price_latest", N_("Remarks"), more=N_("In words.")),
    ),
}


def write(writer: PageWriter) -> None:
    """Write the page and its rows, which a browser reads from a file beside it."""
    sources = writer.sources
    rows = [_listing_row(row, writer.data.sellers, sources) for row in writer.data.rows(_OFFERS)]
    explored = explorer(writer.data, "offer-table", _COLUMNS, rows)
    digest = write_rows(
        writer.docs / "offers" / "offers.js",
        explored,
        (row["offer_key"][:ROW_ID_LENGTH] for row in rows),
        _links(rows, sources),
    )
    # the place of each offer, apart from its row: pages of sources read it when an address names an offer
    places = {row["offer_key"][:ROW_ID_LENGTH]: stored_row_query(row) for row in rows}
    writer.write_text("offers/places.js", f"window.gpuledgerPlaces={script_json(places)};\n")
    listed = {row["observation_id"]: row for row in rows}
    cheapest = [listed[row["observation_id"]] for row in writer.data.rows(_CHEAPEST)]
    writer.write_page(
        "offers",
        "All offers",
        "Every GPU price, to rent or to buy, with provider, terms, date and source. Filter, compare and download.",
        explored=Explorer(explored.id, explored.headings, cheapest),
        shown=format_cell,
        exact=machine_value,
        names={row["gpu_id"]: row["name"] for row in cheapest if row["gpu_id"]},
        rows_file=f"offers.js?{digest}",
    )


def _listing_row(row: Row, sellers: Sellers, sources: dict[str, Row]) -> Row:
    twice = "another source lists it too" if row["state"] == "not counted" and row["repeated"] else ""
    texts = (market.unstated_text(row["unstated"]), market.flag_text(row["flags"]), twice)
    remarks = "; ".join(text for text in texts if text)
    host = urlsplit(row["offer_url"]).hostname if is_web_address(row["offer_url"]) else None
    return row | {
        "name": short_gpu(row["gpu"], row["gpu_model_id"]),
        "flags": remarks or None,
        "seller": row["offer_url"],
        "provider_path": provider_path(row["provider"]),
        "provider": provider_name(row["provider"], sellers),
        "offer_url": host,
        "source_id": short_source(sources[row["source_id"]]),
    }


def _links(rows: list[Row], sources: dict[str, Row]) -> dict[str, dict[str, str]]:
    """Return the links of GPU, provider and source names; a seller without a plain web address has none."""
    models = {row["name"]: f"../prices/index.html#{slug(row['gpu_model_id'])}" for row in rows if not row["gpu_id"]}
    gpus = models | {row["name"]: f"../{gpu_path(row['gpu_id'])}" for row in rows if row["gpu_id"]}
    providers = {row["provider"]: f"../{row['provider_path']}" for row in rows}
    stored_rows = {short_source(one): f"../{source_path(name)}?offer=" for name, one in sources.items()}
    sellers = {row["offer_url"]: row["seller"] for row in rows if is_web_address(row["seller"])}
    return {"name": gpus, "provider": providers, "offer_url": sellers, "source_id": stored_rows}
