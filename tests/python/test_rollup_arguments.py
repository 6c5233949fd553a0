"""The arguments of cs.rollup are checked before any table is read, and written as SQL."""

import math
from datetime import date, datetime, timedelta, timezone
from threading import Event
from types import SimpleNamespace

import chronosketch as cs
import numpy as np
import pandas as pd
import pytest
from chronosketch.errors import ChronosketchError
from chronosketch.sessions import CATALOG, CATALOG_CLASS

GIVEN = {"source": "requests", "into": "hourly", "time": "ts", "values": {"latency": "latency_ms"}}

WRONG = [
    ({"source": None}, "source is None, of type NoneType"),
    ({"source": "my requests"}, "source is 'my requests', which is not the name"),
    ({"into": "a-b"}, "into is 'a-b', which is not the name"),
    ({"time": ""}, "time is ''. Give an expression of SQL, such as 'ts'"),
    ({"time": 7}, "time is 7, of type int"),
    ({"bucket": 3600}, "bucket is 3600, of type int. Give text, such as '1 hour'"),
    ({"bucket": timedelta(hours=1)}, r"bucket is datetime\.timedelta"),
    ({"bucket": "1 hour", "levels": ["1 hour"]}, "Give one of them"),
    ({"levels": "1 hour"}, r"levels is '1 hour', of type str. Give a list of lengths"),
    ({"levels": []}, r"levels is \[\]"),
    ({"levels": ["1 hour", 1]}, "levels is 1, of type int"),
    ({"levels": {"1 hour": "30 days"}}, "levels is .*, of type dict"),
    ({"by": None}, "by is None, of type NoneType"),
    ({"by": [1]}, "by is 1, of type int. Give an expression of SQL as text, such as 'service'"),
    ({"values": "latency_ms"}, "values is 'latency_ms', of type str. Give a dict"),
    ({"values": ["latency_ms"]}, "values is .*, of type list"),
    ({"values": {}}, "values is empty"),
    ({"values": {"latency": 7}}, r"values\['latency'\] is 7, of type int"),
    ({"values": {"latency": " "}}, r"values\['latency'\] is ' '"),
    ({"values": {1: "latency_ms"}}, "a key of values is 1, of type int"),
    ({"tail": "upper"}, "tail is 'upper'. Give 'high', 'low' or 'both'"),
    ({"epsilon": 7}, "epsilon is 7. Give a number from 0 to 0.5"),
    ({"epsilon": math.nan}, "epsilon is nan"),
    ({"epsilon": "0.1"}, "epsilon is '0.1', of type str"),
    ({"zone": timezone.utc}, r"zone is datetime\.timezone\.utc, of type timezone"),
    ({"zone": ""}, "zone is ''"),
    ({"retention": "30 days"}, "retention is '30 days', of type str"),
    ({"retention": {"1 hour": 30}}, r"retention\['1 hour'\] is 30, of type int"),
]


@pytest.mark.parametrize(("changed", "message"), WRONG, ids=[str(changed) for changed, _ in WRONG])
def test_invalid_arguments_are_refused(changed, message):
    arguments = {**GIVEN, **changed}
    with pytest.raises(ChronosketchError, match=message):
        cs.rollup.Follower(**arguments)
    with pytest.raises(ChronosketchError, match=message):
        cs.rollup.follow(None, **arguments)  # the session is not used


def test_equivalent_argument_types_are_accepted():
    usual = cs.rollup.Follower(**GIVEN, by=["service"], epsilon=0.25)
    assert cs.rollup.Follower(**GIVEN, by="service", epsilon=np.float32(0.25)) == usual
    assert cs.rollup.Follower(**GIVEN, by=iter(["service"]), epsilon=0.25) == usual
    assert hash(usual) == hash(cs.rollup.Follower(**GIVEN, by=["service"], epsilon=0.25))


def recording_session(*row):
    """Return a session that answers each statement with one row, and the list of its statements."""
    statements = []

    def sql(statement):
        statements.append(statement)
        return SimpleNamespace(collect=lambda: [row])

    return SimpleNamespace(conf={CATALOG: CATALOG_CLASS}, sql=sql), statements


CET = timezone(timedelta(hours=1))
STEP = (3, 17, datetime(2026, 3, 2), 5, True)


def test_a_step_is_one_call():
    session, statements = recording_session(*STEP)
    made = cs.rollup.follow(session, **GIVEN, by=["it's"], bucket="1 day")
    assert made == cs.rollup.Step(step=3, version=17, committed=datetime(2026, 3, 2), rows=5, is_new=True)
    cs.rollup.follow(session, **GIVEN, levels=["1 hour", "1 day"], retention={"1 hour": "30 days"})
    cs.rollup.follow(session, **GIVEN, tail="high")
    of_bucket, of_levels, of_tail = statements
    assert of_tail.endswith("tail => 'high')")
    assert of_bucket == (
        "CALL chronosketch.`rollup`(source => 'requests', into => 'hourly', time => 'ts', bucket => '1 day', "
        "by => array(CAST(X'69742773' AS STRING)), values => map('latency', 'latency_ms'), epsilon => 0.01, "
        "zone => 'UTC')"
    )
    assert "bucket" not in of_levels
    assert of_levels.endswith("levels => array('1 hour', '1 day'), retention => map('1 hour', '30 days'))")


@pytest.mark.parametrize(
    ("moment", "written"),
    [
        (
            datetime(2026, 3, 2, 1, tzinfo=timezone(timedelta(hours=1))),
            "TIMESTAMP'2026-03-02 00:00:00+00:00'",
        ),
        (pd.Timestamp("2026-03-02", tz="UTC"), "TIMESTAMP'2026-03-02 00:00:00+00:00'"),
        (date(2026, 3, 2), "TIMESTAMP'2026-03-02'"),
        (np.datetime64("2026-03-02"), "TIMESTAMP'2026-03-02'"),
        ("2026-03-02 12:00", "TIMESTAMP'2026-03-02 12:00'"),
    ],
)
def test_a_moment_is_written_as_sql(moment, written):
    session, statements = recording_session(*STEP)
    cs.rollup.rebuild(session, "hourly", since=moment)
    assert written in statements[0]
    assert ", to =>" not in statements[0]


@pytest.mark.parametrize("moment", [5, True, pd.NaT, "", "today", "2026'", [], timedelta(1)])
def test_what_is_not_a_moment_is_refused(moment):
    for argument in ("since", "until"):
        with pytest.raises(ChronosketchError, match=f"{argument} is "):
            cs.rollup.rebuild(None, "hourly", **{argument: moment})


@pytest.mark.parametrize("function", ["refresh", "rebuild", "describe", "now"])
@pytest.mark.parametrize("into", [None, "", "my roll-up"])
def test_the_roll_up_is_the_name_of_a_table(function, into):
    with pytest.raises(ChronosketchError, match="into is"):
        getattr(cs.rollup, function)(None, into)


@pytest.mark.parametrize("every", [-1, math.nan, True, "60", None])
def test_a_loop_without_a_length_of_time_makes_no_step(every):
    with pytest.raises(ChronosketchError, match="every is"):
        cs.rollup.Follower(**GIVEN).run(None, every)


def test_a_loop_ends_by_an_event():
    done = Event()
    done.set()
    cs.rollup.Follower(**GIVEN).run(None, timedelta(seconds=1), done)
    with pytest.raises(ChronosketchError, match="until is 60, of type int"):
        cs.rollup.Follower(**GIVEN).run(None, 1, 60)
