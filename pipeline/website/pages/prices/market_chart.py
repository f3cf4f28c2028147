"""Chart of the cheapest on-demand price of several GPU models by day, of which the reader picks some."""

from pipeline.website.components.figures import Figure
from pipeline.website.components.price_chart.price_figure import ChartView, price_figure
from pipeline.website.components.price_chart.price_lines import CHEAPEST
from pipeline.website.writing.database import Database

FIRST = ("nvidia-h100", "nvidia-a100", "nvidia-h200", "nvidia-b200", "amd-instinct-mi300x", "nvidia-geforce-rtx-4090")


def market_figure(data: Database) -> Figure | None:
    """Return the chart of the most asked models that have a price, or else of the first that has one."""
    priced = [row["gpu_model_id"] for row in data.rows("SELECT DISTINCT gpu_model_id FROM price_line ORDER BY 1")]
    models = [model for model in FIRST if model in priced] or priced[:1]
    return price_figure(data, "market-prices", ChartView(models, ("on_demand",), (CHEAPEST,), "3"))
