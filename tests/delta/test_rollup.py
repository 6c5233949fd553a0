"""Roll-ups of a Delta table, compared with answers computed row by row. tests/campaigns has more cases."""

import time
from datetime import datetime, timezone
from threading import Event, Thread

import chronosketch as cs
import pytest
from chronosketch import functions as cf
from rolling_up import COLUMNS, START, check, create, follower, latest, refused, rows

HOUR, DAY = 3600, 86_400
LEVELS = ["1 hour", "1 day", "7 days"]


LIFE = [
    f"INSERT INTO {{table}} {rows(0, 600)}",
    "a step",
    f"INSERT INTO {{table}} {rows(600, 700)}",  # append
    "a step",
    f"INSERT INTO {{table}} {rows(700, 720, every=-3000)}",  # late, and days before
    "UPDATE {table} SET amount = amount + 1 WHERE id BETWEEN 100 AND 120",
    "a step",
    "UPDATE {table} SET service = 's9' WHERE id % 50 = 0",
    "UPDATE {table} SET ts = ts + INTERVAL 3 HOURS WHERE id % 70 = 0",
    "DELETE FROM {table} WHERE id BETWEEN 200 AND 260",  # more than one hour
    "a step",
    "MERGE INTO {table} t USING (SELECT CAST(id AS INT) AS id FROM range(500, 800)) s ON t.id = s.id "
    "WHEN MATCHED AND s.id % 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET t.amount = NULL "
    "WHEN NOT MATCHED THEN INSERT (id, ts, service, amount) "
    f"VALUES (s.id, timestamp_seconds({START}), 's1', 7)",
    "OPTIMIZE {table}",
    "ALTER TABLE {table} ADD COLUMN note STRING",
    "a step",
    "INSERT OVERWRITE {table} SELECT * FROM {table} WHERE id % 2 = 0",
    "a step",
    "TRUNCATE TABLE {table}",
    "a step",
    "RESTORE {table} TO VERSION AS OF 2",
    "a step",
]


def test_a_roll_up_follows_every_change(spark, requests):
    create(spark, requests)
    steps = []
    for statement in LIFE:
        if statement == "a step":
            steps.append(follower(requests, levels=LEVELS).step(spark))
            check(spark, requests, f"{requests}_rolled", LEVELS)
        else:
            spark.sql(statement.format(table=requests))
    assert [step.step for step in steps] == list(range(steps[0].step, steps[0].step + len(steps)))
    assert all(step.is_new for step in steps)
    assert steps[-1].version == latest(spark, requests)


@pytest.mark.every_start
def test_a_roll_up_in_every_session(spark, requests):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 300)}")
    into = f"{requests}_rolled"
    arguments = {"time": "ts", "by": ["service"], "values": {"amount": "amount"}, "epsilon": 0.05}
    step = cs.rollup.follow(spark, source=requests, into=into, **arguments)
    assert (step.version, step.is_new) == (1, True)
    assert step.rows == check(spark, requests, into)
    spark.sql(f"UPDATE {requests} SET amount = 5 WHERE id = 77")
    check(spark, requests, cs.rollup.now(spark, into))
    assert cs.rollup.refresh(spark, into).version == 2
    check(spark, requests, into)
    until = datetime(2026, 3, 2, 1, tzinfo=timezone.utc)
    assert cs.rollup.rebuild(spark, into, until=until).is_new
    check(spark, requests, into)
    described = cs.rollup.describe(spark, into)
    assert (described.version, described.lag_versions) == (2, 0)
    assert described.values == {"amount": "amount"}


def test_a_step_without_news_writes_nothing(spark, requests):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 100)}")
    first = follower(requests).step(spark)
    version = latest(spark, f"{requests}_rolled")
    again = follower(requests).step(spark)
    assert (again.is_new, again.rows, again.version) == (False, 0, first.version)
    assert latest(spark, f"{requests}_rolled") == version


@pytest.mark.long
def test_a_change_that_leaves_every_row_as_it_is_writes_no_rows(spark, requests):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 100)}")
    follower(requests).step(spark)
    spark.sql(f"UPDATE {requests} SET amount = amount")
    spark.sql(f"OPTIMIZE {requests}")
    assert follower(requests).step(spark).rows == 0
    check(spark, requests, f"{requests}_rolled")


