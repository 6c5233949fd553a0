"""Hold what a sketch certifies against the exact ranks of all its values."""

from bisect import bisect_left, bisect_right

from chronosketch.sketch import Sketch


def require_certificate(sketch, values, epsilon):
    """Require true rank bounds at every key, exact ends, an error of at most epsilon, and readable bytes."""
    ordered = sorted(values)
    n = len(ordered)
    profile = sketch.profile
    assert (sketch.count, sketch.min(), sketch.max()) == (n, ordered[0], ordered[-1])
    assert sketch.rank_error <= epsilon
    for i, key in enumerate(profile.keys):
        low, high = profile.rank_bounds(i)
        after = n if i + 1 == len(profile.keys) else bisect_left(ordered, profile.keys[i + 1])
        assert low <= bisect_right(ordered, key)
        # the bound holds up to the next key
        assert after <= high
    for phi in (0, 0.01, 0.5, 0.9, 1):
        rank = max(1, -(-int(phi * 100) * n // 100))
        low, high = sketch.bounds(phi)
        assert low <= ordered[rank - 1] <= high
        answer = sketch.quantile(phi)
        assert (
            bisect_left(ordered, answer) + 1 - epsilon * n
            <= rank
            <= bisect_right(ordered, answer) + epsilon * n
        )
    assert Sketch.from_bytes(sketch.to_bytes()) == sketch
