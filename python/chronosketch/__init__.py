"""Quantiles in Spark, each with a certified bound on its error.

Start a session, then call the functions of `chronosketch.functions` or the same functions in SQL:

>>> import chronosketch as cs
>>> from chronosketch import functions as cf
>>> spark = cs.session("latency").getOrCreate()  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from chronosketch import arrow as arrow
    from chronosketch import errors as errors
    from chronosketch import functions as functions
    from chronosketch import history as history
    from chronosketch import portable, rollup, warehouse
    from chronosketch import sketch as sketch
    from chronosketch.advisor import advise
    from chronosketch.diagnosis import doctor
    from chronosketch.hopping_windows import hopping, hopping_sketch
    from chronosketch.sessions import attach, check_installed, configure, session

    __version__: str

__all__ = [
    "ChronosketchError",
    "__version__",
    "advise",
    "attach",
    "check_installed",
    "configure",
    "doctor",
    "hopping",
    "hopping_sketch",
    "portable",
    "rollup",
    "session",
    "warehouse",
]

# Imported on first use, so that reading one stored sketch loads only what it needs. A function must not have
# the name of its module: importing the module would replace the function in this package.
_FUNCTIONS = {
    "advise": "chronosketch.advisor",
    "attach": "chronosketch.sessions",
    "check_installed": "chronosketch.sessions",
    "configure": "chronosketch.sessions",
    "doctor": "chronosketch.diagnosis",
    "hopping": "chronosketch.hopping_windows",
    "hopping_sketch": "chronosketch.hopping_windows",
    "session": "chronosketch.sessions",
}
_PACKAGES = ("arrow", "errors", "functions", "history", "portable", "rollup", "sketch", "warehouse")


def __getattr__(name: str) -> Any:
    if name in _FUNCTIONS:
        return getattr(import_module(_FUNCTIONS[name]), name)
    if name in _PACKAGES:
        return import_module(f"chronosketch.{name}")
    if name == "__version__":
        from chronosketch.installed import version

        return version()
    raise AttributeError(f"module 'chronosketch' has no attribute {name!r}")


def __dir__() -> list[str]:
    # only what users call: not the names that this file imports
    return sorted({*__all__, *_PACKAGES})
