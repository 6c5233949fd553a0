package chronosketch.spark.sliding

import chronosketch.spark.TestLog
import chronosketch.{Cases, Pairs}

/** Compares every kind of frame over every kind of order with Spark's operator. All frames of an order are in one SELECT. */
class FramesSuite extends SlidingSuite {
  // ties, NULLs and gaps; a unique id, because ties would make ROWS ambiguous
  private def view(): Unit = spark.range(0, 400, 1, 3).selectExpr(
    "id",
    "pmod(hash(id, 1), 7) AS k",
    "IF(pmod(hash(id, 2), 9) = 0, NULL, pmod(hash(id, 3), 50)) AS v",
    "CASE pmod(hash(id, 4), 11) WHEN 0 THEN NULL WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D WHEN 3 THEN 0.0D ELSE pmod(hash(id, 5), 60) / 4 END AS d",
    "IF(pmod(hash(id, 6), 10) = 0, NULL, pmod(hash(id, 7), 30)) AS t"
  ).createOrReplaceTempView("framed")

  private val functions = Seq(
    "approx_quantile(v, 0.5)",
    "approx_quantile(d, array(0, 0.9, 0.3))",
    "approx_quantile_bounds(v, 0.2)"
  )

  private def query(order: String, frames: Seq[String], functions: Seq[String] = functions): String = {
    val asked =
      for ((frame, i) <- frames.zipWithIndex)
        yield s"${functions(i % functions.size)} OVER (PARTITION BY k $order $frame) AS q$i"
    s"SELECT *, ${asked.mkString(", ")} FROM ordered"
  }

  private val rowEnds = Seq(
    "UNBOUNDED PRECEDING" -> -1000,
    "7 PRECEDING" -> -7,
    "1 PRECEDING" -> -1,
    "CURRENT ROW" -> 0,
    "2 FOLLOWING" -> 2,
    "9 FOLLOWING" -> 9,
    "UNBOUNDED FOLLOWING" -> 1000
  )

  private def between(kind: String): Seq[String] =
    for {
      (lower, l) <- rowEnds
      (upper, u) <- rowEnds
      if l <= u && l < 1000 && u > -1000
    } yield s"$kind BETWEEN $lower AND $upper"

  private def ordered(key: String): Unit = {
    view()
    sql(s"SELECT *, $key AS o FROM framed").createOrReplaceTempView("ordered")
  }

  for (order <- Seq("o, id DESC", "id DESC", "o DESC NULLS FIRST, d, id"))
    test(s"ROWS, ORDER BY $order") {
      ordered("t")
      val answers = assertSame(query(s"ORDER BY $order", between("ROWS")))
      assertEquals((answers.operators.size, answers.exchanges, answers.sorts), (1, 1, 0))
    }

  // all pairs of frame, function and direction
  for (
    (direction, i) <-
      Seq("ASC NULLS FIRST", "ASC NULLS LAST", "DESC NULLS FIRST", "DESC NULLS LAST").zipWithIndex
  )
    test(s"RANGE, peers and NULLs: $direction") {
      ordered("t")
      val frames = "" +: between("RANGE")
      val turned = functions.drop(i % 3) ++ functions.take(i % 3)
      assertSame(query(s"ORDER BY o $direction", frames, turned))
      assertSame(query(s"ORDER BY o $direction", frames, Seq("approx_quantile(v, 0.5)")))
      // peers by several columns, or by a column that has no 64-bit key
      val peers =
        Seq(
          "",
          "RANGE BETWEEN CURRENT ROW AND CURRENT ROW",
          "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
        )
      assertSame(query(s"ORDER BY o $direction, v", peers))
      assertSame(query(s"ORDER BY concat('t', o) $direction", peers))
    }

