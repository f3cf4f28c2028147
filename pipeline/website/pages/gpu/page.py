"""One page per GPU: specifications with sources, prices, measured performance. The list of all is in `pages.gpu_list`."""

from collections import defaultdict
from typing import Any

from pipeline.gpu_identity.similar import similar_gpus
from pipeline.website.components import market
from pipeline.website.components.gpu_prices import PURCHASES, GpuPrices
from pipeline.website.components.purchases import kind, last_known_text
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.pages.gpu import performance, share_image, value
from pipeline.website.pages.gpu.models import models_by_gpu
from pipeline.website.pages.pairs.members import comparisons_by_gpu
from pipeline.website.writing.database import Database, Row, Rows, group_by
from pipeline.website.writing.labels import column_label, gpu_name, short_gpu
from pipeline.website.writing.numbers import number, usd
from pipeline.website.writing.page_writer import PageWriter

_GPUS = "SELECT * FROM gpu ORDER BY release_date DESC NULLS LAST, gpu_id"
_QUERIES = {
    "runs": """
        SELECT m.gpu_id, r.source_id, r.machine, r.task, r.status, r.seconds, c.usd_per_run
        FROM guide_run r
        JOIN guide_machine m USING (source_id, machine)
        LEFT JOIN run_cost c ON (c.source_id, c.machine, c.task, c.own_price) = (r.source_id, r.machine, r.task, true)
        WHERE m.gpu_id IS NOT NULL ORDER BY r.task
    """,
    "batches": """
        SELECT m.gpu_id, b.source_id, b.machine, b.task, b.max_batch_items, c.usd_per_batch_item
        FROM guide_max_batch b
        JOIN guide_machine m USING (source_id, machine)
        LEFT JOIN batch_item_cost c ON (c.source_id, c.machine, c.task, c.own_price) = (b.source_id, b.machine, b.task, true)
        WHERE m.gpu_id IS NOT NULL ORDER BY b.task
    """,
    "epochs": """
        SELECT m.gpu_id, e.source_id, e.machine, e.model, e.batch_total, e.second_epoch_seconds, e.peak_gpu_memory_gb
        FROM guide_epoch e JOIN guide_machine m USING (source_id, machine) WHERE m.gpu_id IS NOT NULL ORDER BY e.machine, e.model
    """,
    "throughput": """
        SELECT gpu_id, suite, workload, CASE variant WHEN 'none' THEN '' ELSE variant END AS variant, precision,
            throughput, batch_per_gpu, unit, source_id, snapshot_id, locator
        FROM gpu_throughput ORDER BY workload, variant, suite, precision
    """,
    "advice": "SELECT * FROM guide_recommendation WHERE gpu_id IS NOT NULL ORDER BY source_id, recommendation_id",
    "figures": """
        SELECT f.gpu_id, f.source_id, a.subject, a.quantity, a.published_text, a.recomputed_shown, a.unit, a.agrees, a.note
        FROM audit a JOIN published_figure f USING (figure_id)
        WHERE f.gpu_id IS NOT NULL ORDER BY a.agrees NULLS LAST, f.source_id, a.quantity
    """,
    "purchases": PURCHASES,
    "names": """
        SELECT gpu_id, source_id, raw_gpu_name, gpu_context, reported_memory_gb, rule FROM gpu_label
        WHERE gpu_id IS NOT NULL ORDER BY raw_gpu_name, source_id, gpu_context, reported_memory_gb
    """,
    "builds": "SELECT * FROM system_build ORDER BY ALL",
}
_ALIASES = "SELECT DISTINCT gpu_id, alias, scope FROM gpu_alias ORDER BY alias, scope"
_LABELS = """
    SELECT DISTINCT raw_gpu_name, gpu_context, reported_memory_gb, l.gpu_id, g.name,
        regexp_replace(l.reason, '^''.+'' can be .+?: ', '') AS reason, l.source_id
    FROM gpu_label l LEFT JOIN gpu g ON g.gpu_id = l.gpu_id
    ORDER BY l.gpu_id IS NOT NULL, raw_gpu_name, gpu_context, reported_memory_gb, l.gpu_id, reason, l.source_id
"""
_RANKS = "SELECT gpu_id, attribute, rank, reverse_rank, n_gpus, lower_is_better FROM spec_rank"
_SPECS = "SELECT * FROM gpu_spec ORDER BY gpu_id, attribute, chosen DESC, agrees NULLS LAST, publisher, locator"
_KEY_FIGURES = {
    "memory_gb": N_("Memory"),
    "memory_bandwidth_gb_per_s": N_("Memory bandwidth"),
    "fp32_tflops": "FP32",
    "fp16_tensor_tflops": N_("FP16 tensor, dense"),
    "tdp_w": N_("Board power"),
    "launch_msrp_usd": N_("Launch price"),
}
_PLACES = {
    "st": (N_("{place}st highest"), N_("{place}st lowest")),
    "nd": (N_("{place}nd highest"), N_("{place}nd lowest")),
    "rd": (N_("{place}rd highest"), N_("{place}rd lowest")),
    "th": (N_("{place}th highest"), N_("{place}th lowest")),
}
_OWN_TERMS = {
    "AMD": {"sm_count": N_("Compute units"), "cuda_cores": N_("Stream processors")},
    "Intel": {"sm_count": N_("Xe cores"), "cuda_cores": N_("FP32 lanes"), "tensor_cores": N_("Matrix engines")},
}


