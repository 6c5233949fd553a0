package chronosketch.spark.rollup

/** Tests the types that times, groups and values can have, and zones whose days are not those of UTC. */
class RollupTypesSuite extends RollupTests {
  private val values = Seq(
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(9,2)",
    "DECIMAL(18,0)",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_NTZ"
  )

  test("values of every type, in groups of every type") {
    val (source, into) = (dropped("typed_source"), dropped("typed_into"))
    def column(t: String, i: Int) = t match {
      case "DATE" => s"date_from_unix_date(CAST(id % 90 AS INT)) AS v$i"
      case "TIMESTAMP" => s"timestamp_micros(id * 1000003) AS v$i"
      case "TIMESTAMP_NTZ" =>
        s"TIMESTAMP_NTZ'2026-01-01 00:00:00' + make_dt_interval(0, 0, CAST(id AS INT)) AS v$i"
      case other => s"CAST(id % 100 - 50 AS $other) AS v$i"
    }
    val columns = values.zipWithIndex.map { case (t, i) => column(t, i) }.mkString(", ")
    def rows(from: Int, until: Int) =
      "SELECT timestamp_seconds(1767225600 + id * 60) AS ts, id % 2 = 0 AS flag, CAST(id % 3 AS DOUBLE) - 0D AS number, " +
        s"X'00' AS bytes, $columns FROM range($from, $until)"
    sql(
      s"CREATE TABLE $source USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true) AS ${rows(0, 150)}"
    )
    val measured = values.indices.map(i => s"'m$i', 'v$i'").mkString("map(", ", ", ")")
    val call =
      s"CALL chronosketch.rollup('$source', '$into', time => 'ts', bucket => '1 hour', by => array('flag', 'number', 'bytes'), values => $measured)"
    sql(call).collect()
    sql(s"INSERT INTO $source ${rows(150, 260)}")
    sql(call).collect()
    sql(s"DELETE FROM $source WHERE v2 % 7 = 0")
    sql(call).collect()
    val exact = values.indices.flatMap { i =>
      val summed = Option.when(i < 8)(s"sum(v$i) AS m${i}_sum")
      Seq(s"count(v$i) AS m${i}_count") ++ summed ++ Seq(s"min(v$i) AS m${i}_min", s"max(v$i) AS m${i}_max")
    }
    val names = exact.map(_.split(" AS ")(1)).mkString(", ")
    val expected = sql(
      s"SELECT date_trunc('hour', ts) AS bucket, flag, number, bytes, count(*) AS rows, ${exact.mkString(", ")} FROM $source GROUP BY 1, 2, 3, 4"
    )
    val found = sql(s"SELECT bucket, flag, number, bytes, rows, $names FROM $into")
    val differing = found.exceptAll(expected).union(expected.exceptAll(found))
    assertEquals(differing.count(), 0L)
    val wrong = values.zipWithIndex.map { case (name, i) =>
      val valueType = name.toLowerCase
      s"count_if(sketch_count(m$i) <> m${i}_count OR sketch_quantile(m$i, 0D, '$valueType') <> m${i}_min OR sketch_quantile(m$i, 1D, '$valueType') <> m${i}_max)"
    }
    assertEquals(sql(s"SELECT ${wrong.mkString(", ")} FROM $into").head().toSeq, values.map(_ => 0L))
  }

