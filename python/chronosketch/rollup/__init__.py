"""Roll-ups: tables of hourly, daily and longer sketches that follow a table, row for row.

>>> step = cs.rollup.follow(
...     spark,
...     source="requests",
...     into="requests_hourly",
...     time="ts",
...     by=["service"],
...     values={"latency": "latency_ms"},
... )
"""

from chronosketch.rollup.follower import Follower, follow
from chronosketch.rollup.keeping import Description, PastStep, describe, now, rebuild, refresh
from chronosketch.rollup.plan import Step
from chronosketch.rollup.stream import attach

__all__ = [
    "Description",
    "Follower",
    "PastStep",
    "Step",
    "attach",
    "describe",
    "follow",
    "now",
    "rebuild",
    "refresh",
]
