"""The demo: a year of flights, asked in SQL, and every answer checked against the sorted data."""

from chronosketch.demo.story import run

__all__ = ["run"]