def write(writer: PageWriter) -> None:
    """Write the page of every GPU."""
    data = writer.data
    gpus = data.rows(_GPUS)
    results = data.results(_QUERIES | value.QUERIES | performance.QUERIES)
    parts = {name: group_by(rows, "gpu_id") for name, rows in results.items()}
    parts["aliases"] = group_by(_aliases(data), "gpu_id")
    specs = group_by(data.rows(_SPECS), "gpu_id")
    ranks = {(row["gpu_id"], row["attribute"]): row for row in data.rows(_RANKS)}
    prices, others, compared = GpuPrices(writer, gpus), _not_mapped(data), comparisons_by_gpu(data)
    models = models_by_gpu(data)
    for gpu in gpus:
        gpu_id = gpu["gpu_id"]
        own = {name: groups[gpu_id] for name, groups in parts.items()}
        places = (row for row in own["places"] if row["rental_place"] or row["purchase_place"])
        own["places"] = Rows(own["places"].sql, places)
        details = own | prices.of(gpu)
        writer.write_page(
            f"gpus/{gpu_id}",
            gpu_name(gpu["name"]),
            gettext("{gpu}: specifications with sources, prices and measured runs.", gpu=gpu_name(gpu["name"])),
            gpu=gpu,
            name=gpu_name(gpu["name"]),
            key_figures=_key_figures(gpu, ranks, data),
            specs=_spec_rows(gpu, specs[gpu_id], data),
            verdict=value.verdict(short_gpu(gpu["name"], gpu_id), own["verdicts"][0]),
            last_known_text=last_known_text(own["last_known"]),
            owned=next((row for row in own["last_known"] if not (row["is_old"] or row["estimated"])), None),
            kind=kind,
            models=models[gpu_id],
            **performance.context(data, gpu, own["performance"], own["figures_uploaded"]),
            comparisons=compared[gpu_id],
            not_mapped=others[gpu_id],
            terms=market.commitment_text,
            term_note=market.term_note,
            counted=market.offer_count_text,
            **details,
            **share_image.draw(writer, gpu, details["market"], details["performance"]),
        )


def _aliases(data: Database) -> list[Row]:
    """Return one row per GPU and alias, with the scopes in which it holds."""
    aliases = group_by(data.rows(_ALIASES), lambda row: (row["gpu_id"], row["alias"])).values()
    return [rows[0] | {"scopes": gettext(", ").join(gettext(row["scope"]) for row in rows)} for rows in aliases]


def _not_mapped(data: Database) -> dict[str, list[Row]]:
    """Return by GPU the labels that contain the words of its name: those of no GPU, then those of another one."""
    rows: dict[str, list[Row]] = defaultdict(list)
    for label in _labels(data):
        for gpu_id in similar_gpus(label["raw_gpu_name"]) - {label["gpu_id"]}:
            rows[gpu_id].append(label)
    return rows


def _labels(data: Database) -> list[Row]:
    """Return each label once, with all its sources."""
    labels: dict[tuple[object, ...], Row] = {}
    for row in data.rows(_LABELS):
        source_id = row.pop("source_id")
        labels.setdefault(tuple(row.values()), row | {"source_ids": []})["source_ids"].append(source_id)
    return list(labels.values())


def _key_figures(gpu: Row, ranks: dict[tuple[str, str], Row], data: Database) -> list[dict[str, Any]]:
    units = {key: "" if key == "launch_msrp_usd" else data.columns["gpu"][key]["unit"] for key in _KEY_FIGURES}
    known = [key for key in _KEY_FIGURES if gpu[key] is not None]
    return [_key_figure(key, gpu[key], ranks[gpu["gpu_id"], key]) | {"unit": units[key]} for key in known]


def _key_figure(key: str, value: float, rank: Row) -> dict[str, Any]:
    lower = rank["lower_is_better"]
    return {
        "label": _KEY_FIGURES[key],
        "value": usd(value) if key == "launch_msrp_usd" else number(value),
        "place": rank["reverse_rank"] if lower else rank["rank"],  # from the highest
        "of": rank["n_gpus"],
        "ordinal": _ordinal(*min((rank["rank"], lower), (rank["reverse_rank"], not lower))),
    }


def _ordinal(place: int, lower: bool) -> str:
    """Return a rank in words, counted from the lowest or from the highest."""
    if place == 1:
        return gettext("lowest") if lower else gettext("highest")
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return gettext(_PLACES[ending][lower], place=place)


def _spec_rows(gpu: Row, rows: list[Row], data: Database) -> list[dict[str, Any]]:
    """Return one row per attribute in the order of gpu's columns: the chosen value and the values of other sources."""
    own_terms, groups = _OWN_TERMS.get(gpu["vendor"], {}), group_by(rows, "attribute")
    return [
        {
            "label": gettext(own_terms.get(name)) or column_label(name, column["unit"]),
            "text": column["text"],
            "chosen": chosen[0],
            "others": _others(groups[name]),
        }
        for name, column in data.columns["gpu"].items()
        if (chosen := [row for row in groups[name] if row["chosen"]])
    ]


def _others(rows: list[Row]) -> list[Row]:
    """Return the statements that were not chosen, each publisher and value once."""
    unique = {(row["publisher_id"], row["value"], row["value_text"]): row for row in reversed(rows) if not row["chosen"]}
    return list(reversed(unique.values()))
