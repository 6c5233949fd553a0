"""Quantiles with a certificate, in Spark.

>>> import chronosketch as cs
>>> from chronosketch import functions as cf
>>> spark = cs.session("latency").getOrCreate()  # doctest: +SKIP
"""

from importlib.metadata import version

from chronosketch.errors import ChronosketchError
from chronosketch.hopping import hopping
from chronosketch.installation import attach, check_installed
from chronosketch.session import configure, session

__version__ = version("chronosketch")

__all__ = ["ChronosketchError", "__version__", "attach", "check_installed", "configure", "hopping", "session"]
