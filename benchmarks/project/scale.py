"""A history of 10^7 and of 10^8 observations: `gpuledger aggregate` beside plain DuckDB SQL over the same Parquet.

`python -m benchmarks.project.scale FOLDER` needs an empty folder, and prints the table of `site/docs/scale.md`; `make
bench-scale` calls it. The longer history has ten times as many years; both have about 27,000 prices a day (`scale_history.sql`).
`scale_plain.sql` is the other side; it may use more memory, since it needs more. `--years 100 --alone` measures 10^9 without it.
"""

import argparse
import datetime as dt
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import duckdb

from pipeline import paths
from pipeline.aggregate import history

HERE = Path(__file__).parent
FIRST_DAY = dt.date(2016, 1, 1)
OFFERS = 36_000
PLAIN: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "6GB", "max_temp_directory_size": "50GB"}
AGGREGATE = (sys.executable, "-m", "pipeline", "aggregate")
DAILY = """SELECT date, gpu_model_id, gpu_id, kind, billing, commitment, n_offers, n_seen, n_providers, usd_min, low_provider,
    round(usd_p25, 9), round(usd_median, 9), round(usd_p75, 9)
    FROM read_parquet('{}', hive_partitioning = false) WHERE date <= '{}'"""
VALID_DAYS = """SELECT offer_key, usd, counts, sum(least(last_day, DATE '{1}') - first_day + 1) AS days
    FROM read_parquet('{0}', hive_partitioning = false) GROUP BY ALL"""


@dataclass(frozen=True, slots=True)
class Run:
    """Wall time, processor time and peak memory of a process."""

    seconds: float
    cpu_seconds: float
    megabytes: float

    def __str__(self) -> str:
        return f"{self.seconds:,.1f} s ({self.cpu_seconds:,.1f} s)"

    def __truediv__(self, other: "Run") -> str:
        return f"{self.seconds / other.seconds:.3f} ({self.cpu_seconds / other.cpu_seconds:.3f})"


