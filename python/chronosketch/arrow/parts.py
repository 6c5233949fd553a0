"""Quantile sketches of a column that are to be united, in a few arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.quantile.segments import picked, starts_of
from chronosketch.sketch.quantile.summaries import Steps

if TYPE_CHECKING:
    from chronosketch.arrow.column import Longs
    from chronosketch.arrow.profiles import Profiles
    from chronosketch.sketch.quantile.summaries import Doubles


@dataclass(frozen=True)
class Parts:
    """Quantile sketches that are to be united, in order of their groups.

    Attributes
    ----------
    groups, rows : array of int64
        The group and the row of each, in the column as it was given.
    domains, epsilons : array of int64, array of float64
        Their types, the kind and its two parameters one byte each, and their parameters.
    steps : Steps
        Their rank bounds.
    """

    groups: Longs
    rows: Longs
    domains: Longs
    epsilons: Doubles
    steps: Steps

    @staticmethod
    def of(profiles: Profiles, groups: Longs, rows: Longs) -> Parts:
        """Return the sketches of profiles from a batch with these groups and rows."""
        sizes = profiles.last - profiles.first + 1
        keys, low, high = profiles.keys, profiles.low, profiles.high
        if int(sizes.sum()) != len(keys):
            is_certain = high is low
            keys, low = picked(keys, profiles.first, sizes), picked(low, profiles.first, sizes)
            high = low if is_certain else picked(high, profiles.first, sizes)
        there = profiles.rows
        steps = Steps(sizes, keys, low, high)
        return Parts(groups[there], rows[there], profiles.domains, profiles.epsilons, steps)

    @staticmethod
    def joined(parts: list[Parts]) -> Parts:
        """Return all of some parts."""
        if len(parts) == 1:
            return parts[0]
        steps = [part.steps for part in parts]
        low = np.concatenate([one.low for one in steps])
        exact = all(one.high is one.low for one in steps)
        high = low if exact else np.concatenate([one.high for one in steps])
        return Parts(
            np.concatenate([part.groups for part in parts]),
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.domains for part in parts]),
            np.concatenate([part.epsilons for part in parts]),
            Steps(
                np.concatenate([one.sizes for one in steps]),
                np.concatenate([one.keys for one in steps]),
                low,
                high,
            ),
        )

    def __len__(self) -> int:
        return len(self.groups)

    def split_last_group(self) -> tuple[Parts, Parts]:
        """Return the sketches of all groups but the last, and those of the last."""
        at = int(np.searchsorted(self.groups, self.groups[-1]))
        key = int(self.steps.sizes[:at].sum())
        return self._range(slice(at), slice(key)), self._range(slice(at, None), slice(key, None))

    def _range(self, sketches: slice, keys: slice) -> Parts:
        """Return some sketches, which have these keys, without copying."""
        steps = self.steps
        low = steps.low[keys]
        high = low if steps.high is steps.low else steps.high[keys]
        return Parts(
            self.groups[sketches],
            self.rows[sketches],
            self.domains[sketches],
            self.epsilons[sketches],
            Steps(steps.sizes[sketches], steps.keys[keys], low, high),
        )

    def part(self, which: Longs) -> Parts:
        """Return the selected sketches, in this order."""
        steps = self.steps
        starts, sizes = starts_of(steps.sizes)[which], steps.sizes[which]
        keys, low = (picked(column, starts, sizes) for column in (steps.keys, steps.low))
        high = low if steps.high is steps.low else picked(steps.high, starts, sizes)
        return Parts(
            self.groups[which],
            self.rows[which],
            self.domains[which],
            self.epsilons[which],
            Steps(sizes, keys, low, high),
        )
