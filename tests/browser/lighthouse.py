"""Lighthouse's mobile audit of single pages: run by the tests, and by `make lighthouse`, which demands the score of speed too.

`python -m tests.browser.lighthouse SITE all` audits each kind of page.
"""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.paths import SITE
from tests import page_kinds
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.visit import Packed, serve

PAGES = ("index.html", "gpus/nvidia-h100-sxm5-80gb/index.html")
RUNS = 3  # of each page; their median counts, since other work on the machine lowers the score of speed
GOAL_SCORE, GOAL_PAINT_S = 95, 1.5  # on a quiet machine: score of speed, and time of the largest paint; printed
WANTED = {"performance": 90, "accessibility": 100, "best-practices": 100, "seo": 100}
PACKAGE = SITE / "node_modules" / "lighthouse"


@dataclass(frozen=True, slots=True)
class Report:
    """Lighthouse's report on one page."""

    told: dict[str, Any]

    @property
    def scores(self) -> dict[str, int]:
        """Score of each category, 0 to 100."""
        return {name: round(100 * one["score"]) for name, one in self.told["categories"].items()}

    @property
    def layout_shift(self) -> float:
        return float(self.told["audits"]["cumulative-layout-shift"]["numericValue"])

    @property
    def largest_paint_s(self) -> float:
        return float(self.told["audits"]["largest-contentful-paint"]["numericValue"]) / 1000

    def faults(self) -> list[str]:
        """Audits that lower a score other than speed."""
        audits = self.told["audits"]
        refs = [ref for name, one in self.told["categories"].items() if name != "performance" for ref in one["auditRefs"]]
        lost = [audits[ref["id"]] for ref in refs if ref["weight"] and audits[ref["id"]]["score"] not in {None, 1}]
        return [f"{one['title']}: {one.get('details', {}).get('items', '')}" for one in lost]

    def times(self) -> str:
        names = ("first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "total-byte-weight")
        return ", ".join(f"{name} {self.told['audits'][name]['displayValue']}" for name in names)


def obstacle() -> str | None:
    """Why Lighthouse cannot run here."""
    if CHROMIUM is None:
        return "no Chromium: install it with `apt-get install chromium-headless-shell`"
    return None if PACKAGE.exists() else "no Lighthouse: run `make test`, which installs it"


@contextmanager
def auditing(**selected: Sequence[str]) -> Iterator[Callable[[str], Report]]:
    """Yield a function that runs the mobile audit of an address, with its simulated slow network and processor.

    One browser serves all audits; nothing is sent anywhere. `selected` are flags that select audits; without them, all run.
    """
    flags = json.dumps({"logLevel": "error", "disableFullPageScreenshot": True, **selected})
    command = [str(SITE / "npm.sh"), "run", "--silent", "lighthouse", "--", flags, "--headless", *FLAGS.split()]
    environment = os.environ | {"CHROME_PATH": str(CHROMIUM)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1, env=environment) as process:

        def audit(address: str) -> Report:
            print(address, file=process.stdin)
            if line := process.stdout.readline():
                return Report(json.loads(line))
            raise RuntimeError(f"lighthouse ended at {address}")

        yield audit


def speed(reports: Sequence[Report]) -> str:
    """Median score of speed and time of the largest paint, beside the goals, which a busy machine misses."""
    score = statistics.median(report.scores["performance"] for report in reports)
    paint_s = statistics.median(report.largest_paint_s for report in reports)
    return (
        f"performance {score:.0f} (goal {GOAL_SCORE}, {'met' if score >= GOAL_SCORE else 'missed'}; "
        f"at least {WANTED['performance']} demanded), largest paint {paint_s:.2f} s "
        f"(goal under {GOAL_PAINT_S} s, {'met' if paint_s < GOAL_PAINT_S else 'missed'})"
    )


def main() -> None:
    """Audit pages of the site in the first argument; exit with 1 where a median score is below what is wanted."""
    site = Path(sys.argv[1]).resolve()
    if problem := obstacle() or (None if (site / "index.html").exists() else f"no site in {site}: run `make site`"):
        sys.exit(problem)
    server = serve(site, Packed)
    paths = page_kinds.PAGES.values() if sys.argv[2:] == ["all"] else PAGES
    base = f"http://127.0.0.1:{server.server_port}/"
    with auditing() as audit:
        low = [path for path in paths if not _holds(path, [audit(base + path) for _ in range(RUNS)])]
    server.shutdown()
    sys.exit(f"below {WANTED} or a layout shift of 0.05 and more: {', '.join(low)}" if low else 0)


def _holds(path: str, reports: Sequence[Report]) -> bool:
    scores = {name: round(statistics.median(report.scores[name] for report in reports)) for name in WANTED}
    shift = max(report.layout_shift for report in reports)
    print(f"{path}: {scores}, layout shift {shift:.3f}; {reports[-1].times()}", speed(reports), *reports[-1].faults(), sep="\n  ")
    return shift < 0.05 and all(scores[name] >= wanted for name, wanted in WANTED.items())


if __name__ == "__main__":
    main()
