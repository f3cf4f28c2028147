"""The command `serve`."""

import functools
import http.server
import io
import os
import re
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from pipeline import paths
from pipeline.cli.output import display_path, err, fail

OWN_NAME = re.compile(r"(localhost|127\.0\.0\.1)(:\d+)?")
RANGE = re.compile(r"bytes=(?=\d*-\d|\d+-)(\d{0,18})-(\d{0,18})")  # one range: first-last, first- or -length


def serve(port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 8000) -> None:
    """Show the built site on http://localhost:PORT.

    Example: gpuledger serve --port 8080
    """
    site = paths.BUILD / "site"
    if not (site / "index.html").exists():
        fail(f"no site at {display_path(site)}: run `make site` (or `gpuledger build`) first")
    try:
        with make_server(site, port) as server:
            err.print(f"http://localhost:{port}/ (Ctrl-C ends)")
            server.serve_forever()
    except OSError as error:
        fail(f"port {port}: {error.strerror}; try another --port")
    except KeyboardInterrupt:
        err.print("ended")


class SiteHandler(http.server.SimpleHTTPRequestHandler):
    """Sends the files in the site's folder, or a range of their bytes: no lists of folders, nothing that a link outside leads to."""

    protocol_version = "HTTP/1.1"  # keeps connections open: a remote query asks for many ranges
    disable_nagle_algorithm = True  # else each range waits 40 ms for an acknowledgement of its headers

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Send the headers and return the file; None after an error."""
        if status := self._refusal():
            self.send_error(status)
            return None
        file = Path(self.translate_path(self.path))
        wanted = None if "If-Range" in self.headers else RANGE.fullmatch(self.headers.get("Range", ""))
        return self._send_range(file, *wanted.groups()) if wanted and file.is_file() else super().send_head()

    def end_headers(self) -> None:
        """State that programs may ask for ranges: DuckDB reads a part of a file where a server does."""
        self.send_header("Accept-Ranges", "bytes")
        super().end_headers()

    def _send_range(self, path: Path, first: str, last: str) -> io.BytesIO | None:
        """Send the headers of a part of the file (RFC 9110, section 14) and return its bytes; None if the file is too short."""
        size = path.stat().st_size
        start = int(first) if first else max(size - int(last), 0)
        end = min(int(last), size - 1) if first and last else size - 1
        if start > end:
            self.send_error(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
            return None
        with path.open("rb") as file:
            part = os.pread(file.fileno(), end - start + 1, start)
        self.send_response(HTTPStatus.PARTIAL_CONTENT)
        headers = {
            "Content-Type": self.guess_type(path),
            "Content-Length": len(part),
            "Content-Range": f"bytes {start}-{end}/{size}",
        }
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        return io.BytesIO(part)

    def list_directory(self, path: object) -> None:
        """Send that a folder without a page is not found."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def _refusal(self) -> HTTPStatus | None:
        """Return the status of a request that gets no file. Another site's host name is refused: its scripts must not read here."""
        if not OWN_NAME.fullmatch(self.headers.get("Host", "localhost")):
            return HTTPStatus.MISDIRECTED_REQUEST
        path = self.translate_path(self.path)
        if "\0" in path:
            return HTTPStatus.BAD_REQUEST
        file = Path(path, "index.html") if Path(path).is_dir() else Path(path)
        return None if file.resolve().is_relative_to(Path(self.directory).resolve()) else HTTPStatus.NOT_FOUND


def make_server(site: Path, port: int, handler: type[SiteHandler] = SiteHandler) -> http.server.ThreadingHTTPServer:
    """Return a server of the site's files for this machine alone."""
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(handler, directory=str(site)))
