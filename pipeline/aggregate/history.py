"""Aggregates of a history, month by month: intervals of validity, histograms of prices, and the figures of each day.

A month needs its own observations and the prices that were still current when the month before ended (`carried`). It is
computed again if one of these, or the SQL, changed. So a new day concerns the last month, and a late correction the months it
names, and those after them for as long as the carried prices differ.
"""

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from pipeline.aggregate import observations
from pipeline.aggregate.engines import Engine
from pipeline.files import hash_file, read_hashed, replace_folder, with_hash, write_atomically
from pipeline.warehouse.sql_models import metric_sql

LAPSED_COLUMNS = ("source_id", "provider", "gpu_model_id", "usd")
INTERVAL, SELLER, SELLER_DAY, HISTOGRAM, DAILY = TABLES = (
    "_price_interval", "_seller", "_seller_day", "_price_histogram", "price_daily"
)  # fmt: skip
PRICE_AS_OF = Path(__file__).parent / "price_as_of.sql"
NO_REPEATS = """SELECT CAST(NULL AS STRING) AS offer_key, CAST(NULL AS STRING) AS repeats,
    CAST(NULL AS INT) AS replaces_after_days WHERE 1 = 0"""
State = dict[str, Any]


def aggregate(engine: Engine, folder: Path, out: Path, report: Callable[[str], None] = lambda _month: None) -> list[str]:
    """Bring the aggregates in `out` up to date with the observations in `folder`; return the months that were computed.

    `report` is called after each of them. `out` gets one Parquet dataset per table, by month. Raises AggregateError.
    """
    files = observations.files_by_month(folder)
    out.mkdir(parents=True, exist_ok=True)
    manifest, computed = Manifest(out / "manifest.json"), list[str]()
    repeats = _read_repeats(engine, folder)
    rules = hashlib.sha256("".join([*map(metric_sql, TABLES), _lapsed(dt.date.max, carried=True)]).encode()).hexdigest()
    carried: list[Path] = []
    for month in _months(min(files), max(files)):
        inputs = {"carried": carried, "observations": files.get(month, []), "repeats": repeats}
        state = {"rules": rules} | {name: manifest.hashes(paths) for name, paths in inputs.items()}
        if manifest.months.get(month) != state or not _folder(out, DAILY, month).exists():
            _compute(engine, month, files.get(month, []), carried, out)
            manifest.save(month, state)
            computed.append(month)
            report(month)
        carried = _stored(out, "carried", month)
    return computed


def _compute(engine: Engine, month: str, files: list[Path], carried: list[Path], out: Path) -> None:
    """Write the tables of one month."""
    first, last = _days(month)
    _define_sightings(engine, files, carried, first, last)
    engine.define("uncut", metric_sql(INTERVAL))
    engine.define(INTERVAL, _cut(first, last))
    _store(engine, INTERVAL, out, month, "offer_key, first_day")
    engine.define("carried", _carried(last))
    _store(engine, "carried", out, month, "offer_key")
    engine.define("lapsed", _lapsed(last, carried=bool(carried)))
    _store(engine, "lapsed", out, month, "offer_key")
    engine.define(SELLER, metric_sql(SELLER))
    _store(engine, SELLER, out, month, "seller_number")  # the next three read it
    for name in (SELLER_DAY, HISTOGRAM):
        engine.define(name, metric_sql(name))
    _store(engine, HISTOGRAM, out, month)  # a sort would take a third of its time
    engine.define(DAILY, metric_sql(DAILY))
    _store(engine, DAILY, out, month, "date, gpu_model_id")


def _define_sightings(engine: Engine, files: list[Path], carried: list[Path], first: dt.date, last: dt.date) -> None:
    parts = []
    for name, paths in (("observation", files), ("carried_in", carried)):
        if paths:
            engine.read(name, paths)
            observations.check_columns(engine, name, paths[0].parent)
            parts.append(observations.select(name))
    if files:
        observations.check_rows(engine, "observation", first, last)
    engine.define("_price_sighting", " UNION ALL ".join(parts))


