"""The arguments of `follow` and `at` are checked before any table is read."""

import logging
import math
from datetime import datetime, timedelta
from fractions import Fraction
from threading import Event

import chronosketch as cs
import numpy as np
import pandas as pd
import pytest
from chronosketch.error_log import muted_error_log
from chronosketch.errors import ChronosketchError

GIVEN = {"source": "orders", "value": "amount", "into": "orders_history"}

WRONG = [
    ({"source": None}, "source is None, of type NoneType"),
    ({"source": ""}, "source is '', which is not the name"),
    ({"source": "my orders"}, "source is 'my orders', which is not the name"),
    ({"source": "orders; DROP TABLE t"}, "which is not the name of a table"),
    ({"source": "delta.`/path"}, "which is not the name of a table"),
    ({"into": "a-b"}, "into is 'a-b', which is not the name"),
    ({"into": 7}, "into is 7, of type int"),
    ({"value": ""}, "value is ''"),
    ({"value": ["amount"]}, "value is .*, of type list"),
    ({"by": None}, "by is None, of type NoneType"),
    ({"by": [1]}, "by is 1, of type int"),
    ({"by": [" "]}, "by is ' '"),
    ({"where": ""}, "where is ''"),
    ({"where": True}, "where is True, of type bool"),
    ({"epsilon": 7}, "epsilon is 7. Give a number from 0 to 0.5"),
    ({"epsilon": -0.1}, "epsilon is -0.1"),
    ({"epsilon": math.nan}, "epsilon is nan"),
    ({"epsilon": "0.1"}, "epsilon is '0.1', of type str"),
    ({"epsilon": True}, "epsilon is True, of type bool"),
    ({"start": -1}, "start is -1. Versions are counted from 0"),
    ({"start": 1.0}, "start is 1.0, of type float"),
    ({"start": True}, "start is True, of type bool"),
    ({"on_replace": "drop"}, "on_replace is 'drop'"),
]


@pytest.mark.parametrize(("changed", "message"), WRONG, ids=[str(changed) for changed, _ in WRONG])
def test_invalid_arguments_are_refused(changed, message):
    arguments = {**GIVEN, **changed}
    with pytest.raises(ChronosketchError, match=message):
        cs.history.Follower(**arguments)
    with pytest.raises(ChronosketchError, match=message):
        cs.history.follow(None, **arguments)  # the session is not used


def test_equivalent_argument_types_are_accepted():
    usual = cs.history.Follower("orders", "amount", "into", ["region"], epsilon=0.25, start=3)
    other = cs.history.Follower(
        "orders", "amount", "into", iter(["region"]), epsilon=np.float32(0.25), start=np.int64(3)
    )
    assert other == usual
    assert cs.history.Follower("orders", "amount", "into", "region", epsilon=0.25, start=3) == usual
    assert cs.history.Follower(**GIVEN, epsilon=Fraction(1, 4)).epsilon == 0.25
    for name in ("lake.sales.orders", "delta.`/a path`", " sales . `a``b` "):
        cs.history.Follower(**{**GIVEN, "source": name})


@pytest.mark.parametrize("every", [-1, math.nan, math.inf, True, "60", None, timedelta(seconds=-1)])
def test_a_loop_without_a_length_of_time_makes_no_step(every):
    with pytest.raises(ChronosketchError, match="every is"):
        cs.history.Follower(**GIVEN).run(None, every)


def test_a_loop_ends_only_by_an_event():
    with pytest.raises(ChronosketchError, match="until is 60, of type int"):
        cs.history.Follower(**GIVEN).run(None, 1, 60)
    done = Event()
    done.set()
    cs.history.Follower(**GIVEN).run(None, timedelta(seconds=1), done)


@pytest.mark.parametrize("version", [True, 1.0, "1", [1], math.nan])
def test_a_version_is_a_whole_number(version):
    with pytest.raises(ChronosketchError, match=r"version is .* Give an int"):
        cs.history.at(None, "orders_history", version=version)


@pytest.mark.parametrize(
    "timestamp",
    [5, 5.0, True, pd.NaT, np.datetime64("NaT"), timedelta(1), datetime.min, [], b"2026-01-01"],
)
def test_an_invalid_timestamp_is_refused(timestamp, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    if timestamp is datetime.min:  # in a time zone that moves it before the year 1
        timestamp = datetime.fromisoformat("0001-01-01T00:00:00+01:00")
    with pytest.raises(ChronosketchError, match="timestamp is "):
        cs.history.at(None, "orders_history", timestamp=timestamp)


@pytest.mark.parametrize(
    "text", ["yesterday", "now", "", "12:30", "T12:30:00", "2026-13-01", "2026-01-01 x", "5"]
)
def test_text_that_is_not_a_timestamp_is_refused(spark, text):
    with pytest.raises(ChronosketchError, match=f"timestamp is {text!r}.*Write it as"):
        cs.history.at(spark, "orders_history", timestamp=text)


@pytest.mark.parametrize("into", [None, "", "my history"])
def test_the_history_is_the_name_of_a_table(into):
    with pytest.raises(ChronosketchError, match="into is"):
        cs.history.at(None, into, version=1)


def test_muting_errors_leaves_pyspark_a_logger_of_its_own_class(monkeypatch):
    """A logger of the standard library refuses the `errorClass` that PySpark passes."""
    monkeypatch.delitem(logging.Logger.manager.loggerDict, "SQLQueryContextLogger", raising=False)
    with muted_error_log():
        pass
    logging.getLogger("SQLQueryContextLogger").error("A column is missing.", errorClass="UNRESOLVED_COLUMN")
