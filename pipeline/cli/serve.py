"""The command `serve`."""

import functools
import http.server
from typing import Annotated

import typer

from pipeline import paths
from pipeline.cli.output import display_path, err, fail


def serve(port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 8000) -> None:
    """Show the built site on http://localhost:PORT.

    Example: gpuledger serve --port 8080
    """
    site = paths.BUILD / "site"
    if not (site / "index.html").exists():
        fail(f"no site at {display_path(site)}: run `make site` (or `gpuledger build`) first")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(site))
    try:
        with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
            err.print(f"http://localhost:{port}/ (Ctrl-C ends)")
            server.serve_forever()
    except OSError as error:
        fail(f"port {port}: {error.strerror}; try another --port")
    except KeyboardInterrupt:
        err.print("ended")
