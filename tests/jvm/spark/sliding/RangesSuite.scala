package chronosketch.spark.sliding

import chronosketch.Cases
import chronosketch.spark.aggregate.operator.{OperatorSuite, ScarceMemory}
import chronosketch.spark.sliding.task.SlidingIterator

/** Tests that cutting rows without PARTITION BY into ranges does not change the answers. Tests every frame with every second number of
  * ranges, in the orders in turn; [[RangesCampaign]] tests all combinations.
  */
class RangesSuite extends SlidingSuite with RangedCases {
  // ROWS: every frame alone, so that no other hides a halo that is too small, and all frames of an order together
  private val rowCases: Map[RangedWindows, Seq[(Seq[Int], Int)]] = {
    val frames = rowOrders.head.all
    (for {
      (which, i) <- (frames.map(Seq(_)) :+ frames).zipWithIndex
      (ranges, j) <- rangeCounts.zipWithIndex
      if Cases.isTurn(i + j, 2)
      order <- Cases.turn((i + j) / 2, rowOrders)
    } yield order -> (which, ranges)).groupMap(_._1)(_._2)
  }

  for (windows <- rowOrders)
    test(windows.name) {
      view()
      assertSameInRanges(windows, rowCases(windows))
    }

  // RANGE: every frame alone in every direction, and all frames of a key together
  for ((windows, i) <- Cases.some(9, rangeOrders.zipWithIndex))
    test(windows.name) {
      view()
      val together = if (windows.all.size > 1 && i % 4 == 1) Seq(windows.all) else Nil
      val chosen = (windows.all.map(Seq(_)) ++ together).zipWithIndex.map { case (which, j) =>
        (which, rangeCounts((i + j) % rangeCounts.size))
      }
      assertSameInRanges(windows, chosen)
    }

  test("more input partitions than the driver collects sketches of") {
    view(partitions = 80)
    assertSameInRanges(
      "SELECT *, approx_quantile(v, 0.4) OVER (ORDER BY id ROWS 30 PRECEDING) AS q FROM ranged",
      Seq(9)
    )
  }

  test("ROWS frames over ties: ties have the same order in each range and halo") {
    view()
    val keys = Seq(
      "i",
      "t",
      "t DESC NULLS FIRST",
      "d",
      "extreme",
      "extreme NULLS LAST",
      "1",
      "id % 2",
      "NULL",
      "id > 0"
    )
    for ((key, ranges) <- Cases.some(5, Cases.inTurns(keys, Seq(5, 30)))) {
      def neighbour(rows: String): String =
        s"approx_quantile(id, 0) OVER (ORDER BY $key ROWS BETWEEN $rows AND $rows)"
      val distances = Seq(-1, 1, -40, 40)
      val seen = distances.map(d => neighbour(s"${math.abs(d)} ${if (d < 0) "PRECEDING" else "FOLLOWING"}"))
      val query = s"SELECT id, ${seen.mkString(", ")} FROM ranged"
      // rows are output in order, and the frame of each must contain its neighbours
      val rows = inRanges(ranges, query).rows
      val ids = rows.map(_.getLong(0)).toIndexedSeq
      rows.zipWithIndex.foreach { case (row, i) =>
        val there: Seq[Any] = distances.map(d => ids.lift(i + d).map(Long.box).orNull)
        assertEquals(row.toSeq.tail, there, s"$ranges ranges: $query: $i")
      }
      assertEquals(ids.sorted.toSeq, (0L until allRows.toLong).toSeq)
    }
  }

  test("the order of ties does not depend on the order in which rows arrive") {
    view()
    withConf("spark.sql.adaptive.enabled" -> "false", SlidingConf.Ranges -> "5") {
      for (key <- Seq("i", "extreme", "NULL")) {
        val query =
          s"SELECT id, approx_quantile(id, 0) OVER (ORDER BY $key ROWS BETWEEN 40 PRECEDING AND 40 PRECEDING) AS q FROM ranged"
        val window = inOurs(sql(query)).operators.head
        val spec = window.spec
        def texts(isMixed: Boolean): Seq[String] = {
          val id = window.output.indexWhere(_.name == "id")
          val last = window.output.length - 1
          window.child.execute().mapPartitionsWithIndex { (range, rows) =>
            val there = rows.map(_.copy()).toSeq
            val arriving = if (isMixed) new scala.util.Random(range).shuffle(there) else there
            new SlidingIterator(spec, range, arriving.iterator).map { row =>
              s"${row.getLong(id)} ${if (row.isNullAt(last)) "none" else row.getLong(last).toString}"
            }
          }.collect().toSeq
        }
        assertEquals(texts(isMixed = true), texts(isMixed = false), query)
      }
    }
  }

