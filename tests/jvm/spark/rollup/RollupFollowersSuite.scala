package chronosketch.spark.rollup

/** Tests what happens to a roll-up besides steps: several followers, writes by others, RESTORE, retention and rebuilds. */
class RollupFollowersSuite extends RollupTests {

  test("followers at the same time count each row once") {
    val (source, into) = (requests("many_source", 100), dropped("many_into"))
    follow(source, into)
    insert(source, 100, 200)
    val results = atOnce(Seq.fill(3)(() => call(s"refresh('$into')").getAs[Boolean]("is_new")))
    assertEquals(results.count(identity), 1)
    checkRollup(into, source)
  }

  test("after RESTORE to a version, steps go on from there") {
    val (source, into) = (requests("back_source", 100), dropped("back_into"))
    follow(source, into)
    insert(source, 100, 200)
    call(s"refresh('$into')")
    sql(s"OPTIMIZE $into")
    sql(s"RESTORE TABLE $into TO VERSION AS OF 1")
    insert(source, 200, 300)
    assert(call(s"refresh('$into')").getAs[Boolean]("is_new"))
    checkRollup(into, source)
  }

  test("rows that others wrote are refused until they are built anew") {
    val (source, into) = (requests("others_source", 100), dropped("others_into"))
    follow(source, into)
    sql(s"DELETE FROM $into WHERE service = 's1'")
    val text = message(call(s"refresh('$into')"))
    assert(
      text.contains("[CHRONOSKETCH_ROLLUP_CHANGED]") && text.contains(
        "DELETE in its version 2 was not a step"
      ),
      text
    )
    val made = sql(text.split("anew: ")(1).split(" SQLSTATE")(0)).head()
    assert(made.getAs[Boolean]("is_new"))
    checkRollup(into, source)
    insert(source, 100, 200)
    call(s"refresh('$into')")
    checkRollup(into, source)
  }

  test("a follower that stopped after creating the table has lost nothing") {
    val (source, into) = (requests("stopped_source", 100), dropped("stopped_into"))
    follow(source, into)
    sql(s"RESTORE TABLE $into TO VERSION AS OF 0")
    assertEquals(spark.table(into).count(), 0L)
    assert(call(s"refresh('$into')").getAs[Boolean]("is_new"))
    checkRollup(into, source)
  }

  test("retention drops old rows of a level, and keeps the coarser ones") {
    val source = requests("kept_source", 0)
    val into = dropped("kept_into")
    sql(
      s"INSERT INTO $source SELECT now() - make_dt_interval(CAST(id % 5 AS INT)), concat('s', id % 2), id FROM range(200)"
    )
    val levels = s"$hourAndDay, retention => map('1 hour', '2 days')"
    follow(source, into, levels)
    def check(): Unit = {
      val stored = spark.table(into)
      checkRows(stored, source, "1 day" -> "date_trunc('day', ts)")
      assertEquals(stored.where("level = '1 hour' AND bucket < now() - INTERVAL '49' HOUR").count(), 0L)
      val hours = stored.where("level = '1 hour'").agg("rows" -> "sum").head().getLong(0)
      val rows = spark.table(
        source
      ).where("date_trunc('hour', ts) >= (SELECT min(bucket) FROM kept_into WHERE level = '1 hour')")
      assertEquals(hours, rows.count())
    }
    check()
    sql(
      s"INSERT INTO $source SELECT now() - make_dt_interval(CAST(id % 5 AS INT)), concat('s', id % 3), -id FROM range(60)"
    )
    follow(source, into, levels)
    check()
    sql(s"DELETE FROM $source WHERE service = 's1' AND latency_ms % 3 = 0")
    follow(source, into, levels)
    check()
  }

  test("a rebuild of a range builds the buckets that it touches") {
    val (source, into) = (requests("range_source", 200), dropped("range_into"))
    follow(source, into, hourAndDay)
    insert(source, 200, 250)
    val made =
      call(s"rebuild('$into', from => TIMESTAMP'2026-01-02 01:30:00', to => TIMESTAMP'2026-01-02 02:30:00')")
    assert(made.getAs[Boolean]("is_new"))
    checkRollup(into, source)
  }

  test("the source is replaced: refused, and built anew on demand") {
    val (source, into) = (requests("gone_source", 100), dropped("gone_into"))
    follow(source, into)
    sql(s"DROP TABLE $source")
    requests(source, 50)
    val text = message(call(s"refresh('$into')"))
    assert(text.contains("[CHRONOSKETCH_ROLLUP_SOURCE_REPLACED]"), text)
    assert(
      message(sql(s"SELECT * FROM rollup_now('$into')")).contains("[CHRONOSKETCH_ROLLUP_SOURCE_REPLACED]")
    )
    sql(text.split("new table: ")(1).split(" SQLSTATE")(0)).head()
    checkRollup(into, source)
  }

  test("a description says how fresh a roll-up is and what the last steps wrote") {
    val (source, into) = (requests("told_source", 100), dropped("told_into"))
    follow(source, into, hourAndDay)
    val fresh = call(s"describe_rollup('$into')")
    assertEquals(fresh.getAs[Long]("lag_versions"), 0L)
    assertEquals(fresh.getAs[Double]("lag_seconds"), 0.0)
    assertEquals(fresh.getAs[Long]("rows"), spark.table(into).count())
    insert(source, 100, 110)
    val late = call(s"describe_rollup('$into')")
    assertEquals(late.getAs[Long]("lag_versions"), 1L)
    assert(late.getAs[Double]("lag_seconds") > 0)
    assertEquals(
      late.getSeq[org.apache.spark.sql.Row](late.fieldIndex("steps")).map(_.getAs[String]("kind")),
      Seq("begin")
    )
  }
}
