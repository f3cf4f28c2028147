"""A small HTTP server that answers as a test says, correctly or not."""

import contextlib
import gzip
import http.server
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Handler = http.server.BaseHTTPRequestHandler
Answer = Callable[[Handler], None]


@dataclass
class Host:
    """Gives `answers` one after the other, the last one for ever; `requests` are the headers it was sent."""

    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    requests: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def says(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests.clear()
        self.paths.clear()

    def next_answer(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextlib.contextmanager
def serving() -> Iterator[Host]:
    """A host on this machine, for the time of the block."""
    host = Host()

    class Told(Handler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # noqa: N802 - the name that http.server calls
            host.requests.append({k.lower(): v for k, v in self.headers.items()})
            host.paths.append(self.path)
            self.close_connection = True
            with contextlib.suppress(ConnectionError):
                host.next_answer()(self)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Told) as server:
        server.daemon_threads = True
        server.block_on_close = False
        host.url = f"http://127.0.0.1:{server.server_address[1]}/api"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield host
        server.shutdown()


def body(raw: bytes, content_type: str = "application/json", status: int = 200, **headers: str) -> Answer:
    """An answer with these bytes; `length=` overstates or understates them."""
    length = headers.pop("length", str(len(raw)))

    def answer(request: Handler) -> None:
        request.send_response(status)
        request.send_header("Content-Type", content_type)
        request.send_header("Connection", "close")
        request.send_header("Content-Length", length)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(raw)

    return answer


def rows(count: int, **headers: str) -> Answer:
    return body(table(count), **headers)


def table(count: int) -> bytes:
    return json.dumps({"items": [{"gpu": f"GPU {n}", "seconds": 1.5 + n} for n in range(count)]}).encode()


def status(code: int, **headers: str) -> Answer:
    return body(b"no", "text/plain", code, **headers)


def packed(raw: bytes) -> Answer:
    return body(gzip.compress(raw))


def stalls(seconds: float) -> Answer:
    return lambda _request: time.sleep(seconds)


def late(seconds: float, answer: Answer) -> Answer:
    """A good answer after so long."""

    def wait(request: Handler) -> None:
        time.sleep(seconds)
        answer(request)

    return wait


def drops(request: Handler) -> None:
    request.connection.close()


def endless(pause: float = 0.0) -> Answer:
    """A body without end, as fast as it is read or a few bytes at a time; the test's own bound is 5 s."""

    def answer(request: Handler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Connection", "close")
        request.end_headers()
        end = time.monotonic() + 5
        while time.monotonic() < end:
            request.wfile.write(b" " * (8 if pause else 65536))
            request.wfile.flush()
            time.sleep(pause)

    return answer
