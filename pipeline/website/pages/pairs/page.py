"""GPUs side by side: a page per comparison, and a list of all.

Which GPUs are compared is decided in `pipeline/metrics/prices/gpu_pair.sql`.
"""

from pipeline.website.components.figures import render_figure
from pipeline.website.components.price_chart.price_figure import ChartView, price_figure
from pipeline.website.components.price_chart.price_lines import CHEAPEST
from pipeline.website.components.purchases import kind
from pipeline.website.components.recommend.wording import long_time
from pipeline.website.i18n.language import gettext
from pipeline.website.pages.guide.paperspace import TASKS
from pipeline.website.pages.pairs import members
from pipeline.website.pages.pairs.verdict import brief_verdict, verdict, won_tasks
from pipeline.website.writing.database import Database, Row, Rows, group_by
from pipeline.website.writing.labels import column_label
from pipeline.website.writing.page_writer import PageWriter

_TASKS = "SELECT * FROM gpu_comparison_task ORDER BY comparison_id, task, position, machine"
_SPECS = "SELECT gpu_id, attribute, unit, value, value_text FROM gpu_spec WHERE chosen ORDER BY gpu_id, attribute"


def write(writer: PageWriter) -> None:
    """Write every pair and the list of all."""
    data = writer.data
    compared, runs = members.comparisons(data), group_by(data.rows(_TASKS), "comparison_id")
    specs = {gpu_id: {row["attribute"]: row for row in rows} for gpu_id, rows in group_by(data.rows(_SPECS), "gpu_id").items()}
    listed = [{"id": name, "title": members.title(rows), "verdict": brief_verdict(rows)} for name, rows in compared.items()]
    for name, rows in compared.items():
        _write_one(writer, name, rows, runs[name], _differing(data, rows, specs))
    writer.write_page(
        "pairs",
        "Pairs of GPUs",
        "The GPUs that buyers compare, side by side: price, speed, cost of the work and specifications.",
        "list.md.j2",
        comparisons=listed,
    )


def _write_one(writer: PageWriter, name: str, rows: Rows, runs: Rows, specs: list[Row]) -> None:
    models = [row["gpu_model_id"] for row in rows]
    is_rented = all(row["usd_per_gpu_hour"] is not None for row in rows)
    billing = "on_demand" if is_rented else "marketplace"
    figure = price_figure(writer.data, f"pair-{name}", ChartView(models, (billing,), (CHEAPEST,)))
    title = members.title(rows)
    writer.write_page(
        f"pairs/{name}",
        title,
        gettext("{title}: price, tokens per second, cost per million tokens, training speed and specifications.", title=title),
        heading=title,
        verdict=verdict(rows),
        wins={key: won_tasks(runs, key, rows[-1]) for key in ("seconds", "guide_usd_per_run", "usd_per_run")},
        gpus=rows,
        runs=runs,
        tasks=TASKS,
        specs=specs,
        chart=render_figure(writer, "../../", figure),
        best=_best,
        kind=kind,
        long_time=long_time,
    )


def _best(rows: list[Row], key: str, lowest: bool) -> float | None:
    """Return the best value of a column where the GPUs differ; None where they are equal or one is alone."""
    values = [row[key] for row in rows if row[key] is not None]
    return (min(values) if lowest else max(values)) if len(set(values)) > 1 else None


def _differing(data: Database, rows: list[Row], specs: dict[str, dict[str, Row]]) -> list[Row]:
    """Return the specifications in which the GPUs differ, in the order of gpu's columns."""
    found = [(column, [specs.get(row["gpu_id"], {}).get(name) for row in rows]) for name, column in data.columns["gpu"].items()]
    return [
        {"label": column_label(column["name"], column["unit"]), "unit": column["unit"], "text": column["text"], "values": values}
        for column, values in found
        if len({value and (value["value"], value["value_text"]) for value in values}) > 1
    ]
