"""Damaged copies of real outputs: none may crash a format, take seconds, or lose figures without a word.

`python -m benchmarks.project.mutate_outputs FOLDER [SEED ...]` mutates files, and copies each as 20 pastes leave it.
A loss is silent if a line that gave figures is there unchanged, its figures are not, and the run is `ok` without a new flag.
"""

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.uploads.worker import parse_bytes

COPIES = 833  # a seed
SLOW_S = 4
BAD = ("CRASH", "SLOW", "SILENT")
_UNITS = (("GB/s", "MB/s"), ("(us)", "(ms)"), ("MBytes", "MiBytes"), ("t/s", "s/t"), ("Gflop/s", "Tflop/s"), ("GFLOPS", "TFLOPS"))


class Original(NamedTuple):
    """Number of figures by line, and the flags, of an undamaged output."""

    by_line: Counter[str]
    flags: set[str]


_Change = Callable[[str, random.Random], str]


def _lines(text: str, change: Callable[[list[str]], list[str]]) -> str:
    return "\n".join(change(text.split("\n")))


def _drop(text: str, dice: random.Random) -> str:
    place = dice.randrange(len(text.split("\n")))
    return _lines(text, lambda lines: lines[:place] + lines[place + 1 :])


def cut(text: str, dice: random.Random) -> str:
    """Cut off the end or the beginning, or cut out a part."""
    start, end = sorted(dice.randrange(len(text) + 1) for _ in range(2))
    return dice.choice((text[:end], text[start:], text[:start] + text[end:]))


def _swap_unit(text: str, dice: random.Random) -> str:
    return text.replace(*dice.choice(_UNITS))


def _damage(text: str, dice: random.Random) -> str:
    place = dice.randrange(len(text) or 1)
    return text[:place] + dice.choice("#x|,-9 \t\u00e9") + text[place + 1 :]


def _move(text: str, dice: random.Random) -> str:
    lines = text.split("\n")
    lines.insert(dice.randrange(len(lines)), lines.pop(dice.randrange(len(lines))))
    return "\n".join(lines)


def _repeat(text: str, dice: random.Random) -> str:
    place = dice.randrange(len(text.split("\n")))
    return _lines(text, lambda lines: lines[: place + 1] + lines[place:])


MUTATIONS: tuple[_Change, ...] = (_drop, cut, _swap_unit, _damage, _move, _repeat)
PASTES: dict[str, Callable[[str], str]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "mixed ends": lambda text: text.replace("\n", "\r\n", text.count("\n") // 2),
    "no last end": lambda text: text.rstrip("\n"),
    "blank lines at the ends": lambda text: f"\n\n{text}\n\n",
    "doubled ends": lambda text: text.replace("\n", "\n\n"),
    "trailing blanks": lambda text: text.replace("\n", "   \n"),
    "trailing tabs": lambda text: text.replace("\n", "\t\n"),
    "indented": lambda text: _lines(text, lambda lines: ["    " + line for line in lines]),
    "tab-indented": lambda text: _lines(text, lambda lines: ["\t" + line for line in lines]),
    "not indented": lambda text: _lines(text, lambda lines: [line.lstrip() for line in lines]),
    "collapsed": lambda text: re.sub(r"(?<=\S)  +", " ", text),
    "tabs for blanks": lambda text: re.sub(r"(?<=\S)  +", "\t", text),
    "fenced": lambda text: f"```\n{text}\n```\n",
    "quoted": lambda text: _lines(text, lambda lines: ["> " + line for line in lines]),
    "prompt": lambda text: f"$ ./tool\n{text}\n$ \n",
    "wrapped at 80": lambda text: _lines(
        text, lambda lines: [line[n : n + 80] for line in lines for n in range(0, max(len(line), 1), 80)]
    ),
    "typographic": lambda text: text.replace('"', "\u201d").replace("--", "\u2013"),
    "HTML": lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
    "no-break blanks": lambda text: text.replace("  ", "\u00a0 "),
}


def main(folder: Path, seeds: list[int]) -> None:
    """Print the outcomes, each crash, each slow copy and each silent loss."""
    outcomes = Counter[str]()
    for outcome, label, path in check_copies(folder, seeds):
        outcomes[outcome] += 1
        if outcome in BAD:
            print(f"{outcome}: {label} of {path.relative_to(folder)}", flush=True)
    print(f"{sum(outcomes.values())} copies: {dict(outcomes.most_common())}")


def check_copies(folder: Path, seeds: list[int], copies: int = COPIES) -> Iterator[tuple[str, str, Path]]:
    """Yield the outcome of each damaged copy, the damage, and the file; `copies` is the number per seed."""
    originals = {path: path.read_bytes().decode("utf-8", "replace") for path in sorted(folder.rglob("*")) if path.is_file()}
    whole = {
        path: Original(figures, _flags(_figures(text)[1])) for path, text in originals.items() if (figures := _by_line(text))
    }
    if not whole:
        raise SystemExit(f"{folder}: no output that is read whole; name a folder of outputs of benchmark tools")
    for label, path, text in _copies(originals, list(whole), seeds, copies):
        yield _check(text, whole[path]), label, path


def _copies(originals: dict[Path, str], paths: list[Path], seeds: list[int], copies: int) -> Iterator[tuple[str, Path, str]]:
    for seed in seeds:
        dice = random.Random(seed)  # noqa: S311 - no secret
        for n in range(copies):
            path, change = dice.choice(paths), dice.choice(MUTATIONS)
            yield f"{change.__name__} (seed {seed}, copy {n})", path, change(originals[path], dice)
    yield from ((name, path, change(originals[path])) for path in paths for name, change in PASTES.items())


def _figures(text: str) -> tuple[str, list[dict[str, Any]]]:
    """The outcome, and the figures with their run's status."""
    start = time.perf_counter()
    found = parse_bytes(text.encode())
    if time.perf_counter() - start > SLOW_S:
        return "SLOW", []
    if "code" in found:
        return str(found["code"]), []
    flagged = any(run["run"]["status"] != "ok" for run in found["runs"])
    return "partial" if flagged else "read", [figure for run in found["runs"] for figure in run["measurements"]]


def _flags(figures: list[dict[str, Any]]) -> set[str]:
    return {figure["flags"] for figure in figures if figure["flags"]}


def _by_line(text: str) -> Counter[str]:
    """Number of figures of each line that occurs once."""
    outcome, figures = _figures(text)
    times = Counter(_lines_of(text))
    found = _lines_with_figures(text, figures) if outcome == "read" else Counter[str]()
    return Counter({line: count for line, count in found.items() if times[line] == 1})


def _lines_of(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _lines_with_figures(text: str, figures: list[dict[str, Any]]) -> Counter[str]:
    lines = _lines_of(text)
    return Counter(lines[figure["line"] - 1] for figure in figures)


def _check(text: str, original: Original) -> str:
    """The outcome of a copy; SILENT if it lost figures of unchanged lines and nothing shows it."""
    outcome, figures = _figures(text)
    if outcome != "read" or _flags(figures) - original.flags:
        return outcome
    present, read = set(_lines_of(text)), _lines_with_figures(text, figures)
    lost = [line for line, count in original.by_line.items() if line in present and read[line] < count]
    return "SILENT" if lost else outcome


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(seed) for seed in sys.argv[2:]] or [11, 12, 13])
