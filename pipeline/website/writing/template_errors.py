"""Mistakes in templates as one line, with the file and line of the template."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import jinja2

from pipeline.errors import BuildError
from pipeline.paths import ROOT


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn an error of Jinja2, or of an expression of a template, into a BuildError. One of Python code keeps its trace."""
    try:
        yield
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)  # Jinja2 puts the templates themselves among the frames
        template = next((frame for frame in reversed(frames) if frame.filename.endswith(".j2")), None)
        if template is None or not (isinstance(error, jinja2.TemplateError) or template is frames[-1]):
            raise
        place = f"{template.filename.removeprefix(f'{ROOT}/')} line {template.lineno}"
        problem = f"{type(error).__name__}: {getattr(error, 'message', None) or error}".splitlines()[0]
        raise BuildError(f"{place}: {problem}; correct the template, then run `gpuledger build --only site`") from None
