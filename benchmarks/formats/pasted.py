"""What formats of pasted text share: telling a paste that was cut from one that is broken, and reading `name: value` lines."""

from collections.abc import Iterable, Iterator

from benchmarks.formats.core import Block, Line


def cut_or_refuse(line: Line, block: Block, reason: str) -> None:
    """A row that cannot be read is where the paste was cut if nothing follows it. Raises RefusedError PARSE otherwise."""
    if any(other.text.strip() for other in block.lines if other.number > line.number):
        raise line.refuse("PARSE", reason)


def named_values(lines: Iterable[Line], separator: str = ":") -> dict[str, str]:
    """First value of each `name: value` line."""
    found: dict[str, str] = {}
    for line in lines:
        name, _, value = line.text.partition(separator)
        found.setdefault(name.strip(), value.strip())
    return found


def staged(lines: Iterable[Line], stages: Iterable[int | None]) -> Iterator[Block]:
    """One block per run: `stages` says how far into a run each line stands (None: anywhere), and going back begins another."""
    current: list[Line] = []
    reached = 0
    for line, stage in zip(lines, stages, strict=True):
        if stage is not None and stage < reached:
            yield Block(tuple(current))
            current, reached = [], 0
        reached = max(reached, stage or 0)
        current.append(line)
    yield Block(tuple(current))
