"""A mistake in a template is one line with its file and line; a defect of Python code keeps its trace."""

from pathlib import Path

import jinja2
import pytest

from pipeline.errors import BuildError
from pipeline.website.writing.template_errors import one_line_errors


def fail_in_python(_value: object) -> str:
    raise ValueError("a defect")


def render(folder: Path, text: str) -> None:
    (folder / "page.md.j2").write_text(f"# Heading\n{text}\n")
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(folder), undefined=jinja2.StrictUndefined)  # noqa: S701
    environment.filters["fails"] = fail_in_python
    with one_line_errors():
        environment.get_template("page.md.j2").render(zero=0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{{ missing }}", "UndefinedError: 'missing' is undefined"),
        ("{% if zero %}", "TemplateSyntaxError: Unexpected end of template."),
        ("{{ zero | nofilter }}", "TemplateAssertionError: No filter named 'nofilter'"),
        ("{{ 1 / zero }}", "ZeroDivisionError: division by zero"),
        ('{% include "other.j2" %}', "TemplateNotFound: 'other.j2' not found"),
    ],
)
def test_a_mistake_in_a_template_is_one_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(BuildError) as told:
        render(tmp_path, text)
    (line,) = str(told.value).splitlines()
    assert line.startswith(f"{tmp_path}/page.md.j2 line 2: {problem}"), line
    assert line.endswith("; correct the template, then run `gpuledger build --only site`")
    assert told.value.__suppress_context__, "no trace follows"


def test_an_error_of_a_function_that_a_template_calls_keeps_its_trace(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a defect"):
        render(tmp_path, "{{ zero | fails }}")
