"""The words of gunicorn, as the product's own."""

from logging.config import dictConfig
from typing import Any

from django.conf import settings
from gunicorn.glogging import Logger


class ServerLogger(Logger):  # type: ignore[misc]  # gunicorn tells no types
    """Not by gunicorn's `logconfig_dict`: that also switches on a line a request, with the query in it."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        dictConfig(settings.LOGGING)