def test_two_followers_count_each_row_once(spark, requests):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 50)}")
    follower(requests).step(spark)
    failures, done = [], Event()

    def follow():
        while not done.is_set():
            try:
                follower(requests).step(spark)
            except Exception as error:
                failures.append(error)
                return

    threads = [Thread(target=follow, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for part in range(1, 6):
        spark.sql(f"INSERT INTO {requests} {rows(50 * part, 50 * part + 50, every=20)}")
    done.set()
    for thread in threads:
        thread.join(120)
    assert failures == []
    follower(requests).step(spark)
    check(spark, requests, f"{requests}_rolled")


@pytest.mark.long
def test_two_first_steps_create_one_roll_up(spark, requests):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 100)}")
    failures = []

    def follow():
        try:
            follower(requests).step(spark)
        except Exception as error:
            failures.append(error)

    threads = [Thread(target=follow, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failures == []
    check(spark, requests, f"{requests}_rolled")


@pytest.mark.parametrize("change", [pytest.param("2026-03-29", marks=pytest.mark.long), "2025-10-26"])
def test_days_of_a_zone_have_23_or_25_hours(spark, requests, change):
    create(spark, requests)
    start = int(datetime.fromisoformat(f"{change}T00:00:00+00:00").timestamp()) - DAY
    spark.sql(f"INSERT INTO {requests} {rows(0, 300, every=900, start=start)}")
    follow = follower(requests, levels=LEVELS, zone="Europe/Berlin")
    follow.step(spark)
    check(spark, requests, f"{requests}_rolled", LEVELS, zone="Europe/Berlin")
    spark.sql(f"DELETE FROM {requests} WHERE id % 7 = 0")
    spark.sql(f"INSERT INTO {requests} {rows(300, 400, every=890, start=start)}")
    follow.step(spark)
    check(spark, requests, f"{requests}_rolled", LEVELS, zone="Europe/Berlin")


@pytest.mark.long
@pytest.mark.parametrize("zone", ["Asia/Kolkata", "Australia/Lord_Howe"])
def test_zones_with_half_hours(spark, requests, zone):
    create(spark, requests)
    # Lord Howe sets its clocks back by half an hour on the next day
    start = int(datetime(2026, 4, 4, tzinfo=timezone.utc).timestamp())
    spark.sql(f"INSERT INTO {requests} {rows(0, 400, every=420, start=start)}")
    levels = ["30 minutes", "1 day"]
    follower(requests, levels=levels, zone=zone).step(spark)
    check(spark, requests, f"{requests}_rolled", levels, zone=zone)


@pytest.mark.long
def test_the_session_zone_does_not_matter(spark, requests):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 300, every=600)}")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        follower(requests, levels=LEVELS).step(spark)
        spark.sql(f"UPDATE {requests} SET amount = 1 WHERE id < 40")
        follower(requests, levels=LEVELS).step(spark)
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    check(spark, requests, f"{requests}_rolled", LEVELS)


def test_retention_drops_old_rows_of_its_level(spark, requests):
    create(spark, requests)
    start = int(time.time()) // HOUR * HOUR - 4 * DAY
    spark.sql(f"INSERT INTO {requests} {rows(0, 370, every=900, start=start)}")  # almost up to now
    follow = follower(requests, levels=["1 hour", "1 day"], retention={"1 hour": "2 days"})
    step, into = follow.step(spark), f"{requests}_rolled"

    def check_kept():
        since = (step.committed.timestamp() - 2 * DAY) // HOUR * HOUR * 1_000_000

        def kept(level, bucket):
            return level == "1 day" or bucket is None or bucket >= since

        check(spark, requests, into, ["1 hour", "1 day"], kept=kept)

    check_kept()
    # changes in hours that were dropped reach their day
    spark.sql(f"INSERT INTO {requests} {rows(370, 380, start=start)}")
    spark.sql(f"DELETE FROM {requests} WHERE id BETWEEN 20 AND 30 OR id BETWEEN 350 AND 355")
    step = follow.step(spark)
    check_kept()
    check(spark, requests, cs.rollup.now(spark, into).where("level = '1 day'"), ["1 day"])


