"""Charts of the page of corrected speedups: effect of batch size, effect of the interconnect, speed of GPUs."""

from pipeline.website.charts import performance
from pipeline.website.components.figures import Figure
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row, Rows
from pipeline.website.writing.labels import link_name, plural, short_gpu, words
from pipeline.website.writing.numbers import after_comma, in_brackets, percent, ratio

SHOWN = 30
_GAINS = """
    SELECT family, batch_from, batch_to, gain, ci_low, ci_high, n_pairs, n_workloads, guide_gain
    FROM batch_doubling_gain
    WHERE precision = 'fp16' AND family <> 'all' AND batch_from > 0
    ORDER BY batch_from, family
"""
_SCALING = """
    SELECT interconnect, gpu_count, efficiency, ci_low, ci_high, n_rows, n_workloads, n_gpus
    FROM scaling_efficiency
    WHERE precision = 'fp16' AND family = 'all' AND gpu_count IN (2, 4, 8)
    ORDER BY interconnect, gpu_count
"""
_SOURCE = N_("Lambda's and NVIDIA's measured training throughput")


def batch_figure(data: Database, dated: str) -> Figure | None:
    """Return the chart of the gain from doubling the batch size; None if nothing was measured."""
    gains = data.rows(_GAINS)
    if not gains:
        return None
    rows = [_gain(row) for row in gains]
    title, finding = _gain_finding(rows)
    return Figure(
        name="gain-by-batch",
        title=title,
        subject=gettext("Throughput gain from doubling the batch size"),
        direction=gettext("flat means a constant gain"),
        finding=finding,
        dated=dated,
        source=gettext(_SOURCE),
        chart=performance.gain_by_batch(rows),
        rows=rows,
        columns=[
            ("family", gettext("Network")),
            ("batch", gettext("Starting batch, items")),
            ("gain", gettext("Gain, fraction")),
            ("ci_low", gettext("95% interval from")),
            ("ci_high", gettext("95% interval to")),
            ("n_pairs", gettext("Pairs of rows")),
            ("n_workloads", gettext("Workloads")),
            ("guide_gain", gettext("2020 guide")),
        ],
        note=gettext(
            "The same GPU, software and number of GPUs at b and at 2 b, in 16-bit. A mark is the median of the pairs, its "
            "line the 95% interval over workloads; open marks have fewer than three workloads and no interval. Dashed: the "
            "guide. The workloads are not the same in each range."
        ),
        sql=gains.sql,
    )


def _gain(row: Row) -> Row:
    start, end = row["batch_from"], row["batch_to"]
    batch = gettext("{start} or more", start=start) if end is None else gettext("{start} to {end}", start=start, end=end - 1)
    return row | {"family": words(row["family"]), "batch": batch, "workloads": plural(row["n_workloads"], "workload")}


def _gain_finding(rows: list[Row]) -> tuple[str, str]:
    least, most = (pick(rows, key=lambda row: row["gain"]) for pick in (min, max))
    ends = [
        gettext("{gain} ({family}, batch {batch})", gain=percent(row["gain"]), family=row["family"], batch=row["batch"])
        for row in (least, most)
    ]
    guide = sorted({row["guide_gain"] for row in rows if row["guide_gain"] is not None})
    title = gettext(
        "Twice the batch adds {least} to {most} of throughput", least=percent(least["gain"]), most=percent(most["gain"])
    )
    text = (
        gettext("Twice the batch adds {ends}.", ends=ends[0])
        if len(rows) == 1
        else gettext("Twice the batch adds between {ends} and {ends_2}.", ends=ends[0], ends_2=ends[1])
    )
    if not guide:
        return title, text
    low, high = percent(guide[0]), percent(guide[-1])
    guide_text = low if low == high else gettext("{low} to {high}", low=low, high=high)
    return title, gettext("{text} The 2020 guide takes {said} for every batch.", text=text, said=guide_text)


