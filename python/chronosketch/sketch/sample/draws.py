"""Random numbers that hang on a seed and on the rows that came."""

from __future__ import annotations

from chronosketch.sketch.codec.split_mix import mix

_GAMMA = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1


class Draws:
    """A run of random numbers: samples whose rows differ somewhere share none from there on.

    Notes
    -----
    Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, §4: the output
    function. The state takes in each row, where theirs counts.

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
        """Go on past a row, or any number of 64 bits."""
        mixed = (self.mark ^ key) * _GAMMA & _WORD
        self.mark = (mixed ^ mixed >> 32) + _GAMMA & _WORD

    def below(self, bound: int) -> int:
        """Return a number in [0, bound), and go on."""
        drawn = (mix(self.mark) & _WORD) * bound >> 64
        self.take_in(0)
        return drawn