  test("few rows, no rows, and fewer rows than ranges") {
    for (rows <- Seq(0, 1, 2, 10)) {
      view(rows)
      val query =
        "SELECT *, approx_quantile(v, 0.5) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS q FROM ranged"
      if (rows > 0) assertSameInRanges(query, Seq(2, 50))
      else
        withConf(SlidingConf.Ranges -> "5", "spark.sql.adaptive.enabled" -> "false")(
          assertEquals(sql(query.replace("FROM ranged", "FROM ranged WHERE id < 0")).collect().toSeq, Nil)
        )
    }
    view()
    withConf("spark.sql.adaptive.enabled" -> "false")(
      assertEquals(
        inRanges(
          4,
          "SELECT approx_quantile(v, 0.5) OVER (ORDER BY id ROWS 3 PRECEDING) AS q FROM ranged WHERE any < 0"
        ).rows,
        Nil
      )
    )
  }

  private val q =
    "approx_quantile(v, 0.5) OVER (ORDER BY any + id / 1e9D ROWS BETWEEN 30 PRECEDING AND 3 FOLLOWING) AS q"
  private val around = Seq(
    "several calls" ->
      """SELECT *, approx_quantile(v, array(0.1, 0.9)) OVER (ORDER BY id ROWS 3 PRECEDING), approx_quantile_bounds(d, 0.5) OVER (ORDER BY id ROWS 30 PRECEDING),
        |  approx_quantile(v, 0.5) FILTER (WHERE i > 20) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 9 FOLLOWING), approx_quantile(i, 0.5) OVER (ORDER BY id RANGE BETWEEN 5 PRECEDING AND 1 FOLLOWING) FROM ranged""".stripMargin,
    "ordered" -> s"SELECT any + id / 1e9D AS o, $q FROM ranged ORDER BY o",
    "grouped by the order key" -> s"SELECT o, count(*), max(q) FROM (SELECT t AS o, approx_quantile(v, 0.5) OVER (ORDER BY t RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) AS q FROM ranged) GROUP BY o",
    "aggregated" -> s"SELECT i, sum(q), count(*) FROM (SELECT i, $q FROM ranged) GROUP BY i",
    "joined" -> s"SELECT /*+ MERGE(b) */ a.id, a.q, b.q FROM (SELECT id, $q FROM ranged) a JOIN (SELECT id, $q FROM ranged) b ON a.id = b.id",
    "joined on the order key" ->
      "SELECT /*+ MERGE(b) */ a.id, a.q, b.n FROM (SELECT id, approx_quantile(v, 0.5) OVER (ORDER BY id ROWS 3 PRECEDING) AS q FROM ranged) a JOIN (SELECT id, count(*) AS n FROM ranged GROUP BY id) b ON a.id = b.id",
    "ordered and limited" -> s"SELECT id, $q FROM ranged ORDER BY q DESC NULLS LAST, id LIMIT 7",
    "a union" -> s"SELECT id, $q FROM ranged UNION ALL SELECT id, v FROM ranged",
    "in a scalar subquery" -> s"SELECT id, (SELECT max(q) FROM (SELECT $q FROM ranged)) AS m FROM ranged",
    "under a window" -> s"SELECT id, q, approx_quantile(q, 0.5) OVER (ORDER BY id ROWS 3 PRECEDING) AS qq FROM (SELECT id, $q FROM ranged)",
    "twice by one order" -> "SELECT id, q, approx_quantile(q, 0.5) OVER (ORDER BY id ROWS 3 PRECEDING) AS qq FROM (SELECT id, approx_quantile(v, 0.5) OVER (ORDER BY id ROWS 5 PRECEDING) AS q FROM ranged)",
    "under a window of Spark's" -> s"SELECT id, q, row_number() OVER (ORDER BY id) AS n FROM (SELECT id, $q FROM ranged)",
    "over a shuffle" -> "SELECT i, approx_quantile(n, 0.5) OVER (ORDER BY i ROWS 3 PRECEDING) AS q FROM (SELECT i, count(*) AS n FROM ranged GROUP BY i)"
  )