def _cut(first: dt.date, last: dt.date) -> str:
    """Intervals cut to the month. `expires_on` is the last day on which the price is current if nothing later is seen."""
    columns = ", ".join(name for name in observations.COLUMNS if name not in ("date", "stated_until", "is_listed"))
    return f"""SELECT greatest(first_day, DATE '{first}') AS first_day, least(last_day, DATE '{last}') AS last_day,
        last_day AS expires_on, seen_on, stated_until, {columns}
        FROM uncut WHERE last_day >= DATE '{first}'"""


def _carried(last: dt.date) -> str:
    """Prices that are current beyond the month, as observations of the day on which they were seen, which end no other price."""
    given = {"date": "seen_on", "is_listed": "false"}
    columns = ", ".join(f"{given.get(name, name)} AS {name}" for name in observations.COLUMNS)
    return f"SELECT {columns} FROM {INTERVAL} WHERE expires_on > DATE '{last}'"


def _lapsed(last: dt.date, *, carried: bool) -> str:
    """Last price of each offer of the month, or carried into it, whose price is not current beyond the month."""
    columns = ", ".join(LAPSED_COLUMNS)
    newest = ", ".join(f"max_by({name}, seen_on) AS {name}" for name in LAPSED_COLUMNS)
    before = f"UNION ALL SELECT offer_key, {columns}, date AS seen_on, date AS expires_on FROM carried_in" if carried else ""
    return f"""SELECT offer_key, {newest}, max(seen_on) AS seen_on
        FROM (SELECT offer_key, {columns}, seen_on, expires_on FROM {INTERVAL} {before}) AS known
        GROUP BY offer_key HAVING max(expires_on) <= DATE '{last}'"""


def _read_repeats(engine: Engine, folder: Path) -> list[Path]:
    files = list(folder.glob(observations.REPEATS))
    if files:
        engine.read("offer_repeat", files)
    else:
        engine.define("offer_repeat", NO_REPEATS)
    return files


def _store(engine: Engine, view: str, out: Path, month: str, order: str = "") -> None:
    """Write the rows of a view, and let it read them from now on. Some engines write no file for no row."""
    sort = f" ORDER BY {order}" if order else ""
    with replace_folder(_folder(out, view, month)) as scratch:
        engine.write(f"SELECT * FROM {view}{sort}", scratch)
    if files := _stored(out, view, month):
        engine.read(view, files)


def _stored(out: Path, view: str, month: str) -> list[Path]:
    return sorted(_folder(out, view, month).glob("*.parquet"))


def _folder(out: Path, view: str, month: str) -> Path:
    return out / view.removeprefix("_") / f"month={month}"


def _months(first: str, last: str) -> Iterator[str]:
    while first <= last:
        yield first
        first = f"{_days(first)[1] + dt.timedelta(1):%Y-%m}"


def _days(month: str) -> tuple[dt.date, dt.date]:
    """Return the first and last day of a month."""
    first = dt.date.fromisoformat(f"{month}-01")
    return first, (first + dt.timedelta(31)).replace(day=1) - dt.timedelta(1)


class Manifest:
    """The state of each month in a JSON file after its hash: hashes of files and of rules. A damaged file states none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        stored = json.loads(read_hashed(path) or b"{}")
        self.months: dict[str, State] = stored.get("months", {})
        self.files: dict[str, list[int | str]] = stored.get("files", {})

    def hashes(self, files: Iterable[Path]) -> list[str]:
        """Return each file's name and SHA-256. A file of the same size and time as before is not read again."""
        return [f"{file.parent.parent.name}/{file.name} {self._hash(file)}" for file in files]

    def save(self, month: str, state: State) -> None:
        """Store the state of a month, and keep the files' hashes."""
        self.months[month] = state
        write_atomically(self.path, with_hash(json.dumps({"months": self.months, "files": self.files}, indent=1).encode()))

    def _hash(self, file: Path) -> str:
        stat = file.stat()
        now = [stat.st_size, stat.st_mtime_ns]
        *before, sha256 = self.files.get(str(file), [""])
        if before != now:
            sha256 = hash_file(file)
            self.files[str(file)] = [*now, sha256]
        return str(sha256)
