"""What breaks a rule of this room."""


class Refused(Exception):
    """What was asked is not done; the text says why in one sentence."""
