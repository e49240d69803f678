"""The one kind of error that the launcher shows to its user."""


class LauncherError(Exception):
    """A reason not to start, told in one sentence."""