@pytest.mark.long
def test_retention_goes_on_with_time(spark, requests):
    create(spark, requests)
    follow = follower(requests, levels=["1 second", "1 hour"], retention={"1 second": "2 seconds"})
    for _ in range(2):
        time.sleep(3)
        spark.sql(f"INSERT INTO {requests} {rows(1, 2, every=0, start=int(time.time()))}")
        follow.step(spark)
    levels = spark.table(f"{requests}_rolled").groupBy("level").agg({"rows": "sum"}).collect()
    assert {tuple(row) for row in levels} == {("1 second", 1), ("1 hour", 2)}


def test_a_rebuild_heals_what_others_wrote(spark, requests):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 300)}")
    follow, into = follower(requests, levels=LEVELS), f"{requests}_rolled"
    follow.step(spark)
    spark.sql(f"UPDATE {into} SET rows = rows + 1")
    spark.sql(f"INSERT INTO {requests} {rows(300, 310)}")
    _, message = refused(follow.step, spark)
    assert "rebuild" in message
    assert cs.rollup.rebuild(spark, into).is_new
    check(spark, requests, into, LEVELS)
    spark.sql(f"OPTIMIZE {into}")
    spark.sql(f"ALTER TABLE {into} SET TBLPROPERTIES ('note' = 'mine')")
    spark.sql(f"INSERT INTO {requests} {rows(310, 320)}")
    assert follow.step(spark).is_new
    check(spark, requests, into, LEVELS)


@pytest.mark.long
def test_a_restored_roll_up_goes_on(spark, requests):
    create(spark, requests)
    into = f"{requests}_rolled"
    for part in range(3):
        spark.sql(f"INSERT INTO {requests} {rows(100 * part, 100 * part + 100)}")
        follower(requests).step(spark)
    spark.sql(f"RESTORE {into} TO VERSION AS OF {latest(spark, into) - 2}")
    assert follower(requests).step(spark).is_new
    check(spark, requests, into)


@pytest.mark.long
def test_a_replaced_source_is_refused_until_a_rebuild(spark, requests):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 100)}")
    follower(requests).step(spark)
    spark.sql(f"DROP TABLE {requests}")
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(50, 150)}")
    condition, message = refused(follower(requests).step, spark)
    assert "REPLACED" in condition
    assert "rebuild" in message
    cs.rollup.rebuild(spark, f"{requests}_rolled")
    check(spark, requests, f"{requests}_rolled")
    spark.sql(f"DELETE FROM {requests} WHERE id = 60")
    follower(requests).step(spark)
    check(spark, requests, f"{requests}_rolled")


def test_now_is_as_after_a_refresh(spark, requests):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 300)}")
    into = f"{requests}_rolled"
    follower(requests, levels=LEVELS).step(spark)
    spark.sql(f"INSERT INTO {requests} {rows(300, 320)}")
    check(spark, requests, cs.rollup.now(spark, into), LEVELS)
    spark.sql(f"DELETE FROM {requests} WHERE id BETWEEN 10 AND 80")
    spark.sql(f"UPDATE {requests} SET service = 's7' WHERE id > 290")
    check(spark, requests, cs.rollup.now(spark, into), LEVELS)
    version = latest(spark, into)
    fresh = spark.sql(f"SELECT * EXCEPT (amount) FROM rollup_now('{into}')").collect()
    assert latest(spark, into) == version
    cs.rollup.refresh(spark, into)
    refreshed = spark.sql(f"SELECT * EXCEPT (amount) FROM {into}").collect()
    assert sorted(map(repr, fresh)) == sorted(map(repr, refreshed))


