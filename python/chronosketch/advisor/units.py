"""Read and write lengths of time and sizes of memory."""

from __future__ import annotations

import re
from datetime import timedelta
from numbers import Integral

from chronosketch.errors import ChronosketchError

_SECONDS = {
    "microsecond": 1e-6,
    "millisecond": 1e-3,
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86_400.0,
    "week": 604_800.0,
}
_PART = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", re.IGNORECASE)
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)b?\s*", re.IGNORECASE)
_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def seconds(argument: str, value: str | timedelta) -> float:
    """Read a length of time.

    Raises
    ------
    ChronosketchError
        If `value` is not a length of time, or not above 0.

    Examples
    --------
    >>> seconds("slide", "15 minutes"), seconds("slide", "1 hour 30 minutes"), seconds("slide", "0.5 seconds")
    (900.0, 5400.0, 0.5)
    """
    if isinstance(value, timedelta):
        total = value.total_seconds()
    elif isinstance(value, str):
        total = _read(argument, value)
    else:
        raise ChronosketchError(
            f"{argument} is {value!r}, of type {type(value).__name__}: give text such as '10 minutes', or a "
            f"timedelta. A number of rows goes into {argument}_rows."
        )
    if total <= 0:
        raise ChronosketchError(f"{argument} is {value!r}: give a length of time above 0.")
    return total


def _read(argument: str, text: str) -> float:
    total, at = 0.0, 0
    while at < len(text):
        part = _PART.match(text, at)
        unit = part.group(2).lower().removesuffix("s") if part else ""
        if part is None or unit not in _SECONDS:
            raise ChronosketchError(
                f"{argument} is {text!r}, which is not a length of time: write a number and one of "
                f"{', '.join(unit + 's' for unit in _SECONDS)}, as in '15 minutes'."
            )
        total += float(part.group(1)) * _SECONDS[unit]
        at = part.end()
    return total


def memory_bytes(value: str | int | None) -> int | None:
    """Read a size of memory. None means no limit and stays None.

    Raises
    ------
    ChronosketchError
        If `value` is not a size, or not above 0.

    Examples
    --------
    >>> memory_bytes("64m"), memory_bytes("1.5 GB"), memory_bytes(4096), memory_bytes(None)
    (67108864, 1610612736, 4096, None)
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | Integral):
        raise ChronosketchError(
            f"memory is {value!r}, of type {type(value).__name__}: give text such as '64m', or a number of "
            "bytes as an int."
        )
    if isinstance(value, Integral):
        size = int(value)
    else:
        found = _SIZE.fullmatch(value)
        if found is None:
            raise ChronosketchError(
                f"memory is {value!r}, which is not a size: write a number and k, m, g or t, as in '64m'."
            )
        size = int(float(found.group(1)) * _BYTES[found.group(2).lower()])
    if size <= 0:
        raise ChronosketchError(f"memory is {value!r}: give a size above 0.")
    return size


def spell_bytes(size: float) -> str:
    """Write a number of bytes.

    Examples
    --------
    >>> spell_bytes(512), spell_bytes(89_012), spell_bytes(3 * 2**30)
    ('512 B', '86.9 KiB', '3 GiB')
    """
    return _spelled(size, 1024, ("B", "KiB", "MiB", "GiB", "TiB"))


def spell_nanoseconds(duration: float) -> str:
    """Write a number of nanoseconds.

    Examples
    --------
    >>> spell_nanoseconds(812.3), spell_nanoseconds(45_678), spell_nanoseconds(2.5e9)
    ('812 ns', '45.7 µs', '2.5 s')
    """
    return _spelled(duration, 1000, ("ns", "µs", "ms", "s"))


def _spelled(value: float, step: int, units: tuple[str, ...]) -> str:
    unit = 0
    while value >= step and unit < len(units) - 1:
        value, unit = value / step, unit + 1
    return f"{value:.0f} {units[unit]}" if value >= 100 else f"{value:.3g} {units[unit]}"