  // columns that together fit 64 bits are packed into one key
  for (
    order <- Seq(
      "CAST(o AS SMALLINT), number",
      "CAST(o AS SMALLINT) DESC, number DESC",
      "CAST(o AS SMALLINT) NULLS LAST, d IS NULL DESC, number",
      "date_add(DATE'2024-01-01', number), CAST(id AS INT)",
      "CAST(o AS DECIMAL(5,1)) DESC NULLS FIRST, CAST(v AS TINYINT) NULLS LAST, number",
      "CAST(o AS DECIMAL(5,1)) DESC NULLS FIRST, CAST(v AS TINYINT) DESC NULLS LAST, number DESC"
    )
  )
    test(s"several columns in one key: $order") {
      ordered("t")
      sql("SELECT *, CAST(id AS INT) AS number FROM ordered").createOrReplaceTempView("ordered")
      val answers = assertSame(query(s"ORDER BY $order", between("ROWS").take(12)))
      assertEquals((answers.operators.size, answers.exchanges, answers.sorts), (1, 1, 0))
      assert(answers.plan.toString.contains("sort=own radix sort"), answers.plan.toString)
      val peers = Seq(
        "",
        "RANGE BETWEEN CURRENT ROW AND CURRENT ROW",
        "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
      )
      assertSame(query(
        s"ORDER BY ${order.replaceAll(", number( DESC)?$", "")}, p",
        peers
      ).replace("FROM ordered", "FROM (SELECT *, v IS NULL AS p FROM ordered)"))
    }

  test("NULL next to the least and the greatest key") {
    ordered(
      "CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN CAST('-9223372036854775808' AS BIGINT) WHEN 2 THEN 9223372036854775807 ELSE id END"
    )
    for (direction <- Seq("ASC NULLS FIRST", "ASC NULLS LAST", "DESC NULLS FIRST", "DESC NULLS LAST"))
      assertSame(query(s"ORDER BY o $direction", Seq("", "RANGE BETWEEN CURRENT ROW AND CURRENT ROW")))
  }

  // a type of order key, and two distances
  private val types = Seq(
    ("CAST(t AS TINYINT)", "3Y", "1Y"),
    ("CAST(t AS SMALLINT)", "3S", "1S"),
    ("CAST(t AS INT)", "3", "1"),
    ("CAST(t AS BIGINT)", "3", "0"),
    ("CAST(CAST(t AS FLOAT) / 3 AS FLOAT)", "1.5", "0.25"),
    (
      "IF(t = 3, double('NaN'), IF(t = 5, double('Infinity'), IF(t = 6, -0.0D, t / 8 - 1)))",
      "0.5D",
      "0.125D"
    ),
    ("CAST(t AS DECIMAL(10,2))", "2.5", "0.01"),
    ("date_add(DATE'2024-02-20', CAST(t AS INT))", "3", "1"),
    ("date_add(DATE'2024-02-20', CAST(t AS INT))", "INTERVAL 3 DAYS", "INTERVAL 0 DAYS"),
    ("date_add(DATE'2024-01-20', CAST(t * 4 AS INT))", "INTERVAL 1 MONTH", "INTERVAL 0 MONTH"),
    ("timestamp_seconds(t * 3600)", "INTERVAL 3 HOURS", "INTERVAL 1 HOURS"),
    (
      "timestamp'2024-03-08 20:00:00' + make_dt_interval(0, t * 5)",
      "INTERVAL '1 02:03:04.5' DAY TO SECOND",
      "INTERVAL '0 12:00:00' DAY TO SECOND"
    ),
    (
      "timestamp'2024-01-29 20:00:00' + make_dt_interval(0, t * 9)",
      "INTERVAL 1 MONTH",
      "INTERVAL 0 MONTH"
    ),
    (
      "timestamp_ntz'2024-03-08 20:00:00' + make_dt_interval(0, t * 5)",
      "INTERVAL 30 HOURS",
      "INTERVAL 5 HOURS"
    ),
    (
      "timestamp_ntz'2024-03-08 20:00:00' + make_dt_interval(0, t * 9)",
      "INTERVAL 1 MONTH",
      "INTERVAL 0 MONTH"
    ),
    ("make_ym_interval(0, CAST(t AS INT))", "INTERVAL 3 MONTHS", "INTERVAL 1 MONTHS"),
    ("make_dt_interval(0, t)", "INTERVAL 3 HOURS", "INTERVAL 1 HOURS")
  )

