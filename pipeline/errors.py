"""User-fixable error; the message says what is wrong, where, and what to do next."""


class BuildError(Exception):
    """Wrong input, environment or code that a user can fix. Any other exception is a defect of this project."""


class OptionError(BuildError):
    """An option has a value that it cannot have."""
