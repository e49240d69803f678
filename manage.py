#!/usr/bin/env python
"""Django's command line, with a plain sentence where the product is not running or a setting is wrong."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ettdash.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        from django.conf import settings

        sys.exit(settings.NOT_RUNNING or f"The database does not answer: {error}".strip())
    except ImproperlyConfigured as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
