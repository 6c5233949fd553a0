"""SplitMix64: a bijection that spreads 64 bits.

Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, §4.
"""

from __future__ import annotations

_WORD = (1 << 64) - 1
_SIGN = 1 << 63
_GAMMA = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB


def signed(bits: int) -> int:
    """Return 64 bits as a signed number."""
    return ((bits & _WORD) ^ _SIGN) - _SIGN


def mix(bits: int) -> int:
    """Return the output for a state. It adds the increment first, because the finalizer maps 0 to 0.

    Examples
    --------
    >>> from chronosketch.sketch.codec.split_mix import mix, unmix
    >>> mix(0), unmix(mix(-42))
    (-2152535657050944081, -42)
    """
    return finish(bits + _GAMMA)


def finish(bits: int) -> int:
    """Apply only the finalizer."""
    z = bits & _WORD
    z = (z ^ z >> 30) * _FIRST & _WORD
    z = (z ^ z >> 27) * _SECOND & _WORD
    return signed(z ^ z >> 31)


def unmix(mixed: int) -> int:
    """Invert `mix`."""
    z = mixed & _WORD
    z ^= z >> 31 ^ z >> 62
    z = z * _SECOND_INVERSE & _WORD
    z ^= z >> 27 ^ z >> 54
    z = z * _FIRST_INVERSE & _WORD
    return signed((z ^ z >> 30 ^ z >> 60) - _GAMMA)


_FIRST_INVERSE = pow(_FIRST, -1, 1 << 64)
_SECOND_INVERSE = pow(_SECOND, -1, 1 << 64)