def test_a_description_tells_the_lag_and_the_last_steps(spark, requests):
    create(spark, requests)
    follow = follower(requests, levels=LEVELS, retention={"1 hour": "30 days"}, zone="Europe/Berlin")
    for part in range(3):
        spark.sql(f"INSERT INTO {requests} {rows(100 * part, 100 * part + 100)}")
        step = follow.step(spark)
    spark.sql(f"INSERT INTO {requests} {rows(300, 310)}")
    told = cs.rollup.describe(spark, f"{requests}_rolled")
    assert told.source.endswith(requests)
    assert told.rollup.endswith(f"{requests}_rolled")
    assert (told.time, told.zone, told.levels, told.by) == ("ts", "Europe/Berlin", LEVELS, ["service"])
    assert (told.values, told.epsilon, told.retention) == ({"amount": "amount"}, 0.05, {"1 hour": "30 days"})
    assert (told.version, told.committed) == (step.version, step.committed)
    assert (told.source_version, told.lag_versions) == (4, 1)
    assert told.lag_seconds >= 0
    assert told.rows == spark.table(f"{requests}_rolled").count()
    assert told.files > 0
    assert told.bytes > 0
    assert [past.version for past in told.steps if past.kind != "rebuild"][:3] == [3, 2, 1]


@pytest.mark.parametrize(
    ("type_of_time", "level"), [("DATE", "1 day"), ("TIMESTAMP_NTZ", "1 hour")], ids=["date", "ntz"]
)
def test_a_bucket_has_the_type_of_the_time(spark, requests, type_of_time, level):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 200, every=1500)}")
    moment = f"CAST(ts AS {type_of_time})"
    follow = follower(requests, time=moment, bucket=level)
    follow.step(spark)
    spark.sql(f"DELETE FROM {requests} WHERE id % 9 = 0")
    spark.sql(f"INSERT INTO {requests} {rows(200, 220, every=1400)}")
    follow.step(spark)
    assert dict(spark.table(f"{requests}_rolled").dtypes)["bucket"] == type_of_time.lower()
    check(spark, requests, f"{requests}_rolled", [level], time=moment)


def test_expressions_and_several_values(spark, requests):
    create(spark, requests, f"{COLUMNS}, price DECIMAL(10, 2), day DATE")
    more = "CAST(id / 4 AS DECIMAL(10, 2)), date_add(DATE'2026-01-01', id % 30)"
    spark.sql(f"INSERT INTO {requests} SELECT *, {more} FROM ({rows(0, 200)})")
    follow = follower(
        requests,
        by=["upper(service) AS service", "id % 2 = 0 AS even"],
        values={"amount": "amount", "price": "price * 2", "day": "day"},
    )
    follow.step(spark)
    spark.sql(f"DELETE FROM {requests} WHERE id % 5 = 1")
    follow.step(spark)
    source = f"(SELECT ts, amount, upper(service) AS service, id % 2 = 0 AS even FROM {requests})"
    check(spark, source, f"{requests}_rolled", by=("service", "even"))
    price = "sum(price_count), sum(price_sum), min(price_min), max(price_max)"
    rolled = spark.sql(f"SELECT {price}, sum(day_count), min(day_min), max(day_max) FROM {requests}_rolled")
    price = "count(price), sum(price * 2), min(price * 2), max(price * 2)"
    exact = spark.sql(f"SELECT {price}, count(day), min(day), max(day) FROM {requests}")
    assert rolled.collect() == exact.collect()
    assert "day_sum" not in spark.table(f"{requests}_rolled").columns
    (median,) = (
        spark.table(f"{requests}_rolled")
        .agg(cf.sketch_quantile(cf.sketch_merge_agg("day"), 0.5, "date"))
        .first()
    )
    assert median is not None


@pytest.mark.long
def test_a_roll_up_without_groups(spark, requests):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 200)}")
    follower(requests, by=[]).step(spark)
    check(spark, requests, f"{requests}_rolled", by=())


@pytest.mark.every_start
def test_a_stream_makes_steps(spark, requests, tmp_path):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 100)}")
    stream = spark.readStream.option("skipChangeCommits", "true").table(requests)
    writer = stream.writeStream.foreachBatch(follower(requests).tick).trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(tmp_path)).start()
    query.awaitTermination()
    assert query.exception() is None
    check(spark, requests, f"{requests}_rolled")


def test_run_stops_at_its_event(spark, requests, monkeypatch):
    stop, steps = Event(), []

    def step(self, session):
        assert session is spark
        steps.append(self)
        if len(steps) == 3:
            stop.set()

    monkeypatch.setattr(cs.rollup.Follower, "step", step)
    loop = Thread(target=follower(requests).run, args=(spark, 0.01, stop), daemon=True)
    loop.start()
    loop.join(60)
    assert not loop.is_alive()
    assert len(steps) == 3
