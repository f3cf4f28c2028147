"""The figures of the calculators in a real browser are those of the database's functions and tables."""

import math
import random
from typing import Any

import duckdb
import pytest

from pipeline.warehouse.connection import dictionaries
from tests.browser.visit import Visit

QUESTIONS = 60
RENT_OR_BUY = "questions => questions.map(one => gpuledger.calculators.rentOrBuy(one))"
TRAINING = "questions => questions.map(one => gpuledger.calculators.trainingJob(one))"
SYSTEM = "questions => questions.map(one => gpuledger.calculators.system(one, one.memory))"
EFFICIENCY = """
    SELECT interconnect AS link, family || '-' || precision AS network, gpu_count, efficiency FROM scaling_efficiency ORDER BY ALL
"""
GIVEN = "SELECT map(list(assumption_id), list(value)) AS given FROM assumption"


def rows(con: duckdb.DuckDBPyConnection, sql: str, parameters: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    return dictionaries(con.execute(sql, parameters))


def by_database(con: duckdb.DuckDBPyConnection, questions: list[dict[str, Any]], figures: str) -> list[dict[str, Any]]:
    """Answers of the database's functions to all questions, in one statement."""
    asked = {name: [question[name] for question in questions] for name in questions[0]} | {"place": list(range(len(questions)))}
    columns = ", ".join(f"unnest(${name}::DOUBLE[]) AS {name}" for name in asked)
    return rows(con, f"SELECT {figures} FROM (SELECT {columns}) ORDER BY place", asked)


def agree(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> None:
    """Every figure that the database gives is that of the browser; unknown is unknown in both."""
    for mine, other in zip(ours, theirs, strict=True):
        wanted = {name: math.nan if value is None else float(value) for name, value in mine.items()}
        found = {name: math.nan if other[name] is None else other[name] for name in mine}
        assert found == pytest.approx(wanted, rel=1e-9, nan_ok=True), other


def sometimes(dice: random.Random, value: float) -> float | None:
    return None if dice.random() < 0.08 else value


def test_rent_or_buy_counts_as_the_database_does(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    dice = random.Random(2020)  # noqa: S311
    questions = [
        {
            "gpu": sometimes(dice, dice.choice((0, 1499, dice.uniform(50, 30_000)))),
            "host": dice.choice((0, 701, dice.uniform(0, 9000))),
            "cloud": sometimes(dice, 10 ** dice.uniform(-2, 1)),
            "utilisation": dice.choice((0.1, 15, 100, dice.uniform(0.1, 100))),
            "watts": sometimes(dice, dice.choice((0, 450, dice.uniform(50, 2000)))),
            "kwh": dice.choice((0, 0.12, dice.uniform(0, 1))),
            "kept": dice.choice((0, 0, 80, 100, dice.uniform(1, 99))),
        }
        for _ in range(QUESTIONS)
    ]
    terms = "gpu + host, cloud, utilisation / 100, watts, kwh"
    figures = f"""CASE WHEN kept > 0 THEN break_even_days_with_resale({terms}, gpu, kept / 100)
        ELSE break_even_days({terms}) END AS days, electricity_kwh_per_year(watts, utilisation / 100) AS electricity"""
    wanted = by_database(con, questions, figures)
    agree(wanted, visit.open("break-even/index.html").evaluate(RENT_OR_BUY, questions))
    assert 20 < sum(row["days"] is not None for row in wanted) < QUESTIONS, "too few questions have an answer, or all have one"


def test_rent_or_buy_gives_the_table(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    table = rows(
        con,
        """SELECT gpu_usd AS gpu, host_usd AS host, cloud_usd_per_gpu_hour AS cloud, utilisation_percent AS utilisation, watts,
            usd_per_kwh AS kwh, 0 AS kept, break_even_days AS days, cloud_usd_per_year AS rent, electricity_usd_per_year AS power
        FROM break_even""",
    )
    assert len(table) > 100
    figures = ("days", "rent", "power")
    found = visit.open("break-even/index.html").evaluate(RENT_OR_BUY, table)
    agree([{name: row[name] for name in figures} for row in table], found)


def test_a_training_counts_as_the_database_does(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    dice = random.Random(2023)  # noqa: S311
    known = {(row["link"], row["network"], row["gpu_count"]): row["efficiency"] for row in rows(con, EFFICIENCY)}
    links = [*sorted({place[:2] for place in known}), ("", "cnn-fp32")]
    asked = [
        {
            "epochs": dice.choice((1, 400, dice.uniform(1, 1000))),
            "seconds": sometimes(dice, 10 ** dice.uniform(-1, 4)),
            "rent": sometimes(dice, dice.uniform(0, 8)),
            "within": dice.choice((24, dice.uniform(0.1, 300))),
        }
        for _ in range(QUESTIONS)
    ]
    placed = [dice.choice(links) for _ in asked]
    questions = [one | {"link": link, "network": network} for one, (link, network) in zip(asked, placed, strict=True)]
    found = visit.open("calculators/index.html").evaluate(TRAINING, questions)
    shares = [{f"e{n}": known.get((*place, n)) for n in (2, 4, 8)} for place in placed]
    figures = [f"time_to_train_s(epochs, seconds, {n}, e{n}) AS time_{n}" for n in (2, 4, 8)]
    figures += [f"cost_to_train_usd(epochs, seconds, {n}, e{n}, rent) AS usd_{n}" for n in (2, 4, 8)]
    figures.append("gpus_within_hours(time_to_train_s(epochs, seconds, 1, 1) / 3600, within, e2, e4, e8) AS enough")
    wanted = by_database(con, [one | share for one, share in zip(asked, shares, strict=True)], ", ".join(figures))
    agree(wanted, [{"enough": one["enough"]} | _by_count(one["rows"]) for one in found])
    assert {1, 2, 4, 8, None} <= {row["enough"] for row in wanted}


def _by_count(counted: list[dict[str, Any]]) -> dict[str, Any]:
    return {f"{name}_{row['gpus']}": row[name] for row in counted for name in ("time", "usd")}


def test_a_training_gives_the_table_for_every_gpu(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    table = rows(con, "SELECT * FROM training_job ORDER BY gpu_id")
    page = visit.open("calculators/index.html")
    gpus = {gpu["gpu_id"]: gpu for gpu in page.evaluate("() => gpuledger.calculatorTables().gpu")}
    copied = [gpus[row["gpu_id"]] for row in table]
    given = {"epochs": table[0]["epochs"], "within": 24, "network": "cnn-fp32"}
    asked = [given | {"seconds": gpu["seconds"], "rent": gpu["median_usd"], "link": gpu["interconnect"]} for gpu in copied]
    found = page.evaluate(TRAINING, asked)
    days = [row["days_on_one"] for row in table]
    times = [None if known is None else 86400 * known for known in days]  # a bounded time is no one time
    wanted = [
        {"time": time, "usd": row["usd_on_one"], "enough": row["gpus_in_24_hours"]}
        for time, row in zip(times, table, strict=True)
    ]
    assert [row["basis"] == "bounded" for row in table] == [time is None for time in times]
    agree(wanted, [one["rows"][0] | {"enough": one["enough"]} for one in found])


def test_a_system_counts_as_the_database_does(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    dice = random.Random(8)  # noqa: S311
    questions = [
        {
            "gpus": dice.randrange(1, 9),
            "tdp": sometimes(dice, dice.choice((75, 450, dice.uniform(20, 1500)))),
            "width": sometimes(dice, dice.choice((1, 2, 2.5, 3, 4, 5))),
            "connectors": dice.randrange(1, 9),
            "host": dice.choice((0, 100, dice.uniform(0, 800))),
            "use": dice.choice((0, 15, 100, dice.uniform(0, 100))),
            "kwh": dice.uniform(0, 1),
            "grid": dice.uniform(0, 1),
            "memory": sometimes(dice, dice.choice((8, 24, 80))),
        }
        for _ in range(QUESTIONS)
    ]
    figures = """gpus * memory AS memory, gpus * tdp AS gpu_power, psu_w(gpus, tdp) AS psu, psu_guide_w(gpus, tdp) AS guide,
        machine_w(gpus, tdp, host, 4) AS machine,
        max_gpus_in_slots(connectors, width) AS most, gpus * width AS slots,
        electricity_kwh_per_year(machine, use / 100) AS electricity, electricity * kwh AS power,
        co2_kg(electricity, grid) AS co2"""
    agree(by_database(con, questions, figures), visit.open("calculators/index.html").evaluate(SYSTEM, questions))


def test_a_system_gives_the_table_for_every_gpu(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    table = rows(
        con,
        """SELECT s.gpu_count AS gpus, g.tdp_w AS tdp, g.slot_width AS width, g.memory_gb AS memory_each, 4 AS connectors,
            memory_gb_total AS memory, gpu_watts AS gpu_power, psu_guide_w AS guide, psu_w AS psu, slots,
            fits_four_double_slots AS fits, machine_watts AS machine, electricity_kwh_per_year AS electricity,
            electricity_usd_per_year AS power, co2_kg_per_year AS co2
        FROM system_build s JOIN gpu g USING (gpu_id)""",
    )
    given = rows(con, GIVEN)[0]["given"]
    terms = {"host": given["host_w"], "kwh": given["usd_per_kwh"], "grid": given["kg_co2_per_kwh"]}
    terms["use"] = 100 * given["utilisation"]
    asked = [row | terms | {"memory": row["memory_each"]} for row in table]
    found = visit.open("calculators/index.html").evaluate(SYSTEM, asked)
    figures = ("memory", "gpu_power", "guide", "psu", "slots", "machine", "electricity", "power", "co2")
    agree([{name: row[name] for name in figures} for row in table], found)
    assert [row["fits"] for row in table] == [
        None if one["most"] is None else row["gpus"] <= one["most"] for row, one in zip(table, found, strict=True)
    ]
