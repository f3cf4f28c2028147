"""Page of current rental prices, by GPU and billing. All offers in one table are in `pages.offers`."""

from pipeline.website.components import market
from pipeline.website.components.figures import Figure, render_figure
from pipeline.website.components.price_chart import price_lines
from pipeline.website.components.price_chart.price_figure import ChartView, price_figure
from pipeline.website.writing.database import Database, Row, group_by
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.page_writer import PageWriter

_CHARTED = ("nvidia-h100", "nvidia-a100", "nvidia-h200", "nvidia-b200", "amd-instinct-mi300x", "nvidia-geforce-rtx-4090")
_VARIANTS = "SELECT gpu_model_id, gpu_id, name FROM gpu ORDER BY gpu_model_id, memory_gb DESC, gpu_id"


def write(writer: PageWriter) -> None:
    """Write the page of prices."""
    billings = list(dict.fromkeys(row["billing"] for row in market.offer_groups(writer.data) if not row["stale"]))
    if writer.is_default_language:
        price_lines.write_files(writer)
    writer.write_page(
        "prices",
        "Rental prices",
        "What renting a whole GPU costs, by GPU model and billing, each price with its date.",
        billings=billings,
        term_note=market.term_note,
        models=_models(writer, billings),
        figure=render_figure(writer, "../", _market_figure(writer.data)),
    )


def _market_figure(data: Database) -> Figure | None:
    """Return the chart of the most asked models that have a price, or else of the first that has one."""
    priced = [row["gpu_model_id"] for row in data.rows("SELECT DISTINCT gpu_model_id FROM price_line ORDER BY 1")]
    models = [model for model in _CHARTED if model in priced] or priced[:1]
    return price_figure(data, "market-prices", ChartView(models, ("on_demand",), (price_lines.CHEAPEST,), "3"))


def _models(writer: PageWriter, billings: list[str]) -> list[Row]:
    """Return one row per GPU model with its rent on each billing, the models with most providers first."""
    by_billing = {billing: market.model_market(writer.data, billing) for billing in billings}
    variants = group_by(writer.data.rows(_VARIANTS), "gpu_model_id")
    names = {row["gpu_model_id"]: row["name"] for row in writer.data.rows("SELECT gpu_model_id, name FROM gpu_model")}
    rows = [
        {"gpu_model_id": model, "name": short_gpu(names[model], model), "variants": variants[model]}
        | {"by_billing": {billing: offers.get(model) for billing, offers in by_billing.items()}}
        for model in {model for offers in by_billing.values() for model in offers}
    ]
    return sorted(rows, key=lambda row: (-_providers(row), row["gpu_model_id"]))


def _providers(row: Row) -> int:
    return sum(offer["n_providers"] for offer in row["by_billing"].values() if offer)
