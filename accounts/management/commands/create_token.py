"""`manage.py create_token NAME --team T --scope write`: prints the token, and nothing else."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.dateparse import parse_datetime

from accounts.models import Token
from accounts.services import create_token


class Command(BaseCommand):
    help = "Make a token for a team, which is made where it does not exist yet, and print it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what the token is for")
        parser.add_argument("--team", required=True)
        parser.add_argument(
            "--scope", action="append", dest="scopes", choices=Token.Scope.values, help="write, read or admin"
        )
        parser.add_argument("--expires", help="RFC 3339 time with zone after which it opens nothing")

    def handle(self, *_args: Any, **options: Any) -> None:
        if not options["scopes"]:
            raise CommandError("Say what the token may do, for example --scope write.")
        expires = options["expires"] and parse_datetime(options["expires"])
        if options["expires"] and (expires is None or expires.tzinfo is None):
            raise CommandError("--expires takes a time with zone, for example 2027-01-31T00:00:00Z.")
        if not options["team"].strip() or len(options["team"]) > 255:
            raise CommandError("--team takes a name of 1 to 255 characters.")
        _, secret = create_token(options["name"], options["team"], options["scopes"], expires or None)
        self.stdout.write(secret)
