"""Quantiles in Spark, each with a certified bound on its error.

Start a session, then call the functions of `chronosketch.functions` or the same functions in SQL:

>>> import chronosketch as cs
>>> from chronosketch import functions as cf
>>> spark = cs.session("latency").getOrCreate()  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

from chronosketch import warehouse
from chronosketch.advisor import advise
from chronosketch.errors import ChronosketchError
from chronosketch.hopping import hopping
from chronosketch.installation import attach, check_installed
from chronosketch.session import configure, session

if TYPE_CHECKING:
    from types import ModuleType

    from chronosketch import history as history

__version__ = version("chronosketch")

__all__ = [
    "ChronosketchError",
    "__version__",
    "advise",
    "attach",
    "check_installed",
    "configure",
    "hopping",
    "session",
    "warehouse",
]


def __getattr__(name: str) -> ModuleType:
    # The only part that cannot be imported without pyspark.
    if name == "history":
        return import_module("chronosketch.history")
    raise AttributeError(f"module 'chronosketch' has no attribute {name!r}")
