"""Building the site: a killed worker is reported in one line, a failed build leaves nothing behind, templates are cached."""

import multiprocessing
import threading
import time
from pathlib import Path

import pytest

from pipeline.errors import BuildError
from pipeline.website import rendering
from pipeline.website.build import build_site
from pipeline.website.i18n.language import ENGLISH, Language


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


def test_templates_are_cached_by_language_and_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Language("xx", "X", {"Yes": "Ja"}), Language("xx", "X", {"Yes": "Oui"})
    folders = []
    for one in (first, second):
        monkeypatch.setattr(rendering, "languages", lambda one=one: (ENGLISH, one))
        rendering.environment.cache_clear()
        rendering.cache_templates(tmp_path)
        rendering.environment(one).get_template("components/sql.html.j2")
        (folder,) = (path for path in (tmp_path / "templates").iterdir() if path.name.startswith("xx-"))
        assert len(list(folder.iterdir())) == 1
        folders.append(folder)
    rendering.environment.cache_clear()
    assert folders[0] != folders[1]
    assert not folders[0].exists()
