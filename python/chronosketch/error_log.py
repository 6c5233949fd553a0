"""Keep PySpark from logging errors that are caught."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def muted_error_log() -> Iterator[None]:
    """Keep PySpark from logging errors that are caught: it logs them when it creates them.

    PySpark passes fields to this logger that only its own class takes, so PySpark must create it.
    """
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # before 4.0 it logs none
        yield
        return
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before
