package chronosketch.spark.window

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite
import chronosketch.spark.sliding.SlidingConf

/** Tests windows of the rows of a frame, and unions of stored window sketches OVER frames, in our operator and in Spark's. */
class WindowOverSuite extends SparkSuite {
  private val n = 90
  private lazy val t: Unit = spark
    .range(n.toLong)
    .selectExpr("id", "id % 3 AS k", "IF(id % 9 = 8, NULL, pmod(id * 37, 41)) AS v", "pmod(id * 7, 100) AS t")
    .createOrReplaceTempView("over_windows")

  private val frames: Seq[(String, Int => Seq[Int])] = Seq(
    "ORDER BY id ROWS BETWEEN 12 PRECEDING AND CURRENT ROW" -> (i => math.max(0, i - 12) to i),
    "ORDER BY id ROWS BETWEEN 5 PRECEDING AND 7 FOLLOWING" -> (i =>
      math.max(0, i - 5) to math.min(n - 1, i + 7)
    ),
    "ORDER BY id" -> (i => 0 to i),
    "ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING" -> (i => i until n),
    "" -> (_ => 0 until n)
  )

  /** The values of a frame within the last ten units of time. All times are distinct. */
  private def lastTen(frame: Seq[Int]): Seq[Long] = {
    val seen = frame.filter(_ % 9 != 8).map(id => (id * 7L) % 100 -> (id * 37L) % 41)
    if (seen.isEmpty) Nil else { val newest = seen.map(_._1).max; seen.filter(_._1 > newest - 10).map(_._2) }
  }

  for {
    (over, of) <- frames
    (way, conf) <- Seq(
      "default" -> Nil,
      "no codegen" -> Seq(
        "spark.sql.codegen.wholeStage" -> "false",
        "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
      )
    )
  } test(s"windows OVER ($over): $way") {
    t
    withConf(conf: _*) {
      val answers = rows(
        s"""SELECT id, approx_window_quantile(v, t, array(0, 1), 10) OVER w AS q,
           |  sketch_count(sketch_window(window_sketch_agg(v, t) OVER w, 10)) AS n, approx_quantile(v, 0.5) OVER w AS beside
           |FROM over_windows WINDOW w AS ($over) ORDER BY id""".stripMargin
      )
      assertEquals(answers.size, n)
      answers.zipWithIndex.foreach { case (r, i) =>
        val exact = lastTen(of(i))
        assertEquals(r.getLong(2), exact.size.toLong, s"row $i")
        if (exact.isEmpty) assert(r.isNullAt(1), s"row $i")
        else assertEquals(r.getSeq[Long](1), Seq(exact.min, exact.max), s"row $i")
      }
    }
  }

  /** Sketches of 60 parts, each with 400 rows from an hour of its own. They have so few buckets that edges are in doubt. */
  private lazy val stored: Unit = {
    spark
      .range(0, 24000, 1, 3)
      .selectExpr(
        "id",
        "id DIV 400 AS part",
        "pmod(id * 104729, 1009) AS v",
        "timestamp_seconds(id * 9) AS t"
      )
      .createOrReplaceTempView("parts_of_windows")
    sql(
      "SELECT part, part % 2 AS k, window_sketch_agg(v, t, 0.1, filters => map('even', id % 2 = 0)) AS s FROM parts_of_windows GROUP BY part"
    ).cache().createOrReplaceTempView("sketched_parts")
  }

  private val unions = Seq(
    "ROWS BETWEEN 5 PRECEDING AND CURRENT ROW" -> 5,
    "RANGE BETWEEN 12 PRECEDING AND CURRENT ROW" -> 6,
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW" -> 100
  )

  for ((frame, parts) <- unions) test(s"unions of window sketches OVER $frame") {
    stored
    val w = "sketch_window(s, '12000 seconds')"
    val query =
      s"""SELECT part, sketch_count(s), sketch_count_bounds($w), sketch_quantile_bounds($w, 0.5, 'bigint'), sketch_rank_error($w)
         |FROM (SELECT part, sketch_merge_agg(s) OVER (PARTITION BY k ORDER BY part $frame) AS s FROM sketched_parts)
         |ORDER BY part""".stripMargin
    val slides = !frame.contains("UNBOUNDED")
    val plan = sql(s"EXPLAIN $query").head().getString(0)
    assertEquals(plan.contains("SketchWindow"), slides, plan)
    if (!slides) assert(plan.contains("[Spark's own operator: its frame only grows]"), plan)
    def check(r: Row): Unit = {
      val part = r.getLong(0)
      val from = (0 to parts).map(part - 2L * _).filter(_ >= 0)
      assertEquals(r.getLong(1), 400L * from.size, s"part $part")
      val newest = part * 400 + 399
      val meant = from.flatMap(p => p * 400 until (p + 1) * 400).filter(id => id * 9 > newest * 9 - 12000)
        .map(id => (id * 104729L) % 1009).sorted
      val (count, median) = (r.getStruct(2), r.getStruct(3))
      assert(
        count.getLong(0) <= meant.size && meant.size <= count.getLong(1),
        s"part $part: ${meant.size} in $count"
      )
      val truth = meant((meant.size + 1) / 2 - 1)
      assert(median.getLong(0) <= truth && truth <= median.getLong(1), s"part $part: $truth in $median")
      assert(r.getDouble(4) <= 0.1, s"part $part: ${r.getDouble(4)}")
    }
    // a union keeps the sketches' times and filters, with every structure
    Seq("auto", "daba").foreach(structure =>
      withConf(SlidingConf.Structure -> structure)(rows(query).foreach(check))
    )
    withConf(SlidingConf.Enabled -> "false") {
      val theirs = rows(query)
      assertEquals(theirs.size, 60)
      theirs.foreach(check)
    }
  }
}