def main() -> None:
    """Measure each size, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--years", type=int, nargs="+", default=[1, 10], help="of each history; ten are 10^8 observations")
    parser.add_argument("--offers", type=int, default=OFFERS, help="listed on a day")
    parser.add_argument("--alone", action="store_true", help="without the plain SQL, which needs 60 GB of disk for 10^8 rows")
    parser.add_argument("--plain", type=Path, metavar="OUT", help="run the plain SQL alone, over the observations in FOLDER")
    options = parser.parse_args()
    if options.plain:
        run_plain(options.folder.resolve(), options.plain.resolve())
        return
    print("| observations | size | aggregate | plain SQL | ratio | memory | memory, plain | new day | correction | price as of |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for years in options.years:
        folder = options.folder.resolve() / str(years)
        print(measure(folder, years, options.offers, alone=options.alone), flush=True)
        shutil.rmtree(folder)


def measure(folder: Path, years: int, offers: int, *, alone: bool) -> str:
    """Generate a history, aggregate it in several ways, and return the row of the table; `alone` leaves out the plain SQL."""
    observations, out = folder / "observations", folder / "daily"
    command = (*AGGREGATE, str(observations), "--out", str(out))
    last = FIRST_DAY.replace(year=FIRST_DAY.year + years) - dt.timedelta(1)
    rows = generate(observations, FIRST_DAY, last - dt.timedelta(1), offers)
    full = timed(*command)
    rows += generate(observations, last, last, offers)
    day = timed(*command)
    plain = None if alone else measure_plain(observations, out, folder / "plain", last)
    correct(observations, f"{last.year - years // 2}-06")
    correction = timed(*command)
    size = sum(file.stat().st_size for file in observations.rglob("*.parquet")) / 1e6
    as_of = max(price_as_of(out, day) for day in (FIRST_DAY + (last - FIRST_DAY) / 2, last))
    cells = (
        f"{rows:,}", f"{size:,.0f} MB", full, plain or "", full / plain if plain else "",
        f"{full.megabytes:,.0f} MB", f"{plain.megabytes:,.0f} MB" if plain else "",
        f"{day}, {day / full}", correction, f"{as_of:.2f} s",
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def generate(folder: Path, first: dt.date, last: dt.date, offers: int) -> int:
    """Write the observations of these days, month by month, beside those that are there; return their number."""
    rows, sql = 0, f"({(HERE / 'scale_history.sql').read_text()}) ORDER BY source_id, offer_key, date"
    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as con:
        while first <= last:
            end = min(last, (first.replace(day=1) + dt.timedelta(31)).replace(day=1) - dt.timedelta(1))
            con.execute(
                f"COPY (FROM {sql}) TO '{folder}' (FORMAT parquet, PARTITION_BY (source_id, month), WRITE_PARTITION_COLUMNS, "
                f"FILENAME_PATTERN 'from-{first:%d}-{{i}}', OVERWRITE_OR_IGNORE)",
                {"offers": offers, "first_day": first, "last_day": end},
            )
            rows += con.fetchall()[0][0]
            first = end + dt.timedelta(1)
    return rows


def correct(folder: Path, month: str) -> None:
    """Correct the prices of one source in one month: they are 1% higher."""
    for file in folder.glob(f"source_id=source-0/month={month}/*.parquet"):
        new = file.with_suffix(".new")
        duckdb.execute(f"COPY (SELECT * REPLACE (usd * 1.01 AS usd) FROM read_parquet('{file}')) TO '{new}' (FORMAT parquet)")
        new.rename(file)


def timed(*command: str) -> Run:
    """Run a command, and return its time and the peak of its memory. Raises CalledProcessError."""
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=paths.ROOT)  # noqa: S603
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Run(time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def measure_plain(observations: Path, out: Path, plain: Path, last: dt.date) -> Run:
    """Run the plain SQL in a process of its own, and return its time. Raises AssertionError if it differs from `out`."""
    run = timed(sys.executable, "-m", "benchmarks.project.scale", str(observations), "--plain", str(plain))
    expect_equal(out, plain, last)
    return run


def run_plain(observations: Path, out: Path) -> None:
    """Run the plain SQL: intervals over all observations at once, daily prices by years. Its files are in `out`."""
    out.mkdir(parents=True)
    os.chdir(out)
    with duckdb.connect(config=PLAIN | {"temp_directory": str(out / "spill")}) as con:
        files = observations / "source_id=*" / "month=*" / "*.parquet"
        con.execute(f"CREATE VIEW observation AS FROM read_parquet('{files}', hive_partitioning = false)")
        con.execute((HERE / "scale_plain.sql").read_text())
        daily = (HERE / "scale_plain_daily.sql").read_text()
        for (year,) in con.execute("SELECT DISTINCT year(date) FROM period ORDER BY ALL").fetchall():
            days = {"first_day": dt.date(year, 1, 1), "last_day": dt.date(year, 12, 31)}
            con.execute(f"COPY ({daily}) TO 'price_daily-{year}.parquet' (FORMAT parquet)", days)


def expect_equal(out: Path, plain: Path, last: dt.date) -> None:
    """Raise AssertionError if both sides differ in a day's figures, or in the number of days that an offer has a price."""
    for sql, ours, theirs in ((DAILY, "price_daily", "price_daily-*"), (VALID_DAYS, "price_interval", "interval")):
        sides = (sql.format(out / ours / "*" / "*.parquet", last), sql.format(plain / f"{theirs}.parquet", last))
        with duckdb.connect(config=PLAIN | {"temp_directory": str(plain / "spill")}) as con:
            for one, other in (sides, sides[::-1]):
                ((differing,),) = con.execute(f"SELECT count(*) FROM (({one}) EXCEPT ({other}))").fetchall()
                if differing:
                    raise AssertionError(f"{ours}: {differing} rows differ from plain SQL")


def price_as_of(out: Path, day: dt.date) -> float:
    """Return the seconds that the prices of all offers on a day take, from the intervals."""
    sql = history.PRICE_AS_OF.read_text()
    start = time.monotonic()
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE known AS {sql}", {"day": day, "folder": str(out)})
    return time.monotonic() - start


if __name__ == "__main__":
    main()
