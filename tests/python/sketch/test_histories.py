"""Histories: questions need a version, and unknown versions are refused."""

from datetime import date

import golden
import pytest
from chronosketch.sketch import ChronosketchError, Sketch

FILES = golden.stored()
HISTORIES = {name: data for name, data in FILES.items() if Sketch.from_bytes(data).family == "history"}


def opened(name):
    return Sketch.from_bytes(FILES[name])


@pytest.mark.parametrize(
    "ask",
    [
        lambda h: h.count,
        lambda h: h.count_bounds,
        lambda h: h.quantile(0.5),
        lambda h: h.min(),
        lambda h: h.rank_error,
    ],
)
@pytest.mark.parametrize("name", HISTORIES)
def test_a_history_is_asked_by_version(name, ask):
    with pytest.raises(ChronosketchError, match="CHRONOSKETCH_WHICH_VERSION"):
        ask(opened(name))


def test_no_window_of_a_history():
    with pytest.raises(ChronosketchError, match="QUESTION_NOT_ANSWERED"):
        opened("history_log").window(3)


def test_unknown_versions_are_refused():
    history = next(h for h in map(opened, HISTORIES) if h.trees and h.version_domain.is_integer)
    first, last, trees = history.versions()
    for version in (first - 1, last + 1):
        with pytest.raises(ChronosketchError, match="VERSION_OUT_OF_RANGE") as refused:
            history.at_version(version)
        assert f"versions {first} to {last}" in str(refused.value)
    with pytest.raises(ChronosketchError, match="VERSION_TYPES_DIFFER"):
        history.at_version(date(2026, 1, 1))
    with pytest.raises(ChronosketchError, match="VERSION_TYPES_DIFFER"):
        history.versions("date")
    assert history.versions("double") == (float(first), float(last), trees)


def test_an_empty_history_has_no_version():
    history = opened("history_empty")
    assert history.versions() == (None, None, 0)
    assert history.at_version(3) is None
    assert history.describe().count == 0


def test_only_a_history_has_versions():
    with pytest.raises(ChronosketchError, match="works on these families: history") as refused:
        opened("one").at_version(3)
    assert isinstance(refused.value, AttributeError)
    assert "Sketch.at_version" in str(refused.value)