  for ((key, far, near) <- Cases.some(9, types))
    test(s"RANGE over $key by $far") {
      val frames = Seq(
        s"$far PRECEDING AND CURRENT ROW",
        s"$far PRECEDING AND $near PRECEDING",
        s"CURRENT ROW AND $near FOLLOWING",
        s"$near FOLLOWING AND $far FOLLOWING",
        s"$near PRECEDING AND $far FOLLOWING",
        s"UNBOUNDED PRECEDING AND $near PRECEDING",
        s"UNBOUNDED PRECEDING AND $far FOLLOWING",
        s"$far PRECEDING AND UNBOUNDED FOLLOWING",
        s"$near FOLLOWING AND UNBOUNDED FOLLOWING"
      ).map(frame => s"RANGE BETWEEN $frame")
      val zones = if (key.startsWith("timestamp'")) Seq("America/Los_Angeles", "UTC") else Seq("UTC")
      for ((direction, zone) <- Cases.inTurns(Seq("ASC", "DESC NULLS FIRST", "ASC NULLS LAST"), zones))
        withConf("spark.sql.session.timeZone" -> zone) {
          ordered(key)
          assertSame(
            query(s"ORDER BY o $direction", frames, Seq("approx_quantile(v, 0.5)", "approx_quantile(o, 0.7)"))
          )
        }
    }

  // the days of two years, one of which has a 29th of February
  private def days(key: String): Unit = spark.range(0, 730, 1, 3).selectExpr(
    "id",
    "id % 2 AS k",
    "date_add(DATE'2023-12-20', CAST(id AS INT)) AS day"
  ).selectExpr("id", "k", s"$key AS o", "CAST(id AS INT) AS v").createOrReplaceTempView("ordered")

  private val keysOfDays =
    Seq("day", "CAST(day AS TIMESTAMP)", "CAST(day AS TIMESTAMP_NTZ) + INTERVAL 13 HOURS")

  for {
    key <- keysOfDays
    (month, isCalendar) <- Seq(
      "INTERVAL 1 MONTH" -> false,
      "INTERVAL '1-1' YEAR TO MONTH" -> false,
      "INTERVAL 1 MONTH" -> true,
      "INTERVAL 1 MONTH 1 DAY 5 HOURS" -> true,
      "INTERVAL 1 MONTH -1 DAY" -> true
    )
    // Spark supports calendar intervals only for TIMESTAMP
    if key.contains("TIMESTAMP)") || !isCalendar
  } test(
    s"days that the other month lacks: $key by $month${if (isCalendar) ", a calendar interval" else ""}"
  ) {
    val frames = Seq(
      s"$month PRECEDING AND CURRENT ROW",
      s"CURRENT ROW AND $month FOLLOWING",
      s"$month PRECEDING AND $month FOLLOWING",
      s"UNBOUNDED PRECEDING AND $month PRECEDING",
      s"$month FOLLOWING AND UNBOUNDED FOLLOWING"
    ).map(frame => s"RANGE BETWEEN $frame")
    val zones = if (key.contains("TIMESTAMP)")) Seq("America/Los_Angeles", "UTC") else Seq("UTC")
    for ((direction, zone) <- Cases.inTurns(Seq("ASC", "DESC"), zones)) withConf(
      "spark.sql.session.timeZone" -> zone,
      "spark.sql.legacy.interval.enabled" -> isCalendar.toString
    ) {
      days(key)
      val functions = Seq("approx_quantile_bounds(o, array(0, 1))")
      assertSame(query(s"ORDER BY o $direction", frames, functions))
    }
  }

