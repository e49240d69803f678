"""Starts the whole product on one machine, watches over it and stops it."""
