"""Histories that follow a table: ask for quantiles of any past version, even after its files are gone.

>>> step = cs.history.follow(spark, source="orders", value="amount", by=["region"], into="orders_history")
"""

from chronosketch.history.follower import Follower, follow
from chronosketch.history.plan import Step
from chronosketch.history.versions import at

__all__ = ["Follower", "Step", "at", "follow"]
