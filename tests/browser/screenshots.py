"""Pictures of six pages for a reader's eye: desktop and phone, light and dark. `make screenshots` takes them."""

import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.visit import Visit, serve

PAGES = ("index", "gpus/index", "gpus/nvidia-h100-sxm5-80gb/index", "value/index", "speedups/index", "sql/index")
WIDTHS = (1280, 360)


def main() -> None:
    """Take the pictures of the site in the first argument into the folder in the second."""
    site, folder = Path(sys.argv[1]), Path(sys.argv[2])
    if CHROMIUM is None or not (site / "index.html").exists():
        sys.exit(f"no Chromium, or no site in {site}: run `apt-get install chromium` and `make site`")
    folder.mkdir(parents=True, exist_ok=True)
    server = serve(site.resolve())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        for name in PAGES:
            _take(browser, f"http://127.0.0.1:{server.server_port}/", name, folder)
    server.shutdown()
    print(f"{len(PAGES) * len(WIDTHS) * 2} pictures in {folder}")


def _take(browser: Browser, base: str, name: str, folder: Path) -> None:
    for width in WIDTHS:
        for dark in (False, True):
            visit = Visit(browser, base, width, dark)
            page = visit.open(f"{name}.html")
            visit.charts()
            page.evaluate("scrollTo(0, 0)")
            file = f"{name.removesuffix('/index').replace('/', '-')}-{width}-{'dark' if dark else 'light'}.png"
            page.screenshot(path=str(folder / file), full_page=True)
            visit.close()


if __name__ == "__main__":
    main()
