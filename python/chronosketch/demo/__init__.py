"""The demo: questions in SQL about a year of flights. Every answer is checked against the sorted data."""

from chronosketch.demo.story import run

__all__ = ["run"]
