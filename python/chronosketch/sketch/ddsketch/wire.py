"""Read and write the payload of a DDSketch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.sketch.codec.wire import MOST_LONG, Reader, Writer, corrupt
from chronosketch.sketch.ddsketch.bin_keys import BinKeys

if TYPE_CHECKING:
    from chronosketch.sketch.ddsketch.bins import Bins
    from chronosketch.sketch.domain.domain import Domain

# The smallest size of a bin and its count, in bytes.
_SMALLEST_BIN = 2


def write(w: Writer, least: int, greatest: int, counts: dict[int, int]) -> None:
    """Write the minimum, the maximum, and the count of each bin."""
    numbers = sorted(counts)
    w.varint(len(numbers))
    if numbers:
        w.zigzag(least)
        w.varint(greatest - least)
        w.rising(numbers)
        for number in numbers:
            w.varint(counts[number])


def read(r: Reader, domain: Domain, bins: Bins) -> tuple[int, int, dict[int, int]]:
    """Read what `write` wrote. Refuse invalid bytes."""
    n = r.size(_SMALLEST_BIN)
    if n == 0:
        return 0, 0, {}
    least = r.zigzag()
    greatest = least + r.varint()
    if greatest > MOST_LONG or not domain.holds(least) or not domain.holds(greatest):
        raise corrupt(f"its least or greatest value is not of type {domain.sql}")
    numbers = [r.zigzag()]
    for more in r.varints(n - 1):
        numbers.append(numbers[-1] + more)
        if more == 0 or numbers[-1] > MOST_LONG:
            raise corrupt("its bins are not in increasing order")
    if numbers[0] < -bins.infinity or numbers[-1] > bins.nan:
        raise corrupt("it has a bin that does not exist")
    _require_keys(BinKeys(bins, domain), numbers, least, greatest)
    counts = r.varints(n)
    total = sum(counts)
    if min(counts) == 0 or total > MOST_LONG:
        raise corrupt("its counts are not valid")
    if total == 1 and least != greatest:
        raise corrupt("it has one value, but its least and greatest values differ")
    return least, greatest, dict(zip(numbers, counts, strict=True))


def _require_keys(keys: BinKeys, numbers: list[int], least: int, greatest: int) -> None:
    """Refuse bins that no value between the ends falls into, and ends that are not in the outer bins."""
    if keys.least(numbers[0]) > least or keys.greatest(numbers[-1]) < greatest:
        raise corrupt("its least or greatest value is outside its bins")
    last = len(numbers) - 1
    for i, number in enumerate(numbers):
        # between the ends, every bin without gaps contains a value
        if i not in (0, last) and keys.is_filled(number):
            continue
        if max(least, keys.least(number)) > min(greatest, keys.greatest(number)):
            raise corrupt("it has a bin that can't hold a value")
