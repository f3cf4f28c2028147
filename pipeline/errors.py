"""The one kind of error that a person can mend: the message says what is wrong, where, and what to do next."""


class BuildError(Exception):
    """Committed input or code is wrong. Everything else that is raised is a fault of this project."""
