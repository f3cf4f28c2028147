"""Building the site: a killed worker is reported in one line, a failed build leaves nothing behind, templates are cached."""

import multiprocessing
import threading
import time
from pathlib import Path

import duckdb
import pytest

from pipeline.errors import BuildError
from pipeline.website.build import build_site, worker_pool
from tests.command import press_ctrl_c


def test_a_killed_worker_fails_the_build_in_one_line_and_leaves_no_files(release: Path, tmp_path: Path) -> None:
    site = tmp_path / "out" / "site"
    killer = threading.Thread(target=_kill_worker_at_work, args=(tmp_path / "cache",))
    killer.start()
    with pytest.raises(BuildError, match="killed; free some memory"):
        build_site(release, site, tmp_path / "cache")
    killer.join()
    assert list(site.parent.iterdir()) == []


def _kill_worker_at_work(cache: Path) -> None:
    """Kill one when a chart is drawn. While workers still start, Python 3.11 may wait forever for the one that starts last."""
    deadline = time.monotonic() + 300
    while not list(cache.glob("charts/*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    multiprocessing.active_children()[0].kill()


def test_ctrl_c_ends_the_workers_at_once(tmp_path: Path) -> None:
    """A terminal sends it to them too. The pool would first do what it has to do, and print a trace of each worker."""
    assert press_ctrl_c(LONG_WORK, tmp_path) == ("interrupted\n", "")


LONG_WORK = """
import signal, sys, time
from pathlib import Path
from pipeline.website.build import worker_pool
signal.signal(signal.SIGINT, signal.default_int_handler)  # after the imports, as Dagster does: the handler of Polars ends no wait
try:
    with worker_pool(Path(sys.argv[1])) as pool:
        tasks = [pool.submit(time.sleep, seconds) for seconds in (0, 60, 60, 60)]
        tasks[0].result()
        print("started", flush=True)
        tasks[1].result()
except KeyboardInterrupt:
    print("interrupted")
"""


def test_workers_end_without_a_word(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """DuckDB once listed "leaks" of each worker, 85 lines for everyone who built the site."""
    with worker_pool(tmp_path) as pool:
        assert pool.submit(_one).result() == [(1,)]
    assert capfd.readouterr().err == ""


def _one() -> object:
    return duckdb.sql("SELECT 1").fetchall()