  private val ways = Seq(
    "adaptive" -> Nil,
    "not adaptive" -> Seq("spark.sql.adaptive.enabled" -> "false"),
    "not compiled" -> OperatorSuite.notCompiled
  )

  for ((((name, query), i), (way, conf)) <- Cases.some(8, Cases.inTurns(around.zipWithIndex, ways)))
    test(s"$name, $way") {
      view()
      withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
        val whole = inOneTask(query)
        val ranges = Seq(3, 9)(i / ways.size % 2)
        withConf(conf: _*)(assertEqual(inRanges(ranges, query), whole, s"$ranges ranges: $query"))
      }
    }

  test("rows are output in order, and Spark does not sort them again") {
    view()
    val answers = inRanges(
      6,
      "SELECT t, approx_quantile(v, 0.5) OVER (ORDER BY t ROWS 3 PRECEDING) AS q FROM ranged ORDER BY t"
    )
    assertEquals((answers.exchanges, answers.sorts), (0, 0), answers.plan.toString)
    val keys = answers.rows.map(r => if (r.isNullAt(0)) Int.MinValue else r.getInt(0))
    assertEquals(keys, keys.sorted)
  }

  test("LIMIT without an order") {
    view()
    val all = inOneTask(s"SELECT id, $q FROM ranged").texts.toSet
    val some = inRanges(8, s"SELECT id, $q FROM ranged LIMIT 20").texts
    assertEquals((some.size, some.forall(all)), (20, true))
    assertEquals(withConf(SlidingConf.Ranges -> "8")(sql(s"SELECT id, $q FROM ranged").take(5).length), 5)
  }

  test("rows of ranges are spilled if memory is scarce") {
    spark.range(0, 60000, 1, 3).selectExpr(
      "id",
      "pmod(hash(id), 1000) AS t",
      "pmod(hash(id, 3), 500) AS v",
      "repeat('x', int(id % 100)) AS text"
    ).createOrReplaceTempView("scarceRanges")
    for (
      frame <- Seq("ROWS BETWEEN 50 PRECEDING AND 20 FOLLOWING", "RANGE BETWEEN 3 PRECEDING AND 1 FOLLOWING")
    ) {
      for (key <- if (frame.startsWith("ROWS")) Seq("id") else Seq("t", "t DESC")) {
        val query = s"SELECT *, approx_quantile(v, 0.5) OVER (ORDER BY $key $frame) AS q FROM scarceRanges"
        val plenty = inOneTask(query)
        val memory = new ScarceMemory(2L << 20)
        val scarce =
          try inRanges(3, query)
          finally memory.close()
        assert(scarce.metric("handOvers") > 0, scarce.operators.map(_.metrics))
        assertEqual(scarce, plenty, query)
      }
    }
  }

  test("by default, many rows are cut unless halos are large") {
    spark.range(0, 1 << 19, 1, 3).selectExpr(
      "id",
      "pmod(hash(id), 1000000) AS any",
      "pmod(hash(id, 3), 500) AS v"
    ).createOrReplaceTempView("many")
    withConf("spark.sql.shuffle.partitions" -> "3") {
      for ((back, ranges) <- Seq(10 -> 2L, 200000 -> 1L)) {
        val query =
          s"SELECT id, approx_quantile(v, 0.5) OVER (ORDER BY any + id / 1e9D ROWS $back PRECEDING) AS q FROM many"
        val total = s"SELECT count(*), sum(q * (id % 1000)), min(id), max(id) FROM ($query)"
        val cut = inOurs(sql(total))
        assertEquals(cuts(cut.plan).map(_.metrics("ranges").value), Seq(ranges))
        assertEqual(cut, inOneTask(total), total)
      }
    }
  }

  test("an input that changes while it is read gives an error, not an answer") {
    RangesSuite.reads.set(0)
    val changing = spark.sparkContext.range(0, 1000, 1, 2).mapPartitions { rows =>
      if (RangesSuite.reads.incrementAndGet() <= 2) rows.map(_.longValue)
      else rows.map(_.longValue).filter(_ % 5 == 0)
    }
    spark.createDataset(changing)(
      org.apache.spark.sql.Encoders.scalaLong
    ).toDF("id").createOrReplaceTempView("changing")
    val error = intercept[Exception](
      inRanges(
        3,
        "SELECT id, approx_quantile(id, 0.5) OVER (ORDER BY id ROWS 50 PRECEDING) AS q FROM changing"
      )
    )
    assert(error.getMessage.contains("gave different rows the second time"), error.getMessage)
  }

  private def explained(query: String): String = sql(s"EXPLAIN FORMATTED $query").head().getString(0)

  private val wholes = Seq(
    "approx_quantile(v, 0.5) OVER (ORDER BY id)" -> "a frame is UNBOUNDED",
    "approx_quantile(v, 0.5) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND UNBOUNDED FOLLOWING)" -> "a frame is UNBOUNDED",
    "approx_quantile(v, 0.5) OVER (ORDER BY id, v ROWS 3 PRECEDING)" -> "ORDER BY has several columns",
    "approx_quantile(v, 0.5) OVER (ORDER BY text ROWS 3 PRECEDING)" -> "STRING values don't fit into a sort key of 64 bits",
    "approx_quantile(v, 0.5) OVER (ORDER BY ts RANGE BETWEEN INTERVAL 1 MONTH PRECEDING AND CURRENT ROW)" -> "has no constant width",
    "approx_quantile(v, 0.5) OVER (ORDER BY id ROWS 3 PRECEDING) AS q, row_number() OVER (ORDER BY id)" -> "in the same query needs all rows in one task",
    "approx_quantile(r, 0.5) OVER (ORDER BY id ROWS 3 PRECEDING) FROM (SELECT id, rand() AS r FROM ranged) --" -> "could give different rows when it is read again",
    "approx_quantile(v, 0.5) OVER (ORDER BY id ROWS 3 PRECEDING) FROM (SELECT * FROM ranged LIMIT 10) --" -> "could give different rows when it is read again"
  )

  for ((call, why) <- wholes)
    test(s"one task: $why: $call") {
      view()
      withConf(SlidingConf.Ranges -> "5") {
        val query = s"SELECT $call\nFROM ranged".replace("--\nFROM ranged", "")
        val plan = explained(query)
        assert(plan.contains("One task: ") && plan.contains(why), plan)
        assertEquals(cuts(inOurs(sql(query)).plan).size, 0)
      }
    }

  test("the number of ranges is a setting, and shown by EXPLAIN and by metrics") {
    view()
    val query =
      "SELECT id, approx_quantile(v, 0.5) OVER (ORDER BY id ROWS BETWEEN 9 PRECEDING AND 2 FOLLOWING) AS q FROM ranged"
    assert(explained(query).contains("One task: its input is small"))
    withConf(
      SlidingConf.Ranges -> "1"
    )(assert(explained(query).contains(s"One task: ${SlidingConf.Ranges} is 1")))
    withConf(SlidingConf.Ranges -> "4") {
      val plan = explained(query)
      Seq("SketchRanges", "Ranges: 4", "Halo: 9 rows before, 2 rows after").foreach(t =>
        assert(plan.contains(t), plan)
      )
    }
    val cut = cuts(inRanges(4, query).plan).head
    assertEquals((cut.metrics("ranges").value, cut.metrics("haloRows").value), (4L, 3L * (9 + 2)))
    assert(explained(query.replace(
      "OVER (",
      "OVER (PARTITION BY i "
    )).linesIterator.forall(!_.startsWith("One task")))
    val refused = intercept[Exception](sql(s"SET ${SlidingConf.Ranges}=-1"))
    assert(refused.getMessage.contains(SlidingConf.Ranges), refused.getMessage)
  }
}

object RangesSuite {
  val reads = new java.util.concurrent.atomic.AtomicInteger
}