def network_figure(data: Database, dated: str) -> Figure | None:
    """Return the chart of scaling efficiency by interconnect, best first; None if nothing was measured."""
    scaling = data.rows(_SCALING)
    if not scaling:
        return None
    at_most_gpus = {row["interconnect"]: row["efficiency"] for row in scaling}  # rows are sorted by the number of GPUs
    ordered = sorted(scaling, key=lambda row: -at_most_gpus[row["interconnect"]])
    rows = [row | {"link": link_name(row["interconnect"]), "gpus": plural(row["gpu_count"], "GPU")} for row in ordered]
    title, finding = _scaling_finding(rows)
    return Figure(
        name="scaling-by-link",
        title=title,
        subject=gettext("Multi-GPU scaling efficiency"),
        direction=gettext("further right is better"),
        finding=finding,
        dated=dated,
        source=gettext(_SOURCE),
        chart=performance.scaling_by_link(rows),
        rows=rows,
        columns=[
            ("link", gettext("Link between the GPUs")),
            ("gpu_count", gettext("GPUs")),
            ("efficiency", gettext("Efficiency, fraction")),
            ("ci_low", gettext("95% interval from")),
            ("ci_high", gettext("95% interval to")),
            ("n_rows", gettext("Rows")),
            ("n_workloads", gettext("Workloads")),
            ("n_gpus", gettext("GPU models")),
        ],
        note=gettext(
            "Throughput of n GPUs over n times that of one, at the same batch on each GPU, in 16-bit. A mark is the median, "
            "its line the 95% interval over workloads. The GPUs behind each link differ, so this is not the link alone."
        ),
        sql=scaling.sql,
    )


def _scaling_finding(rows: list[Row]) -> tuple[str, str]:
    count = max(row["gpu_count"] for row in rows)
    largest = sorted((row for row in rows if row["gpu_count"] == count), key=lambda row: -row["efficiency"])
    texts = [
        gettext(
            "{efficiency}{interval} with {link}",
            efficiency=percent(row["efficiency"]),
            interval=in_brackets(row["ci_low"], row["ci_high"], percent),
            link=row["link"],
        )
        for row in (largest[0], largest[-1])
    ]
    title = gettext(
        "{count} GPUs keep {best} of their speed with the best link, {worst} with the worst",
        count=count,
        best=percent(largest[0]["efficiency"]),
        worst=percent(largest[-1]["efficiency"]),
    )
    return title, gettext(
        "In the median {gpu} keep {details}.", gpu=plural(count, "GPU"), details=gettext("; ").join(dict.fromkeys(texts))
    )


def index_figure(index: Rows, dated: str) -> Figure | None:
    """Return the chart of the fastest GPUs by the index; None without an index. The rows are fastest first."""
    if not index:
        return None
    named = [row | {"gpu": short_gpu(row["name"], row["gpu_id"]), "basis": gettext(row["basis"])} for row in index]
    rows = named[:SHOWN]
    return Figure(
        name="performance-index",
        title=gettext("The {gpu} trains fastest: {index} RTX 2080 Ti", gpu=named[0]["gpu"], index=ratio(named[0]["index"])),
        subject=gettext("Training speed of the {rows} fastest GPUs", rows=len(rows)),
        direction=gettext("further right is better"),
        finding=_index_finding(named),
        dated=dated,
        source=gettext("{source}, and the specifications of GPUs that nobody measured", source=gettext(_SOURCE)),
        chart=performance.gpu_index([_chart_row(row) for row in rows]),
        rows=rows,
        columns=[
            ("gpu", "GPU"),
            ("index", gettext("Index, RTX 2080 Ti = 1")),
            ("ci_low", gettext("90% interval from")),
            ("ci_high", gettext("90% interval to")),
            ("basis", gettext("Basis")),
            ("n_workloads", gettext("Workloads")),
        ],
        note=gettext(
            "One GPU at its largest measured batch, all kinds of network, 16-bit. Lines are 90% intervals. Circles are "
            "measured, diamonds predicted; open marks have no interval, and the table says why."
        ),
        sql=index.sql,
    )


def _chart_row(row: Row) -> Row:
    return {"value": row["index"]} | {key: row[key] for key in ("gpu", "basis", "ci_low", "ci_high")}


def _index_finding(rows: list[Row]) -> str:
    parts = []
    for basis in dict.fromkeys(row["basis"] for row in sorted(rows, key=lambda row: row["basis"])):
        of_basis = [row for row in rows if row["basis"] == basis]
        best = of_basis[0]
        parts.append(
            gettext(
                "{of_basis} {basis}, fastest the {gpu} ({index}{between})",
                of_basis=len(of_basis),
                basis=basis,
                gpu=best["gpu"],
                index=ratio(best["index"]),
                between=after_comma(best["ci_low"], best["ci_high"]),
            )
        )
    return gettext("{gpu}: {parts}. The RTX 2080 Ti is 1.", gpu=plural(len(rows), "GPU model"), parts=gettext("; ").join(parts))
