"""Random numbers that depend on a seed and on the rows so far."""

from __future__ import annotations

from chronosketch.sketch.codec.split_mix import mix

_GAMMA = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1


class Draws:
    """A stream of random numbers. After a row that differs, samples get different numbers.

    Notes
    -----
    Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, §4: the output
    function. Their state counts; this one absorbs each row.

    Examples
    --------
    >>> from chronosketch.sketch.sample.draws import Draws
    >>> draws = Draws(seed=0)
    >>> [draws.below(10) for _ in range(5)] == [Draws(seed=0).below(10)] * 5
    False
    """

    def __init__(self, seed: int) -> None:
        self.mark = (mix(seed) ^ mix(_GAMMA)) & _WORD

    def take_in(self, key: int) -> None:
        """Mix a row, or any 64-bit number, into the state."""
        mixed = (self.mark ^ key) * _GAMMA & _WORD
        self.mark = (mixed ^ mixed >> 32) + _GAMMA & _WORD

    def below(self, bound: int) -> int:
        """Return the next number in [0, bound)."""
        drawn = (mix(self.mark) & _WORD) * bound >> 64
        self.take_in(0)
        return drawn
