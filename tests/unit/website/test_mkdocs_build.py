"""Pages in the theme: one process frames several languages, each as if it were alone."""

from pathlib import Path
from typing import Any

from pipeline.paths import SITE
from pipeline.website import mkdocs_build, mkdocs_config
from pipeline.website.i18n.language import language, speaking


def searched(code: str, folder: Path, *, kept: bool) -> dict[str, Any]:
    """What the search of a language goes by."""
    with speaking(language(code)):
        config = mkdocs_config.config(SITE / "docs", folder / "site")
        search: Any = (mkdocs_build._with_kept_theme(config) if kept else config).plugins["material/search"]
        search.on_config(config)
        return dict(search.config)


def test_a_language_framed_after_another_keeps_its_own_settings(tmp_path: Path) -> None:
    mkdocs_build.compile_theme(tmp_path / "theme", backwards=False)
    codes = ("en", "zh", "en")
    assert [searched(code, tmp_path, kept=True) for code in codes] == [searched(code, tmp_path, kept=False) for code in codes]
    assert searched("en", tmp_path, kept=True) != searched("zh", tmp_path, kept=True)
