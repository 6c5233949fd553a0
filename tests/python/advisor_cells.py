"""Synthetic measurements with known costs, for tests. Their noise grows with the value, as in real ones."""

import json
import random
from math import log, log1p

from chronosketch.advisor.workloads import Workload

RETENTIONS = (1_000, 4_000, 16_000, 64_000, 256_000, 1_024_000)
SLIDES = (1, 16, 256)
EPSILONS = (0.05, 0.01, 0.002)
DELTA = 1e-4


def sample(w):
    return min(w.retention, log(1 / (w.epsilon * w.delta)) / w.epsilon**2)


# nanoseconds for an element, nanoseconds for an answer, bytes
COSTS = {
    ("variance", "expiration_list"): (
        lambda w: 2.0,
        lambda w: 300 + 1.5 * w.retention,
        lambda w: 64 + 8 * w.retention,
    ),
    ("variance", "two_stack"): (lambda w: 12.0, lambda w: 40.0, lambda w: 200 + 8 * w.retention),
    ("variance", "panes"): (
        lambda w: 4.0 + 60 / w.slide,
        lambda w: 40.0,
        lambda w: 200 + 40 * w.retention / w.slide,
    ),
    ("variance", "variance_histogram"): (
        lambda w: 150.0,
        lambda w: 80.0,
        lambda w: 400 + 48 * 9 * log1p(w.epsilon**2 * w.retention / 9) / w.epsilon**2,
    ),
    ("variance", "biased_reservoir"): (lambda w: 20.0, lambda w: 40.0, lambda w: 100 + 8 * sample(w)),
    ("quantile", "expiration_list"): (
        lambda w: 2.0,
        lambda w: 500 + 5 * w.retention * log(w.retention),
        lambda w: 64 + 16 * w.retention,
    ),
    ("quantile", "block_sort"): (
        lambda w: 20 + 30 * log(w.retention),
        lambda w: 200 + 0.5 * w.retention,
        lambda w: 300 + 48 * w.retention,
    ),
    ("quantile", "arasu_manku"): (
        lambda w: 60 + 15 * log(1 / w.epsilon) + 4 * log(w.retention),
        lambda w: 900 + 8 * log(1 / w.epsilon) ** 2 / w.epsilon,
        lambda w: (
            500 + 30 * log(1 / w.epsilon) ** 2 / w.epsilon + 20 * log1p(w.epsilon * w.retention) / w.epsilon
        ),
    ),
    ("quantile", "bernoulli"): (
        lambda w: 5 + 80 * sample(w) / w.retention,
        lambda w: 300 + 6 * sample(w),
        lambda w: 200 + 40 * sample(w),
    ),
    ("count", "exponential_histogram"): (
        lambda w: 15 + 1.0 * log1p(w.epsilon * w.retention),
        lambda w: 50.0,
        lambda w: 150 + 16 * log1p(w.epsilon * w.retention) / w.epsilon,
    ),
    ("count", "two_stack"): (lambda w: 8.0, lambda w: 20.0, lambda w: 100 + w.retention),
}
EXACT = ("expiration_list", "two_stack", "block_sort", "panes")
PROBABLE = ("biased_reservoir", "bernoulli")
MACHINE = {"kind": "machine", "cores": 2, "cpu": "made up", "jvm": "17", "os": "none", "version": "0"}


def workloads(approach):
    for retention in RETENTIONS:
        for slide in SLIDES:
            if approach in EXACT:
                yield Workload(retention, slide)
            else:
                for epsilon in EPSILONS:
                    yield Workload(retention, slide, epsilon, DELTA if approach in PROBABLE else 0.0)


def record(aggregate, approach, w, costs, factor=lambda: 1.0, **more):
    update, query, size = costs
    return {
        "kind": "cell",
        "place": "core",
        "aggregate": aggregate,
        "approach": approach,
        "retention": w.retention,
        "slide": w.slide,
        "epsilon": w.epsilon,
        "delta": w.delta,
        "update_ns": update(w) * factor(),
        "query_ns": query(w) * factor(),
        "bytes": size(w) * factor(),
        "error": w.epsilon / 2,
        "repeats": 5,
        **more,
    }


def records(seed=1, noise=0.05, only=None):
    """Return all cells of the grid, with each cost multiplied by lognormal noise."""
    rng = random.Random(seed)
    return [
        record(aggregate, approach, w, costs, lambda: rng.lognormvariate(0, noise))
        for (aggregate, approach), costs in COSTS.items()
        if only is None or (aggregate, approach) in only
        for w in workloads(approach)
    ]


def lines(*args, **options):
    return [json.dumps(MACHINE), *(json.dumps(one) for one in records(*args, **options))]
