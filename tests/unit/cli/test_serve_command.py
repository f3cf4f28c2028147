"""`gpuledger serve` sends the files of the site's folder and nothing else."""

import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.cli.serve import make_server


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """The port of a server whose folder is a link, as that of a build is, with links to files outside of it."""
    site = tmp_path / "release" / "site"
    (site / "empty").mkdir(parents=True)
    (site / "page").mkdir()
    (site / "leading out").mkdir()
    (tmp_path / "secret").write_text("secret")
    (site / "index.html").write_text("home")
    (site / "page" / "index.html").write_text("page")
    (site / "link.txt").symlink_to(tmp_path / "secret")
    (site / "leading out" / "index.html").symlink_to(tmp_path / "secret")
    (site / "inside.html").symlink_to(site / "index.html")
    (tmp_path / "site").symlink_to("release/site")
    with make_server(tmp_path / "site", 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def ask(port: int, path: str, headers: dict[str, str], method: str = "GET") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, headers=headers)
    return connection.getresponse()


def get(port: int, path: str, host: str = "localhost") -> tuple[int, str]:
    response = ask(port, path, {"Host": host})
    return response.status, response.read().decode()


@pytest.mark.parametrize(("path", "text"), [("/", "home"), ("/page/", "page"), ("/inside.html?q=1", "home")])
@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000"])
def test_pages_are_sent(port: int, path: str, text: str, host: str) -> None:
    assert get(port, path, host) == (200, text)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/link.txt", 404),
        ("/leading%20out/", 404),
        ("/empty/", 404),
        ("/../secret", 404),
        ("/%2e%2e/%2e%2e/secret", 404),
        ("/%00", 400),
        ("/page/%00", 400),
    ],
)
def test_what_is_no_file_of_the_site_is_not_sent(port: int, path: str, status: int) -> None:
    found, text = get(port, path)
    assert found == status
    assert "secret" not in text.replace("/secret", "")
    assert "Directory listing" not in text


@pytest.mark.parametrize("host", ["example.org", "example.org:8000", "localhost.example.org", "localhost@example.org:1"])
def test_a_request_to_another_name_is_refused(port: int, host: str) -> None:
    """So a page of another site, whose name leads here, cannot read it."""
    assert get(port, "/", host)[0] == 421


@pytest.mark.parametrize(
    ("wanted", "status", "text", "place"),
    [
        ("bytes=1-2", 206, "om", "bytes 1-2/4"),
        ("bytes=2-", 206, "me", "bytes 2-3/4"),
        ("bytes=-3", 206, "ome", "bytes 1-3/4"),
        ("bytes=0-99", 206, "home", "bytes 0-3/4"),
        ("bytes=0-0,2-2", 200, "home", None),
        ("bytes=-", 200, "home", None),
        ("lines=1-2", 200, "home", None),
    ],
)
def test_a_range_of_bytes_is_sent(port: int, wanted: str, status: int, text: str, place: str | None) -> None:
    """A range that this server does not know is answered with the whole file, as HTTP allows."""
    response = ask(port, "/index.html", {"Range": wanted})
    assert (response.status, response.read().decode(), response.headers["Content-Range"]) == (status, text, place)
    assert response.headers["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize("wanted", ["bytes=4-", "bytes=9-12", "bytes=3-1", "bytes=-0"])
def test_a_range_outside_the_file_is_refused(port: int, wanted: str) -> None:
    assert ask(port, "/index.html", {"Range": wanted}).status == 416


def test_a_range_of_what_is_no_file_of_the_site_is_not_sent(port: int) -> None:
    assert ask(port, "/link.txt", {"Range": "bytes=0-2"}).status == 404
    assert ask(port, "/index.html", {"Range": "bytes=0-2", "Host": "example.org"}).status == 421


def test_the_length_of_a_range_comes_without_its_bytes_on_head(port: int) -> None:
    response = ask(port, "/index.html", {"Range": "bytes=1-2"}, "HEAD")
    assert (response.status, response.headers["Content-Length"], response.read()) == (206, "2", b"")