  test("a month from the end of a long month reaches the end of a shorter one, not beyond") {
    for (key <- keysOfDays.take(2); direction <- Seq("ASC", "DESC")) {
      days(key)
      val (back, on) = if (direction == "ASC") ("PRECEDING", "FOLLOWING") else ("FOLLOWING", "PRECEDING")
      def ends(frame: String, phi: Int): Map[String, String] = {
        val asked = inOurs(sql(
          s"SELECT CAST(CAST(o AS DATE) AS STRING), CAST(CAST(approx_quantile(o, $phi) OVER (ORDER BY o $direction RANGE BETWEEN $frame) AS DATE) AS STRING) FROM ordered"
        ))
        asked.rows.map(r => r.getString(0) -> r.getString(1)).toMap
      }
      val (month, now) = ("INTERVAL 1 MONTH", "CURRENT ROW")
      val before =
        ends(if (direction == "ASC") s"$month $back AND $now" else s"$now AND $month $back", 0)
      val after = ends(if (direction == "ASC") s"$now AND $month $on" else s"$month $on AND $now", 1)
      Seq("2024-03-31", "2024-03-30", "2024-03-29").foreach(d => assertEquals(before(d), "2024-02-29", d))
      Seq("2025-03-31", "2025-03-28").foreach(d => assertEquals(before(d), "2025-02-28", d))
      assertEquals((before("2024-02-29"), before("2024-05-31")), ("2024-01-29", "2024-04-30"))
      Seq("2024-01-31", "2024-01-30", "2024-01-29").foreach(d => assertEquals(after(d), "2024-02-29", d))
      Seq("2025-01-31", "2025-01-28").foreach(d => assertEquals(after(d), "2025-02-28", d))
      assertEquals((after("2024-02-29"), after("2024-05-31")), ("2024-03-29", "2024-06-30"))
    }
  }

  test("a frame whose end is outside its type's range: the same error or answer as Spark's") {
    val keys = Seq(
      ("bigint", Long.MinValue, Long.MaxValue, "2"),
      ("int", Int.MinValue.toLong, Int.MaxValue.toLong, "2"),
      ("tinyint", Byte.MinValue.toLong, Byte.MaxValue.toLong, "2Y"),
      ("date_from_unix_date", Int.MinValue.toLong, Int.MaxValue.toLong, "2"),
      ("timestamp_micros", Long.MinValue, Long.MaxValue, "INTERVAL '2' SECOND")
    )
    val outcomes = for {
      ((key, least, greatest, distance), i, direction, ansi) <-
        Pairs.of(keys, Seq(0, 1, 2), Seq("ASC", "DESC"), Seq("true", "false"))
    } yield {
      val (values, frame) = Seq(
        Seq(1L, greatest) -> s"CURRENT ROW AND $distance FOLLOWING",
        Seq(1L, greatest - 1, greatest) -> s"CURRENT ROW AND $distance FOLLOWING",
        Seq(least, 0L) -> s"$distance PRECEDING AND $distance FOLLOWING"
      )(i)
      spark.range(
        1
      ).selectExpr(s"explode(array(${values.map(v => s"CAST('$v' AS BIGINT)").mkString(", ")})) AS l")
        .selectExpr(
          s"$key(${if (key.contains("date")) "int(l)" else "l"}) AS o",
          "7 AS v"
        ).createOrReplaceTempView("extreme")
      val query =
        s"SELECT approx_quantile(v, 0.5) OVER (ORDER BY o $direction RANGE BETWEEN $frame) FROM extreme"
      withConf("spark.sql.ansi.enabled" -> ansi) {
        def answer(on: Boolean): String =
          try TestLog.expectingFailure(ask(isEnabled = on)(sql(query))).texts.toString
          catch {
            case e: org.apache.spark.SparkThrowable => e.getCondition
            case e: Exception => e.getClass.getName
          }
        val ours = answer(on = true)
        assertEquals(ours, answer(on = false), s"$key of $values, $query, ANSI $ansi")
        ours
      }
    }
    // both errors and answers must occur
    assert(outcomes.contains("ARITHMETIC_OVERFLOW"), outcomes.distinct)
    assert(outcomes.exists(_.contains("7")), outcomes.distinct)
  }
}
