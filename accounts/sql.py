"""Statements of every request, prepared once a connection: planning them costs more than running them."""

from collections.abc import Mapping
from typing import Any

import psycopg
from django.db import InterfaceError, OperationalError, connection


def fetch_prepared(statement: str, parameters: Mapping[str, Any]) -> list[Any]:
    """The rows of a statement that the server has planned before."""
    try:
        return _fetch(statement, parameters)
    except (OperationalError, InterfaceError):
        if connection.in_atomic_block:
            raise
        # The connection may be left over from a database that went away since.
        connection.close()
        return _fetch(statement, parameters)


def _fetch(statement: str, parameters: Mapping[str, Any]) -> list[Any]:
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        rows = cursor.execute(statement, parameters, prepare=True).fetchall()
    # An answer is as good as Django's own check, which would ask once more.
    connection.health_check_done = True  # type: ignore[attr-defined]
    return rows
