"""Row counts of every published table, committed as expected: a change of them shows in review.

`make site expected` writes the counts of the last build down as the new ones.
"""

import csv
from pathlib import Path

from pipeline import paths
from pipeline.warehouse.release import publish

FILE = Path(__file__).with_name("expected_rows.csv")


def expected() -> dict[str, int]:
    with FILE.open(encoding="utf-8") as file:
        return {row["table"]: int(row["rows"]) for row in csv.DictReader(file)}


def count_rows(database: Path) -> dict[str, int]:
    return {name: rows for name, (rows, _) in publish.checksums(database).items()}


def main() -> None:
    rows = count_rows(paths.BUILD / publish.DATABASE)
    with FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("table", "rows"), *rows.items()])


if __name__ == "__main__":
    main()
