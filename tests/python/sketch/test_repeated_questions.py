"""A sketch gives the same answer each time, whatever was asked before."""

from datetime import date, datetime, timezone
from inspect import isfunction

import golden
import pytest
from chronosketch.sketch import ChronosketchError, Sketch, among_last
from chronosketch.sketch.rank import Phi, RankProfile

FILES = golden.stored()

# The arguments that methods are asked with. Questions without arguments are found by themselves.
ARGUMENTS = {
    "at_version": [(3,), (date(2026, 1, 1),), (datetime(2026, 1, 1, tzinfo=timezone.utc),)],
    "bounds": [(0.5,), ([0.9, 0.1],)],
    "bounds_of": [("mean",), ("variance",), ("sum",)],
    "cdf": [([1, 5],)],
    "cdf_bounds": [([1, 5],)],
    "describe": [()],
    "merge": [()],
    "moment_bounds": [("mean",), ("variance",)],
    "pmf": [([1, 5],)],
    "quantile": [(0.5,), ([0.9, 0.99, 0.1],)],
    "rank": [(5,)],
    "rank_bounds": [(5,)],
    "to_bytes": [()],
    "window": [(among_last(3),), (5,), ("1 hour",)],
}


def questions(kind):
    """Return the properties and methods of a family, each with the arguments to ask with."""
    for name in sorted(dir(kind)):
        found = getattr(kind, name)
        if isinstance(found, property) or not callable(found):
            if not name.startswith("_"):
                yield name, None
        elif name in ARGUMENTS:
            yield from ((name, arguments) for arguments in ARGUMENTS[name])
        elif isfunction(found) and hasattr(found, "__wrapped__") and name not in dir(Sketch):
            yield name, ()


def answer(sketch, name, arguments):
    """Return an answer in a form that can be compared, or the text of the refusal."""
    try:
        found = getattr(sketch, name)
        return comparable(found if arguments is None else found(*arguments))
    except (ChronosketchError, AttributeError, TypeError, ValueError) as refused:
        return f"{type(refused).__name__}: {refused}"


def comparable(value):
    if isinstance(value, Sketch):
        return value.to_bytes()
    if isinstance(value, RankProfile):
        names = ("keys", "at_most_low", "at_most_high", "above_low", "above_high", "count_low", "count_high")
        return [getattr(value, name) for name in (*names, "certified_error")]
    if isinstance(value, Phi):
        return str(value)
    if isinstance(value, tuple | list):
        return [comparable(one) for one in value]
    text = repr(value)
    assert " at 0x" not in text, text
    return text


@pytest.mark.parametrize("name", FILES)
def test_an_answer_does_not_depend_on_the_questions_before(name):
    sketch = Sketch.from_bytes(FILES[name])
    asked = list(questions(type(sketch)))
    first = [answer(sketch, *question) for question in asked]
    again = [answer(sketch, *question) for question in asked]
    backwards = Sketch.from_bytes(FILES[name])
    last = [answer(backwards, *question) for question in reversed(asked)][::-1]
    assert again == first
    assert last == first
    assert sketch.to_bytes() == backwards.to_bytes() == FILES[name]


@pytest.mark.parametrize("name", FILES)
def test_a_merge_changes_neither_side(name):
    left, right = Sketch.from_bytes(FILES[name]), Sketch.from_bytes(FILES[name])
    asked = list(questions(type(left)))
    before = [answer(left, *question) for question in asked]
    merged = answer(left, "merge", (right,))
    for sketch in (left, right):
        assert [answer(sketch, *question) for question in asked] == before
    assert answer(left, "merge", (right,)) == merged


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("history")])
def test_a_version_answers_the_same_whatever_version_was_asked_before(name):
    history = Sketch.from_bytes(FILES[name])
    if not history.trees:
        return
    first, last = history.ends()
    versions = sorted({first, first + (last - first) // 3, (first + last) // 2, last})

    def answers(history, version):
        sketch = history.at(version)
        return [answer(sketch, *question) for question in questions(type(sketch))]

    upwards = {version: answers(history, version) for version in versions}
    other = Sketch.from_bytes(FILES[name])
    assert {version: answers(other, version) for version in versions[::-1]} == upwards
    assert {version: answers(history, version) for version in versions} == upwards
