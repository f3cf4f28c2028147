"""The cache of compiled templates: one folder per language and code, whose damaged files are never executed."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import jinja2
import pytest

from pipeline.website.i18n.language import ENGLISH, Language
from pipeline.website.writing import page_writer, template_cache
from pipeline.website.writing.template_cache import HashedFiles

TEMPLATE = "{% for one in (1, 2) %}{{ one }} GPU {% endfor %}"


def render(folder: Path) -> str:
    """Render with an environment of its own, as another process would."""
    loader = jinja2.DictLoader({"page": TEMPLATE})
    return jinja2.Environment(loader=loader, bytecode_cache=HashedFiles(folder), autoescape=True).get_template("page").render()


def damages(raw: bytes) -> Iterator[bytes]:
    dice = random.Random(14)  # noqa: S311 - not for cryptography
    for _ in range(300):
        at = dice.randrange(8 * len(raw))
        yield raw[: at // 8] + bytes([raw[at // 8] ^ 1 << at % 8]) + raw[at // 8 + 1 :]
    yield from (b"", raw[:20], raw[:-1], raw + b"\0")


def test_a_damaged_file_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_source: Callable[..., object] = jinja2.Environment.compile
    monkeypatch.setattr(jinja2.Environment, "compile", lambda *a, **k: compiled.append("") or compile_source(*a, **k))
    expected = render(tmp_path)
    (file,) = tmp_path.iterdir()
    raw = file.read_bytes()
    assert (render(tmp_path), len(compiled)) == (expected, 1), "an intact file is not compiled again"
    for number, damaged in enumerate(damages(raw), 2):
        file.write_bytes(damaged)
        assert (render(tmp_path), len(compiled)) == (expected, number)
        assert file.read_bytes() == raw
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_templates_are_cached_by_language_and_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Language("xx", "X", {"Yes": "Ja"}), Language("xx", "X", {"Yes": "Oui"})
    folders = []
    for one in (first, second):
        monkeypatch.setattr(template_cache, "languages", lambda one=one: (ENGLISH, one))
        page_writer.environment.cache_clear()
        template_cache.cache_templates(tmp_path)
        page_writer.environment(one).get_template("components/sql.html.j2")
        (folder,) = (path for path in (tmp_path / "templates").iterdir() if path.name.startswith("xx-"))
        assert len(list(folder.iterdir())) == 1
        folders.append(folder)
    page_writer.environment.cache_clear()
    assert folders[0] != folders[1]
    assert not folders[0].exists()