  test("times without a zone, dates, and days of a zone with daylight saving") {
    val (source, ntz, dates, berlin) =
      (dropped("zoned_source"), dropped("zoned_ntz"), dropped("zoned_dates"), dropped("zoned_berlin"))
    sql(
      s"CREATE TABLE $source USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true) AS " +
        "SELECT timestamp_seconds(1774656000 + id * 1800) AS ts, timestamp_ntz'2026-03-28 00:00:00' + make_dt_interval(0, 0, CAST(id * 30 AS INT)) AS local, " +
        "date_add(DATE'2026-03-28', CAST(id DIV 10 AS INT)) AS day, id AS v FROM range(200)"
    )
    def follow(into: String, time: String, more: String): Unit = {
      sql(
        s"CALL chronosketch.rollup('$source', '$into', time => '$time', values => map('v', 'v'), $more)"
      ).collect(); ()
    }
    def same(into: String, level: String, bucket: String): Unit = {
      val expected = sql(s"SELECT $bucket AS bucket, count(*) AS rows FROM $source GROUP BY 1")
      val found = sql(s"SELECT bucket, rows FROM $into WHERE level = '$level'")
      assertEquals(bag(found), bag(expected), s"$into $level")
    }
    def check(): Unit = {
      follow(ntz, "local", "levels => array('1 hour', '1 day')")
      follow(dates, "day", "levels => array('1 day', '7 days')")
      follow(berlin, "ts", "levels => array('1 hour', '1 day', '7 days'), zone => 'Europe/Berlin'")
      same(ntz, "1 hour", "CAST(date_trunc('hour', local) AS TIMESTAMP_NTZ)")
      same(ntz, "1 day", "CAST(date_trunc('day', local) AS TIMESTAMP_NTZ)")
      same(dates, "1 day", "day")
      same(dates, "7 days", "CAST(date_trunc('week', day) AS DATE)")
      same(berlin, "1 hour", "date_trunc('hour', ts)")
      withConf("spark.sql.session.timeZone" -> "Europe/Berlin") {
        same(berlin, "1 day", "date_trunc('day', ts)")
        same(berlin, "7 days", "date_trunc('week', ts)")
      }
    }
    check()
    sql(s"DELETE FROM $source WHERE v % 11 = 3")
    sql(
      s"INSERT INTO $source SELECT ts + INTERVAL '7' MINUTE, local + INTERVAL '7' MINUTE, day, v FROM $source WHERE v < 60"
    )
    withConf("spark.sql.session.timeZone" -> "America/New_York")(stepElsewhere(ntz, dates, berlin, follow))
    check()
  }

  /** Makes the steps in a session with another time zone, which has no part in the buckets. */
  private def stepElsewhere(
      ntz: String,
      dates: String,
      berlin: String,
      follow: (String, String, String) => Unit
  ): Unit = {
    follow(ntz, "local", "levels => array('1 hour', '1 day')")
    follow(dates, "day", "levels => array('1 day', '7 days')")
    follow(berlin, "ts", "levels => array('1 hour', '1 day', '7 days'), zone => 'Europe/Berlin'")
  }

  test("the hour that comes twice in the session's time zone is two buckets") {
    withConf("spark.sql.session.timeZone" -> "Europe/Berlin") {
      val (source, into) = (requests("twice_source", 0), dropped("twice_into"))
      // from midnight of UTC, which is 2 o'clock in summer time, an hour before 2 o'clock in winter time
      sql(s"INSERT INTO $source SELECT timestamp_seconds(1792886400 + id * 600), 's1', id FROM range(24)")
      follow(source, into)
      sql(s"INSERT INTO $source SELECT timestamp_seconds(1792886400 + id), 's1', id FROM range(3)")
      follow(source, into)
      sql(
        s"DELETE FROM $source WHERE ts >= timestamp_seconds(1792886400 + 3600) AND ts < timestamp_seconds(1792886400 + 3700)"
      )
      follow(source, into)
      checkRows(
        spark.table(into),
        source,
        "1 hour" -> "timestamp_seconds(unix_seconds(ts) - unix_seconds(ts) % 3600)"
      )
    }
  }

  test("tables by path, and names that need backticks") {
    val folder = java.nio.file.Files.createTempDirectory("roll ups [1]")
    val source = s"delta.`$folder/source`"
    sql(
      s"CREATE TABLE $source (ts TIMESTAMP, `my-service` STRING, v INT) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    sql(s"INSERT INTO $source VALUES (TIMESTAMP'2026-01-01 00:00:00', 'a', 1)")
    val into = s"delta.`$folder/into`"
    val call =
      s"CALL chronosketch.rollup('$source', '$into', time => 'ts', bucket => '1 day', by => array('`my-service` AS `service.1`'), values => map('my-v', 'v'))"
    sql(call).collect()
    sql(s"INSERT INTO $source VALUES (TIMESTAMP'2026-01-01 01:00:00', 'a', 5)")
    assertEquals(sql(s"SELECT max(`my-v_max`) FROM rollup_now('$into')").head().getInt(0), 5)
    sql(call).collect()
    sql(s"DELETE FROM $source WHERE v = 5")
    assert(sql(s"CALL chronosketch.refresh('$into')").head().getAs[Boolean]("is_new"))
    assertEquals(sql(s"SELECT concat(`service.1`, `my-v_max`) FROM $into").head().getString(0), "a1")
  }
}
