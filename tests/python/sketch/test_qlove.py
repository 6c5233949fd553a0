"""Windows of panes merged in Python answer as in Spark."""

from decimal import Decimal

import golden
import pytest
from chronosketch.sketch import ChronosketchError, Sketch
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.qlove.pane import QlovePane
from chronosketch.sketch.qlove.query import TENTH, Query
from chronosketch.sketch.qlove.sketch import PaneSettings
from chronosketch.sketch.qlove.statistics import mean
from hypothesis import given, settings
from hypothesis import strategies as st

INT = Domain(Kind.INT)
PHIS = (Decimal("0"), Decimal("0.5"), Decimal("0.95"), Decimal("1"))
QUERY = Query(PHIS, 4, None, 0)
KEYS = st.lists(st.integers(-9, 9), min_size=1, max_size=60)


def pane(number, values, query=QUERY):
    counts = {value: values.count(value) for value in values}
    return QlovePane(Header(INT, ()), PaneSettings(INT, query), TENTH, (10 * number, 10 * number + 9), counts)


@settings(deadline=None)
@given(KEYS, st.integers(0, 60))
def test_one_pane_is_exact_however_it_was_split(values, cut):
    parts = pane(1, values[:cut]).merge(pane(1, values[cut:]))
    assert parts == pane(1, values) == Sketch.from_bytes(parts.to_bytes())
    ordered = sorted(values)
    for i, phi in enumerate(PHIS):
        rank = QUERY.phi(i).rank(len(values))
        assert parts.finish().quantile(phi, "int") == ordered[rank - 1]


@settings(deadline=None)
@given(st.lists(KEYS, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_panes_merge_in_any_order(panes, chance):
    whole = [pane(i, values).finish() for i, values in enumerate(panes)]
    shuffled = chance.sample(whole, len(whole))
    window = whole[0].merge(*whole[1:])
    assert shuffled[0].merge(*shuffled[1:]) == window == Sketch.from_bytes(window.to_bytes())
    ordered = sorted(value for values in panes for value in values)
    for i, found in enumerate(window.answers):
        assert found.estimate.key in range(ordered[0], ordered[-1] + 1)
        if found.method == "few-k" and PHIS[i] == 1:
            assert found.estimate.key == ordered[-1]


def test_incompatible_sketches_are_refused():
    first = pane(1, [1]).finish()
    for other, condition in [
        (first, "PANES_OVERLAP"),
        (pane(2, [1], Query(PHIS, 5, None, 0)).finish(), "QUERIES_DIFFER"),
        (pane(2, [1]), "FAMILIES_DIFFER"),
    ]:
        with pytest.raises(ChronosketchError, match=condition):
            first.merge(other)
    with pytest.raises(ChronosketchError, match="TOO_MANY_PANES"):
        first.merge(*(pane(i, [1]).finish() for i in range(2, 7)))
    with pytest.raises(ChronosketchError, match="PHI_NOT_NAMED"):
        first.quantile(0.25)
    with pytest.raises(ChronosketchError, match="QUESTION_NOT_ANSWERED"):
        pane(1, [1]).quantile(0.5)


def test_a_pane_of_few_bytes_keeps_no_more_than_memory_has():
    query = Query((Decimal("0.95"), Decimal("0.99")), 4, 2**31 - 1, 0)
    for rows in (2**23 + 1, 2**31, 2**62):
        many = QlovePane(Header(INT, ()), PaneSettings(INT, query), TENTH, (0, 9), {7: rows})
        with pytest.raises(ChronosketchError, match="PANES_KEEP_TOO_MUCH") as refused:
            many.finish()
        assert "16777216" in str(refused.value)


def test_it_describes_how_it_answers():
    description = Sketch.from_bytes(golden.stored()["qlove_few_k"]).describe()
    assert (description.parameters, description.panes, description.time_type) == (
        {"panes": 4.0},
        4,
        "TIMESTAMP",
    )
    assert [answer.method for answer in description.answers] == ["mean", "mean", "mean", "few-k"]
    assert (description.answers[3].bursty, description.answers[3].bound) == (False, 2584.8852225543415)
    empty = Sketch.from_bytes(golden.stored()["qlove_empty"]).describe()
    assert [(answer.phi, answer.method) for answer in empty.answers][:1] == [(0.5, None)]


@settings(deadline=None)
@given(st.lists(st.sampled_from([float("inf"), float("-inf"), float("nan"), 0.5]), min_size=1))
def test_the_mean_of_non_finite_doubles_is_that_of_their_sum(values):
    found = mean([doubles.key(value) for value in values], Domain(Kind.DOUBLE)).value
    assert str(found) == str(sum(values) / len(values))


# Checksums of the JVM's unions of these sketches, by Summary.merge.
MERGED = {
    ("qlove_pane", "qlove_pane"): "f52d7b48",
    ("qlove_one", "qlove_empty"): "4b6bb33f",
    ("qlove_pane", "qlove_pane_empty"): "5f7879d0",
    ("qlove_pane_digits", "qlove_pane_digits"): "2b5b8d9f",
    ("qlove_tenth_pane", "qlove_tenth_pane"): "7d8f905c",
}


@pytest.mark.parametrize(("left", "right"), MERGED)
def test_stored_panes_merge_to_the_bytes_that_the_jvm_makes(left, right):
    merged = Sketch.from_bytes(golden.stored()[left]).merge(Sketch.from_bytes(golden.stored()[right]))
    assert merged.to_bytes()[-4:].hex() == MERGED[left, right]
