"""The settings of MkDocs for a language do not depend on the languages that were built before it in the same process."""

from pathlib import Path
from typing import Any

from pipeline.paths import SITE
from pipeline.website import mkdocs_build, mkdocs_config
from pipeline.website.i18n.language import language, use_language


def search_settings(code: str, folder: Path) -> dict[str, Any]:
    with use_language(language(code)):
        config = mkdocs_config.load_site_config(SITE / "docs", folder / "site")
        search: Any = config.plugins["material/search"]
        search.on_config(config)
        return dict(search.config)


def test_a_language_built_after_another_keeps_its_own_settings(tmp_path: Path) -> None:
    first, other, again = (search_settings(code, tmp_path) for code in ("en", "zh", "en"))
    assert first == again
    assert first != other


def test_blank_lines_of_the_theme_are_removed_and_code_keeps_its_own() -> None:
    page = "<ul>\n  \n\n  <li>one</li>\n\n</ul>\n<pre>SELECT\n\n1</pre>\n\n<script>a\n\nb</script>"
    assert mkdocs_build.remove_blank_lines(page) == (
        "<ul>\n  <li>one</li>\n</ul>\n<pre>SELECT\n\n1</pre>\n<script>a\n\nb</script>"
    )
