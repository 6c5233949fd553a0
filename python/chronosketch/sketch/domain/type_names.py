"""Parse the SQL names of types."""

from __future__ import annotations

import re

from chronosketch.sketch.domain.domain import DAY_TIME_FIELDS, YEAR_MONTH_FIELDS, Domain, Kind
from chronosketch.sketch.refusal import Refusal

_PLAIN = {
    "TINYINT": Kind.TINYINT,
    "BYTE": Kind.TINYINT,
    "SMALLINT": Kind.SMALLINT,
    "SHORT": Kind.SMALLINT,
    "INT": Kind.INT,
    "INTEGER": Kind.INT,
    "BIGINT": Kind.BIGINT,
    "LONG": Kind.BIGINT,
    "FLOAT": Kind.FLOAT,
    "REAL": Kind.FLOAT,
    "DOUBLE": Kind.DOUBLE,
    "DATE": Kind.DATE,
    "TIMESTAMP": Kind.TIMESTAMP,
    "TIMESTAMP_LTZ": Kind.TIMESTAMP,
    "TIMESTAMP_NTZ": Kind.TIMESTAMP_NTZ,
}
_WITH_NUMBERS = re.compile(r"(DECIMAL|DEC|NUMERIC|TIME)(?:\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?")
_INTERVAL = re.compile(r"INTERVAL\s+(\w+)(?:\s+TO\s+(\w+))?")
_TIME_DIGITS = 6
_DECIMAL_DIGITS = 10


def domain_named(name: str) -> Domain:
    """Return the type of a name, spelled as in CAST.

    Raises
    ------
    Refusal
        If there is no type of that name, or sketches do not support it.

    Examples
    --------
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> domain_named("decimal(10, 2)").sql, domain_named("interval day to second").sql
    ('DECIMAL(10,2)', 'INTERVAL DAY TO SECOND')
    """
    if not isinstance(name, str):
        raise TypeError(f"type is {name!r}: give the name of a SQL type, such as 'double'.")
    text = name.strip().upper()
    domain = Domain(_PLAIN[text]) if text in _PLAIN else _with_numbers(text) or _interval(text)
    if domain is None:
        raise Refusal("INVALID_TYPE_NAME", type=name)
    return domain


def _with_numbers(text: str) -> Domain | None:
    found = _WITH_NUMBERS.fullmatch(text)
    if found is None:
        return None
    word, first, second = found.groups()
    if word == "TIME":
        return None if second else Domain.of(Kind.TIME, int(first or _TIME_DIGITS), 0)
    return Domain.of(Kind.DECIMAL, int(first or _DECIMAL_DIGITS), int(second or 0))


def _interval(text: str) -> Domain | None:
    found = _INTERVAL.fullmatch(text)
    if found is None:
        return None
    start, end = found.group(1), found.group(2) or found.group(1)
    for kind, fields in (
        (Kind.YEAR_MONTH_INTERVAL, YEAR_MONTH_FIELDS),
        (Kind.DAY_TIME_INTERVAL, DAY_TIME_FIELDS),
    ):
        if start in fields and end in fields:
            return Domain.of(kind, fields.index(start), fields.index(end))
    return None
