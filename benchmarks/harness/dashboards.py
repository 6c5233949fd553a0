"""The queries of dashboards: each as SQL over the table of requests, and over its roll-up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

HOUR, DAY = 3_600, 86_400
DAYS = 90
# The newest row is from this second: five o'clock in the afternoon, so that no range begins or ends at midnight.
END = int(datetime(2026, 3, 31, 17, tzinfo=timezone.utc).timestamp())
START = END - DAYS * DAY
LEVELS = {"1 hour": HOUR, "1 day": DAY, "30 days": 30 * DAY}
# Buckets of several days are counted from this Monday.
_MONDAY = int(datetime(1969, 12, 29, tzinfo=timezone.utc).timestamp())
_FINER = {"": tuple(LEVELS), "HOUR": ("1 hour",), "DAY": ("1 hour", "1 day"), "WEEK": ("1 hour", "1 day")}
PHI = "0.99"
SPANS = {"hour": HOUR, "day": DAY, "week": 7 * DAY, f"{DAYS} days": DAYS * DAY}


@dataclass(frozen=True)
class Dashboard:
    """One query: p99, count and maximum of a range of time, by groups.

    Attributes
    ----------
    title : str
        What is shown, without the range.
    span : str
        The length of the range, one of `SPANS`.
    keys : tuple of str
        The columns to group by.
    where : str
        A condition on groups.
    unit : str
        What time is truncated to, as a further group; empty if it is no group.
    is_top : bool
        Whether only the ten groups of the largest p99 are shown.
    until : int
        The end of the range, in seconds since 1970.
    before : int
        How many seconds earlier a second range is, to be compared by group; 0 if there is none.
    """

    title: str
    span: str
    keys: tuple[str, ...] = ()
    where: str = ""
    unit: str = ""
    is_top: bool = False
    until: int = END
    before: int = 0

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"{self.title}, {self.span}"

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the columns of groups."""
        return (*self.keys, *(["period"] if self.unit else []))

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """The range of time, and the earlier one if there are two."""
        since = self.until - SPANS[self.span]
        return [(since - back, self.until - back) for back in ([0, self.before] if self.before else [0])]

    @property
    def is_of_whole_hours(self) -> bool:
        """Whether the roll-up alone has the answer."""
        return self.until % HOUR == 0

    def on_table(self, quantile: str) -> str:
        """Return SQL over the table, with a function for p99."""
        answers = f"{quantile} AS p99, count(*) AS n, max(latency_ms) AS slowest"
        return self._query([self.select(answers, "requests", "ts", range_of("ts", *r)) for r in self.ranges])

    def on_rollup(self) -> str:
        """Return SQL over the roll-up, which reads the longest buckets that fit, each level in a scan of its own."""
        answers = f"sketch_quantile(sketch_merge_agg(latency), {PHI}) AS p99, sum(rows) AS n, max(latency_max) AS slowest"
        parts = []
        for since, until in self.ranges:
            ranges: dict[str, list[str]] = {}
            for level, start, end in covered(since, until, _FINER[self.unit]):
                ranges.setdefault(level, []).append(range_of("bucket", start, end))
            scans = [
                f"SELECT * FROM requests_hourly WHERE level = '{level}' AND ({' OR '.join(chosen)})"
                for level, chosen in ranges.items()
            ]
            parts.append(self.select(answers, f"({' UNION ALL '.join(scans)})", "bucket", "true"))
        return self._query(parts)

    def select(self, answers: str, table: str, time: str, condition: str) -> str:
        """Return SQL with the groups and conditions of this query."""
        keys = [*self.keys, *([f"date_trunc('{self.unit}', {time})"] if self.unit else [])]
        named = [f"{key} AS {name}, " for key, name in zip(keys, self.groups, strict=True)]
        where = f"{condition} AND {self.where}" if self.where else condition
        grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
        return f"SELECT {''.join(named)}{answers} FROM {table} WHERE {where}{grouped}"

    def _query(self, parts: list[str]) -> str:
        if self.before:
            earlier = "b.p99 AS p99_1, b.n AS n_1, b.slowest AS slowest_1"
            return f"SELECT a.*, {earlier} FROM ({parts[0]}) a JOIN ({parts[1]}) b USING ({', '.join(self.groups)})"
        return f"{parts[0]} ORDER BY p99 DESC LIMIT 10" if self.is_top else parts[0]


def range_of(time: str, since: int, until: int) -> str:
    """Return the condition that a time is in a range."""
    since_text, until_text = (
        f"TIMESTAMP'{datetime.fromtimestamp(t, timezone.utc):%Y-%m-%d %H:%M:%S}'" for t in (since, until)
    )
    return f"{time} >= {since_text} AND {time} < {until_text}"


def covered(since: int, until: int, levels: tuple[str, ...]) -> list[tuple[str, int, int]]:
    """Return ranges of levels that cover a range of whole hours, of the longest buckets that fit."""
    if since >= until or not levels:
        return []
    *finer, longest = levels
    length = LEVELS[longest]
    first = _MONDAY - (_MONDAY - since) // length * length
    last = _MONDAY + (until - _MONDAY) // length * length
    if first >= last:
        return covered(since, until, tuple(finer))
    around = (covered(since, first, tuple(finer)), covered(last, until, tuple(finer)))
    return [*around[0], (longest, first, last), *around[1]]


def dashboards() -> list[Dashboard]:
    """Return the thirty queries."""
    service, endpoint, both = ("service",), ("endpoint",), ("service", "endpoint")
    one_service = "service = 'service-3'"
    one_endpoint = f"{one_service} AND endpoint = '/endpoint-7'"
    week, quarter = "week", f"{DAYS} days"
    queries = []
    for span in SPANS:
        queries += [
            Dashboard("all", span),
            Dashboard("by service", span, service),
            Dashboard("by endpoint of a service", span, endpoint, one_service),
            Dashboard("by service and endpoint", span, both),
            Dashboard("top ten endpoints", span, both, is_top=True),
        ]
    aside = END - 40 * 60
    return [
        *queries,
        Dashboard("by hour", "day", unit="HOUR"),
        Dashboard("by day and service", week, service, unit="DAY"),
        Dashboard("by day", quarter, unit="DAY"),
        Dashboard("by week and service", quarter, service, unit="WEEK"),
        Dashboard("an endpoint", week, (), one_endpoint),
        Dashboard("an endpoint by day", quarter, (), one_endpoint, "DAY"),
        Dashboard("week over week by service", week, service, before=7 * DAY),
        Dashboard("week over week by endpoint of a service", week, endpoint, one_service, before=7 * DAY),
        Dashboard("until 16:20, by service", "hour", service, until=aside),
        Dashboard("until 16:20, top ten endpoints", "day", both, is_top=True, until=aside),
    ]
