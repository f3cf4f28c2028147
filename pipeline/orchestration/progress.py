"""Who wants to know that a step of the build has ended. The command line listens; everyone else need not care."""

from collections.abc import Callable
from contextvars import ContextVar

listener: ContextVar[Callable[[str], None]] = ContextVar("listener", default=lambda _step: None)
