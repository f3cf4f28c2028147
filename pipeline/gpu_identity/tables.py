"""Reading of the committed tables that identify GPUs: data/names/ and data/specs/gpus.csv."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.errors import BuildError
from pipeline.readers import RefusedError, strict_csv


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line and the fields of each row. Raises BuildError where the file cannot be read, or a row lacks a field."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = strict_csv.read_rows(file)
            _, header = next(rows, (1, []))
            yield from ((line, dict(zip(header, cells, strict=True))) for line, cells in rows)
    except RefusedError as refused:
        raise BuildError(f"{path} line {refused.line}: {refused.reason}; restore the file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BuildError(f"{path}: cannot be read ({error}); restore the file") from None
