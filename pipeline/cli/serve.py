"""The command `serve`."""

import functools
import http.server
import io
import re
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from pipeline import paths
from pipeline.cli.output import display_path, err, fail

OWN_NAME = re.compile(r"(localhost|127\.0\.0\.1)(:\d+)?")


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


def make_server(site: Path, port: int) -> http.server.ThreadingHTTPServer:
    """Return a server of the site's files for this machine alone."""
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(_Handler, directory=str(site)))


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Sends the files in the site's folder: no lists of folders, nothing that a link outside leads to."""

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Send the headers and return the file; None after an error."""
        if status := self._refusal():
            self.send_error(status)
            return None
        return super().send_head()

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
