"""The terms of cost models. Each is a named function of a workload, and no others exist.

R is the retention and S the slide, both in rows; ε is the allowed error and δ the allowed chance of a larger
one. All logarithms are natural. A sample has k = min(R, ln(1/(εδ))/ε²) rows. docs/advisor.md has the same
list, so that other languages can evaluate a stored model.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, log1p, log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from chronosketch.advisor.workloads import Workload

_LETTERS = {"R": "retention", "S": "slide", "ε": "epsilon", "δ": "delta"}


@dataclass(frozen=True)
class Term:
    """One function of a workload."""

    name: str
    formula: str
    letters: str
    value: Callable[[Workload], float]

    @property
    def factors(self) -> tuple[str, ...]:
        """Return the factors that the term depends on."""
        return tuple(_LETTERS[letter] for letter in self.letters)

    def defined(self, workload: Workload) -> bool:
        """Return whether the term is defined: ε = 0 and δ = 0 have no logarithm and no inverse.

        Examples
        --------
        >>> from chronosketch.advisor.workloads import Workload
        >>> TERMS["inverse_epsilon"].defined(Workload(100, 10)), TERMS["slide"].defined(Workload(100, 10))
        (False, True)
        """
        return all(workload.factor(name) > 0 for name in self.factors)


def _sample(w: Workload) -> float:
    return min(w.retention, log(1 / (w.epsilon * w.delta)) / w.epsilon**2)


def _summary(w: Workload) -> float:
    return log1p(w.epsilon * w.retention) / w.epsilon


def _pane_keys(w: Workload) -> float:
    # 2/ε panes. A sketch of one, at ε/2, keeps up to 4/ε values as they are, and thins more to about 2.4/ε.
    return w.retention if w.retention <= 8 / w.epsilon**2 else 4.8 / w.epsilon**2


def _variance_buckets(w: Workload) -> float:
    return 9 * log1p(w.epsilon**2 * w.retention / 9) / w.epsilon**2


def _levels(w: Workload) -> float:
    return log(1 / w.epsilon) ** 2 / w.epsilon


_ALL = (
    Term("one", "1", "", lambda w: 1.0),
    Term("retention", "R", "R", lambda w: w.retention),
    Term("slide", "S", "S", lambda w: w.slide),
    Term("inverse_slide", "1/S", "S", lambda w: 1 / w.slide),
    Term("log_retention", "ln R", "R", lambda w: log(w.retention)),
    Term("log_retention_squared", "(ln R)²", "R", lambda w: log(w.retention) ** 2),
    Term("log_slide", "ln S", "S", lambda w: log(w.slide)),
    Term("log_slide_squared", "(ln S)²", "S", lambda w: log(w.slide) ** 2),
    Term("log_inverse_epsilon", "ln(1/ε)", "ε", lambda w: log(1 / w.epsilon)),
    Term("log_inverse_epsilon_squared", "(ln(1/ε))²", "ε", lambda w: log(1 / w.epsilon) ** 2),
    Term("log_retention_log_slide", "ln R·ln S", "RS", lambda w: log(w.retention) * log(w.slide)),
    Term(
        "log_retention_log_inverse_epsilon",
        "ln R·ln(1/ε)",
        "Rε",
        lambda w: log(w.retention) * log(1 / w.epsilon),
    ),
    Term(
        "log_slide_log_inverse_epsilon",
        "ln S·ln(1/ε)",
        "Sε",
        lambda w: log(w.slide) * log(1 / w.epsilon),
    ),
    Term("room", "2^⌈log₂ R⌉", "R", lambda w: 2.0 ** ceil(log2(w.retention) - 1e-9)),
    Term("retention_log_retention", "R·ln R", "R", lambda w: w.retention * log(w.retention)),
    Term("slides_in_retention", "R/S", "RS", lambda w: w.retention / w.slide),
    Term("slide_log_retention", "S·ln R", "RS", lambda w: w.slide * log(w.retention)),
    Term("slide_log_inverse_epsilon", "S·ln(1/ε)", "Sε", lambda w: w.slide * log(1 / w.epsilon)),
    Term("inverse_epsilon", "1/ε", "ε", lambda w: 1 / w.epsilon),
    Term("log_scaled_retention", "ln(1+εR)", "Rε", lambda w: log1p(w.epsilon * w.retention)),
    Term(
        "slide_log_scaled_retention",
        "S·ln(1+εR)",
        "RSε",
        lambda w: w.slide * log1p(w.epsilon * w.retention),
    ),
    Term("summary", "ln(1+εR)/ε", "Rε", _summary),
    Term("blocks", "R/(1+ε²R)", "Rε", lambda w: w.retention / (1 + w.epsilon**2 * w.retention)),
    Term("pane_keys", "R (4.8/ε² if R > 8/ε²)", "Rε", _pane_keys),
    Term("levels", "(ln(1/ε))²/ε", "ε", _levels),
    Term(
        "levels_log_scaled_retention",
        "(ln(1/ε))²·ln(1+εR)/ε",
        "Rε",
        lambda w: _levels(w) * log1p(w.epsilon * w.retention),
    ),
    Term("variance_buckets", "9·ln(1+ε²R/9)/ε²", "Rε", _variance_buckets),
    Term("sample", "k", "Rεδ", _sample),
    Term("log_sample", "ln(1+k)", "Rεδ", lambda w: log1p(_sample(w))),
    Term("sample_log_sample", "k·ln(1+k)", "Rεδ", lambda w: _sample(w) * log1p(_sample(w))),
    Term("sample_log_retention", "k·ln R", "Rεδ", lambda w: _sample(w) * log(w.retention)),
    Term("sampled", "k/R", "Rεδ", lambda w: _sample(w) / w.retention),
    Term("slide_log_sample", "S·ln(1+k)", "RSεδ", lambda w: w.slide * log1p(_sample(w))),
    Term("slide_sampled", "S·k/R", "RSεδ", lambda w: w.slide * _sample(w) / w.retention),
)

#: All terms by name.
TERMS = {term.name: term for term in _ALL}

#: For each term of an element's time, the term of the time of a slide of S elements.
TIMES_SLIDE = {
    "one": "slide",
    "inverse_slide": "one",
    "log_retention": "slide_log_retention",
    "log_inverse_epsilon": "slide_log_inverse_epsilon",
    "log_scaled_retention": "slide_log_scaled_retention",
    "log_sample": "slide_log_sample",
    "sampled": "slide_sampled",
}


def evaluate(name: str, workload: Workload) -> float:
    """Return the value of a term.

    Examples
    --------
    >>> from chronosketch.advisor.workloads import Workload
    >>> evaluate("slides_in_retention", Workload(19_200, 320))
    60.0
    >>> round(evaluate("sample", Workload(10**9, 320, 0.01, 1e-4)))
    138155
    """
    return float(TERMS[name].value(workload))
