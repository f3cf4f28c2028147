"""Initial state of the training job calculator: the guide's job on a timed GPU, computed by the database.

`site/docs/assets/training-job.js` writes the same texts in the browser for the reader's own figures.
"""

from typing import Any

from pipeline.warehouse.connection import dictionaries
from pipeline.website.components import calculator_data
from pipeline.website.components.calculator_data import Groups
from pipeline.website.components.recommend import recommend_form
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.labels import link_name
from pipeline.website.writing.numbers import day, duration, number, usd

NETWORK = "cnn-fp32"  # that of the guide's job
_GROUPS: Groups = (
    (N_("Time and price known"), lambda row: row["seconds"] is not None and row["median_usd"] is not None),
    (N_("Only a time"), lambda row: row["seconds"] is not None),
    (N_("Only a rental price"), lambda row: row["median_usd"] is not None),
    (N_("Nothing known"), lambda row: True),
)
_EPOCHS = "SELECT DISTINCT epochs FROM training_job"
_HOURS = "SELECT value AS hours FROM guide_rule WHERE rule_id = 'training-within'"
_LINKS = "SELECT DISTINCT interconnect FROM scaling_efficiency WHERE interconnect <> 'unknown' ORDER BY 1"
_FIRST = "SELECT gpu_id FROM training_job ORDER BY basis <> 'measured', usd_on_one NULLS LAST, gpu_id LIMIT 1"
_ROWS = f"""
    SELECT gpus, efficiency AS share, time_to_train_s($epochs, $seconds, gpus, efficiency) AS time,
        cost_to_train_usd($epochs, $seconds, gpus, efficiency, $usd) AS usd,
        time_to_train_s($epochs, $seconds_low, gpus, efficiency) AS time_low,
        time_to_train_s($epochs, $seconds_high, gpus, efficiency) AS time_high,
        cost_to_train_usd($epochs, $seconds_low, gpus, efficiency, $usd) AS usd_low,
        cost_to_train_usd($epochs, $seconds_high, gpus, efficiency, $usd) AS usd_high
    FROM unnest([1, 2, 4, 8]) AS n(gpus)
    LEFT JOIN (
        SELECT gpu_count AS gpus, efficiency FROM ({calculator_data.EFFICIENCY})
        WHERE interconnect = $link AND network = '{NETWORK}'
        UNION ALL SELECT 1, 1
    ) USING (gpus)
    ORDER BY gpus
"""
_COUNTS = (1, 2, 4, 8)


def context(data: Database) -> dict[str, Any]:
    """Return the context of the calculator's template."""
    rows = calculator_data.gpus(data)
    first = data.rows(_FIRST)
    gpu = next((row for row in rows if first and row["gpu_id"] == first[0]["gpu_id"]), rows[0])
    epochs, hours = data.rows(_EPOCHS), data.rows(_HOURS)
    job = {"epochs": epochs[0]["epochs"] if epochs else None, "hours": hours[0]["hours"] if hours else None}  # of the guide
    families = (one for group in recommend_form.workloads(data) for one in group["workloads"] if one["kind"] == "family")
    return {
        "groups": calculator_data.choices(rows, _GROUPS),
        "gpu": gpu,
        "given": job,
        "networks": {f"{one['family']}-{one['precision']}": one["label"] for one in families},
        "network": NETWORK,
        "links": {row["interconnect"]: link_name(row["interconnect"]) for row in data.rows(_LINKS)},
        "counts": _COUNTS,
        "texts": _texts(data, gpu, job),
        "from": _sources(gpu),
    }


def _texts(data: Database, gpu: Row, job: Row) -> dict[str, str]:
    """Return the texts of the result; empty if the time or rent of the GPU is unknown."""
    if None in (gpu["seconds"], gpu["median_usd"], job["hours"]):
        return {}
    inputs = {"epochs": job["epochs"], "seconds": gpu["seconds"], "usd": gpu["median_usd"], "link": gpu["interconnect"]}
    inputs |= {name: gpu[name] for name in ("seconds_low", "seconds_high")}
    rows = dictionaries(data.connection.execute(_ROWS, inputs))
    texts = {"outcome": gettext("{cost} and {time} on one GPU", cost=usd(rows[0]["usd"]), time=_span(rows[0]["time"]))}
    texts |= {"within": _within(rows, job["hours"]), "interval": _interval(rows[0])}
    for row in rows:
        texts |= {f"{name}-{row['gpus']}": text for name, text in _row(row, inputs).items()}
    return texts


def _within(rows: list[Row], hours: float) -> str:
    """Return the smallest number of GPUs that finishes in time."""
    row = next((row for row in rows if row["time"] is not None and row["time"] <= hours * 3600), None)
    if row is None:
        return gettext("Within {hours} hours: 8 GPUs are not enough, or their scaling is not known.", hours=number(hours))
    if row["gpus"] == 1:
        return gettext("Within {hours} hours: one GPU is enough.", hours=number(hours))
    figures = {"hours": number(hours), "gpus": row["gpus"], "time": _span(row["time"]), "cost": usd(row["usd"])}
    return gettext("Within {hours} hours: {gpus} GPUs, {time}, {cost}.", **figures)


def _interval(row: Row) -> str:
    if row["time_high"] is None:
        return ""
    times = {"low": _span(row["time_low"]), "high": _span(row["time_high"])}
    costs = {"least": usd(row["usd_low"]), "most": usd(row["usd_high"])}
    return gettext("The time is a rough prediction: {low} to {high}, {least} to {most}.", **times, **costs)


def _row(row: Row, inputs: dict[str, Any]) -> dict[str, str]:
    if row["share"] is None:
        return dict.fromkeys(("share", "time", "cost"), gettext("not known")) | {
            "arithmetic": gettext("Scaling to {gpus} GPUs over this link was not measured.", gpus=row["gpus"])
        }
    share = number(100 * row["share"], 3)
    figures = {"epochs": number(inputs["epochs"]), "seconds": number(inputs["seconds"]), "gpus": row["gpus"], "share": share}
    figures |= {"hours": number(row["time"] / 3600), "price": usd(inputs["usd"]), "cost": usd(row["usd"])}
    texts = {"share": f"{share}%", "time": _span(row["time"]), "cost": str(usd(row["usd"]))}
    return texts | {
        "arithmetic": gettext("{epochs} × {seconds} s / ({gpus} × {share}%) = {hours} h; × {gpus} × {price} = {cost}", **figures)
    }


def _span(seconds: float) -> str:
    return gettext("{days} days", days=number(seconds / 86400, 3)) if seconds >= 2 * 86400 else str(duration(seconds))


def _sources(gpu: Row) -> dict[str, str]:
    """Return the origin of each copied figure, by the name of its input."""
    timed = gettext("EfficientNet B7 on 2,136 images, measured")
    if gpu["basis"] != "measured":
        timed = gettext("EfficientNet B7 on 2,136 images, predicted from {number} timed GPUs", number=gpu["n_timed"])
    offers = {"offers": number(gpu["n_offers"]), "day": day(gpu["median_date"])}
    rent = gettext("median of {offers} current on-demand offers, newest {day}", **offers)
    if gpu["n_offers"] == 1:
        rent = gettext("the one current on-demand offer, {day}", **offers)
    link = gettext("likely for this GPU" if gpu["interconnect"] else "not known for this GPU")
    return {"seconds": timed, "rent": rent, "link": link}
