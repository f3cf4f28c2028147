"""Pictures of twelve kinds of pages: desktop and phone, light and dark, English and Chinese. `make screenshots` takes them."""

import sys
from itertools import product
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.visit import Visit, serve
from tests.page_kinds import LANGUAGES, PAGES

KINDS = (
    "home",
    "comparison",
    "gpus",
    "history",
    "pair",
    "offers",
    "prices",
    "provider",
    "workload",
    "model family",
    "audit",
    "source",
)
WIDTHS = (1280, 360)
HEADER_FADE_MS = 500  # the header goes back from the page's title to the site's name


def main() -> None:
    """Take the pictures of the site in the first argument into the folder in the second."""
    site, folder = Path(sys.argv[1]), Path(sys.argv[2])
    if CHROMIUM is None or not (site / "index.html").exists():
        sys.exit(f"no Chromium, or no site in {site}: run `apt-get install chromium-headless-shell` and `make site`")
    folder.mkdir(parents=True, exist_ok=True)
    server = serve(site.resolve())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        views = list(product(LANGUAGES, KINDS, WIDTHS, (False, True)))
        for language, kind, width, dark in views:
            visit = Visit(browser, f"http://127.0.0.1:{server.server_port}/", width, dark)
            name = f"{kind.replace(' ', '-')}-{language}-{width}-{'dark' if dark else 'light'}.png"
            _take(visit, LANGUAGES[language] + PAGES[kind], folder / name)
    server.shutdown()
    print(f"{len(views)} pictures in {folder}")


def _take(visit: Visit, path: str, file: Path) -> None:
    page = visit.open(path)
    visit.charts()
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(HEADER_FADE_MS)
    page.screenshot(path=str(file), full_page=True)
    visit.close()


if __name__ == "__main__":
    main()
