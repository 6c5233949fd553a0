"""Windows taken from sketches in Python, and windows that are refused."""

from dataclasses import replace
from datetime import date, datetime, timedelta, timezone

import golden
import pytest
from chronosketch.sketch import ChronosketchError, Sketch, among_last, passing, within_last
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.codec.wire import MOST_LONG, Reader, Writer
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.domain.values import domain_of
from chronosketch.sketch.window.buckets import Bucket
from chronosketch.sketch.window.constraint import WithinLast, interval_text
from chronosketch.sketch.window.contents import KeysWire

FILES = golden.stored()


def opened(name):
    return Sketch.from_bytes(FILES[name])


@pytest.mark.parametrize(
    ("written", "micros"),
    [
        ("10 minutes", 600_000_000),
        ("INTERVAL 1 day 12 hours", 129_600_000_000),
        ("1.5 seconds", 1_500_000),
        (" 2 weeks ", 14 * 86_400_000_000),
        ("1 day -1 hour", 82_800_000_000),
        ("3 microseconds 1 millisecond", 1003),
        (timedelta(minutes=1), 60_000_000),
    ],
)
def test_intervals_are_read_as_sql_reads_them(written, micros):
    span = within_last(written)
    assert isinstance(span, WithinLast)
    assert (span.length, span.is_interval) == (micros, True)


def test_intervals_are_written_as_users_write_them():
    assert interval_text(90_061_500_000) == "'1 day 1 hour 1 minute 1.5 seconds'"
    assert interval_text(0) == "'0 seconds'"


@pytest.mark.parametrize(
    ("ask", "condition", "text"),
    [
        (lambda: within_last("1 month"), "INVALID_WINDOW", "months have no fixed length"),
        (lambda: within_last("soon"), "INVALID_WINDOW", "it is not an interval"),
        (lambda: within_last("1.5 hours"), "INVALID_WINDOW", "it is not an interval"),
        (lambda: within_last(0), "INVALID_WINDOW", "it must be above 0"),
        (lambda: within_last(timedelta.max), "INVALID_WINDOW", "it is out of range"),
        (lambda: among_last(0), "INVALID_WINDOW", "it must be above 0"),
        (lambda: opened("window_in_order").window(passing("no")), "UNKNOWN_FILTER", "none"),
        (lambda: opened("window_filtered").window(passing("no")), "UNKNOWN_FILTER", "passing('no')"),
        (lambda: opened("one").window(3), "QUESTION_NOT_ANSWERED", "window sketch"),
        (lambda: opened("restricted_rows").window(3), "QUESTION_NOT_ANSWERED", "window sketch"),
    ],
)
def test_each_refusal_has_its_condition(ask, condition, text):
    with pytest.raises(ChronosketchError, match=f"CHRONOSKETCH_{condition}") as refused:
        ask()
    assert text in str(refused.value)


def test_a_negated_window_is_refused():
    with pytest.raises(ChronosketchError, match="WINDOW_UNDER_NOT"):
        ~(within_last(3) & passing("x"))


def test_spans_and_times_are_those_of_the_sketch():
    sketches = {s.time_domain.sql: s for s in map(opened, FILES) if s.family == "window sketch"}
    assert len(sketches) > 1
    for sql, sketch in sketches.items():
        other = "10 minutes" if sketch.time_domain.is_integer else 10
        with pytest.raises(ChronosketchError, match="WINDOW_UNITS"):
            sketch.window(other)
        wrong = date(2026, 1, 1) if sql != "DATE" else datetime(2026, 1, 1, tzinfo=timezone.utc)
        span = within_last(10) if sketch.time_domain.is_integer else within_last("1 day")
        with pytest.raises(ChronosketchError, match="TIME_NOT_COMPARABLE") as refused:
            sketch.window(span, wrong)
        # the call in the message must run as shown
        shown = str(refused.value).split("e.g. ")[1].removesuffix(".")
        right = eval(shown, {"date": date, "datetime": datetime, "timezone": timezone})
        assert domain_of(right).widen(sketch.time_domain) is not None


def test_of_nested_windows_the_shorter_has_fewer_rows():
    sketch = opened("window_in_order")
    counts = [sketch.window(among_last(n)).count for n in (1, 10, 100, 10**6)]
    assert counts == sorted(counts)
    assert counts[0] == 1
    assert counts[-1] == sketch.count


def test_keys_of_one_bucket_after_another_may_be_farther_apart_than_63_bits():
    far = [doubles.key(1e300), doubles.key(-1e300)]
    contents = KeysWire(domain_named("double"), 0.1)
    for before, key in (far, far[::-1]):
        w = Writer()
        assert contents.write(w, Bucket(0, 0, 70, 1, [key]), before) == key
        stored = w.result()
        assert contents.read(Reader(stored, 0, len(stored)), before) == (1, [key], key)


def test_a_question_that_needs_a_window_names_the_families():
    assert not hasattr(opened("one"), "window")


def test_rows_forgotten_beyond_63_bits_stay_the_greatest_number():
    sketch = opened("window_exact")
    sketch.rows = replace(sketch.rows, retention=1, forgotten=MOST_LONG - 1)
    read = Sketch.from_bytes(sketch.to_bytes())
    assert sum(map(len, read.rows.classes)) < sum(map(len, sketch.rows.classes))
    assert read.rows.forgotten == MOST_LONG
    assert Sketch.from_bytes(read.to_bytes()).rows.forgotten == MOST_LONG
