"""Strict readers of text, numbers, JSON, CSV and XML that others wrote: the only ones, for sources and uploads alike.

They raise `RefusedError`. Formats of uploads let it pass; `sources.document` adds the path of the file. What the values mean
is the business of the callers, and no module here imports another part of the project.
"""

from pipeline.readers.errors import RefusedError

__all__ = ["RefusedError"]
