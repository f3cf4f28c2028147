"""User-fixable error; the message says what is wrong, where, and what to do next."""

import difflib
from collections.abc import Iterable


class BuildError(Exception):
    """Wrong input, environment or code that a user can fix. Any other exception is a defect of this project."""


class OptionError(BuildError):
    """An option has a value that it cannot have."""


def seal_hint(path: str) -> str:
    """Return the end of the error of a wrong line in a stored file, whose hash changes with a correction."""
    return f". Correct the file, then run `gpuledger seal {path}`"


def suggest(name: str, names: Iterable[str], others: str = "", *, cutoff: float = 0.6) -> str:
    """Return the end of the error of an unknown name: the nearest names, else where all are listed, or else all of them.

    `cutoff` is the least likeness of a near name, from 0 to 1.
    """
    known = {one.lower(): one for one in names}
    wanted = name.strip().lower()
    parts = [one for one in known if wanted and wanted in one]
    if near := (parts or difflib.get_close_matches(wanted, known, cutoff=cutoff))[:4]:
        return f"did you mean {' or '.join(known[one] for one in near)}?" + (f" Otherwise see {others}" if others else "")
    return f"see {others}" if others else f"choose from {', '.join(known.values())}"
