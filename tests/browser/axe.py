"""Accessibility faults of an open page, found by axe-core."""

from typing import Any

from pipeline.paths import SITE
from tests.tools import missing

AXE = SITE / "node_modules" / "axe-core" / "axe.min.js"
RUN = "part => axe.run(part, { resultTypes: ['violations'], preload: false })"


def violations(page: Any, part: str = "html") -> list[str]:
    """Each violation of the rules that axe runs unasked (WCAG 2 A and AA, best practice), with the elements that break it.

    `part` is the selector of the element to check with all that it contains.
    """
    if not AXE.exists():
        missing("no axe-core: run `make test`, which installs it")
    page.add_script_tag(path=str(AXE))
    found = page.evaluate(RUN, part)["violations"]
    return [f"{one['id']} ({one['impact']}): {', '.join(str(node['target']) for node in one['nodes'][:5])}" for one in found]
