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


def get(port: int, path: str, host: str = "localhost") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers={"Host": host})
    response = connection.getresponse()
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
