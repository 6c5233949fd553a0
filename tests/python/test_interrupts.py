"""Test that Ctrl-C ends the steps of a follower, whatever they are doing at that moment."""

import os
import re
import signal
import time
from threading import Event, Timer, get_ident

import pytest
from chronosketch import following


def interrupted(spark, work):
    """Give Ctrl-C to a follower whose step does some work. Return the error that ends the work."""
    ended = []

    def step():
        Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            work()
        except Exception as error:
            ended.append(str(error))
            raise

    with pytest.raises(KeyboardInterrupt):
        following.repeat(spark, step, 0, None)
    assert len(ended) == 1
    return ended[0]


# a Connect server may run the job of a query that is interrupted while it is planned
@pytest.mark.classic
@pytest.mark.parametrize("seconds_before_the_job", [0, 0.5])
def test_ctrl_c_ends_a_step_before_a_job_and_in_it(spark, seconds_before_the_job):
    def work():
        time.sleep(seconds_before_the_job)
        # takes much longer than an interrupt, and yet ends
        spark.range(3 * 10**10).selectExpr("sum(id % 7)").collect()

    assert re.search("cancel|interrupt", interrupted(spark, work).lower())
    jobs = spark.sparkContext.statusTracker()
    end = time.monotonic() + 15  # Spark ends a job some time after it was told to
    while jobs.getActiveJobsIds() and time.monotonic() < end:
        time.sleep(0.05)
    assert not jobs.getActiveJobsIds()


@pytest.mark.classic
def test_ctrl_c_ends_a_step_that_waits_in_the_jvm_without_a_job(spark):
    error = interrupted(spark, lambda: spark._jvm.java.lang.Thread.sleep(20_000))
    assert "interrupt" in error.lower()


@pytest.mark.classic
@pytest.mark.parametrize("is_in_a_step", [True, False])
def test_ctrl_c_that_another_thread_receives_ends_the_loop(spark, is_in_a_step):
    late = Event()
    Timer(15, late.set).start()

    def step():
        # the system chooses the thread; here it is not the main one
        Timer(0.3, lambda: signal.pthread_kill(get_ident(), signal.SIGINT)).start()
        if is_in_a_step:
            spark._jvm.java.lang.Thread.sleep(20_000)

    with pytest.raises(KeyboardInterrupt):
        following.repeat(spark, step, 600, late)
    assert not late.is_set()


def test_the_failure_of_a_step_ends_the_loop(spark):
    steps = []

    def step():
        steps.append(spark.range(3).count())
        if len(steps) == 2:
            raise ValueError("the second step fails")

    with pytest.raises(ValueError, match="the second step fails"):
        following.repeat(spark, step, 0, None)
    assert steps == [3, 3]


def test_an_event_ends_the_loop_after_a_step(spark):
    end = Event()
    following.repeat(spark, end.set, 60, end)
    assert not spark.getTags()
