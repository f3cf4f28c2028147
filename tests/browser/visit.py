"""One page open in a real browser, on a server of its own, with everything that went wrong on it."""

import functools
import gzip
import http.server
import io
import threading
from pathlib import Path
from typing import Any

GZIP_LEVEL = 6  # as most hosts have it
PATIENCE_MS = 120_000  # a slow machine is no failure
FORGET = "() => { if (location.protocol === 'http:') { localStorage.clear(); sessionStorage.clear(); } }"
THEME_READY = "() => !document.querySelector('script[data-src]') || typeof document$ !== 'undefined'"  # its script comes last


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


class Host(Quiet):
    """Answers as hosts do: a wrong address gets the site's page for it, `error_page` below the served folder."""

    error_page = "404.html"

    def send_error(self, code: int, *_: Any, **__: Any) -> None:
        body = (Path(self.directory) / self.error_page).read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class HostBelowRoot(Host):
    error_page = "site/404.html"


class Packed(Quiet):
    """Answers as hosts do: text compressed."""

    protocol_version = "HTTP/1.1"

    def send_head(self) -> Any:
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            return super().send_head()
        kind, content = self.guess_type(path), path.read_bytes()
        text = kind.startswith("text/") or kind.endswith(("javascript", "json", "xml"))
        body = gzip.compress(content, GZIP_LEVEL, mtime=0) if text else content
        self.send_response(200)
        headers = {"Content-Type": kind, "Content-Length": str(len(body))} | ({"Content-Encoding": "gzip"} if text else {})
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        return io.BytesIO(body)


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128  # of 5, a slow machine loses connections, and a page hangs


def serve(folder: Path, handler: type[Quiet] = Quiet) -> Server:
    server = Server(("127.0.0.1", 0), functools.partial(handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Visit:
    """One open page and everything that went wrong on it."""

    def __init__(self, browser: Any, base: str, width: int = 1280, dark: bool = False) -> None:
        self.base = base
        self.faults: list[str] = []
        self.page = browser.new_context().new_page()
        self.show_as(width, dark)
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", lambda told: self.faults.append(told.text) if told.type in {"error", "warning"} else None)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.faults.append("a dialog"), dialog.dismiss()))
        self.page.on("request", self._request)

    def show_as(self, width: int = 1280, dark: bool = False) -> None:
        """Show pages in a window of this width, to a reader who chose this color scheme."""
        self.page.set_viewport_size({"width": width, "height": 800})
        self.page.emulate_media(media="null", color_scheme="dark" if dark else "light")

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.base, "blob:", "data:")):
            self.faults.append(f"left the host: {request.url}")

    def open(self, path: str) -> Any:
        self.page.goto(self.base + path)
        self.page.wait_for_function(THEME_READY)
        return self.page

    def charts(self) -> list[Any]:
        """Scroll to each chart that the page shows and wait until it is drawn."""
        self.page.evaluate("document.querySelectorAll('details:has(.gl-chart)').forEach(one => { one.open = true; })")
        for chart in filter(lambda one: one.is_visible(), self.page.query_selector_all(".gl-chart")):
            chart.scroll_into_view_if_needed()
            self.page.wait_for_function("chart => chart.querySelector('.gl-live svg .role-mark')", arg=chart)
        return self.page.query_selector_all(".gl-live svg")

    def renew(self) -> None:
        """Forget what was done in this tab, so that it is as new: storage, intercepted requests, permissions, size, pointer."""
        self.page.unroute_all()
        self.page.evaluate(FORGET)
        self.page.goto("about:blank")
        self.page.context.clear_permissions()
        self.show_as()
        self.page.mouse.move(0, 0)
        self.faults.clear()

    def close(self) -> None:
        self.page.context.close()


class Clicks:
    """The home page, and the clicks made since it was opened."""

    def __init__(self, visit: Visit) -> None:
        self.page = visit.open("index.html")
        self.count = 0

    def select(self, selector: str, value: str) -> None:
        self.page.select_option(selector, value)
        self.count += 1

    def click(self, selector: str) -> None:
        self.page.click(selector)
        self.count += 1

    def fill(self, selector: str, text: str) -> None:
        self.page.fill(selector, text)
        self.count += 1


def show_all(page: Any) -> None:
    """Show every row of the tables that show some at first."""
    while page.is_visible("[data-more]"):
        page.click("[data-more]")
