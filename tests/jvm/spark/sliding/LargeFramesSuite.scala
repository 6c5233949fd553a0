package chronosketch.spark.sliding

import org.apache.spark.sql.Row

import chronosketch.Cases

/** Tests frames with more rows than the limit for exact answers. Compares them with the values of each frame, and with exact answers of
  * [[chronosketch.spark.sliding.task.SlidingWindow]].
  */
class LargeFramesSuite extends SlidingSuite {
  private def withExactRows[A](rows: Int)(body: => A): A =
    withConf(SlidingConf.ExactFrameRows -> rows.toString)(body)

  private val values = Seq(
    "uniform" -> "rand(3)",
    "sorted" -> "CAST(id AS DOUBLE)",
    "reversed" -> "CAST(-id AS DOUBLE)",
    "all equal" -> "7D",
    "two-valued" -> "CAST(pmod(hash(id), 2) AS DOUBLE)",
    "zigzag" -> "IF(id % 2 = 0, CAST(id AS DOUBLE), CAST(-id AS DOUBLE))",
    "specials" -> "CASE pmod(hash(id, 8), 5) WHEN 0 THEN double('NaN') WHEN 1 THEN double('-Infinity') WHEN 2 THEN -0.0D WHEN 3 THEN NULL ELSE rand(5) END"
  )

  private def view(value: String, rows: Int): Unit = {
    spark.range(0, rows.toLong, 1, 2).selectExpr(
      "id",
      "pmod(hash(id, 1), 3) AS k",
      s"$value AS v",
      s"IF(pmod(hash(id, 6), 40) = 0, NULL, pmod(hash(id, 7), $rows)) AS t"
    ).createOrReplaceTempView("drawn")
    spark.table("drawn").localCheckpoint().createOrReplaceTempView("far")
  }

  private val frames = Seq(
    "ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ORDER BY id ROWS BETWEEN 130 PRECEDING AND CURRENT ROW",
    "ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ORDER BY id ROWS BETWEEN 100 FOLLOWING AND 230 FOLLOWING",
    "ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "ORDER BY t RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ORDER BY t DESC RANGE BETWEEN 1000 PRECEDING AND 300 FOLLOWING",
    "ORDER BY t NULLS LAST RANGE BETWEEN 350 PRECEDING AND CURRENT ROW",
    "ORDER BY t RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
  )

  private val phis = Seq("0", "0.1", "0.5", "0.99", "1")

  private def less(a: Double, b: Double): Boolean = java.lang.Double.compare(a, b) < 0

  /** Compares the answers of a row with the values of its frame. */
  private def check(
      row: Row,
      seen: Array[Double],
      exactRows: Long,
      frameRows: Long,
      clue: => String
  ): Unit = {
    val sorted = seen.map(v => if (v == 0.0) 0.0 else v).sorted(Ordering.Double.TotalOrdering)
    if (sorted.isEmpty) assert(row.isNullAt(0) && row.isNullAt(1), clue)
    else phis.indices.foreach { q =>
      val rank = math.max(1, math.ceil(BigDecimal(phis(q)).*(sorted.length).toDouble).toInt)
      val answer = row.getSeq[Double](0)(q)
      val bounds = row.getSeq[Row](1)(q)
      val exact = sorted(rank - 1)
      assert(
        !less(exact, bounds.getDouble(0)) && !less(bounds.getDouble(1), exact),
        s"$bounds, $exact: $clue"
      )
      val below = sorted.count(less(_, answer))
      val atMost = sorted.count(!less(answer, _))
      val off = math.max(0, math.max(rank - atMost, below + 1 - rank))
      assert(off <= 0.1 * sorted.length, s"$off ranks off at ${phis(q)} of ${sorted.length}: $clue")
      if (frameRows <= exactRows) assertEquals(s"$answer $bounds", s"$exact [$exact,$exact]", clue)
    }
  }

  private val asked = s"array(${phis.mkString(", ")}), 0.1"

  for ((name, value) <- Cases.some(4, values))
    test(s"answers are within epsilon, and bounds enclose the exact quantile: $name") {
      view(value, 900)
      for ((frame, i) <- frames.zipWithIndex; limit = i % 2 * 100) {
        val over = s"OVER (PARTITION BY k $frame)"
        val query =
          s"SELECT approx_quantile(v, $asked) $over, approx_quantile_bounds(v, $asked) $over, collect_list(v) $over, count(*) $over FROM far"
        withExactRows(limit) {
          val answers = inOurs(sql(query))
          assert(answers.metric("certifiedRows") > 0, frame)
          answers.rows.foreach { row =>
            check(
              row,
              row.getSeq[Double](2).toArray,
              math.max(limit.toLong, 20L),
              row.getLong(3),
              s"$row, $frame"
            )
          }
        }
      }
    }

  test("exact functions in the same query keep their answers, with frames of every size") {
    view("rand(3)", 3000)
    val exact = Seq("percentile(v, 0.3)", "max(id)", "count(v)", "max_by(id, v)", "mode(id % 7)")
    val functions = exact.zip(frames.drop(1)).map { case (f, frame) => s"$f OVER (PARTITION BY k $frame)" }
    val certified = frames.map(frame => s"approx_quantile(v, 0.5, 0.1) OVER (PARTITION BY k $frame)")
    withConf(SlidingConf.Accelerate -> "all") {
      val alone = inOurs(sql(s"SELECT id, ${functions.mkString(", ")} FROM far"))
      val query = s"SELECT id, ${(functions ++ certified).mkString(", ")} FROM far"
      val together = withExactRows(50)(inOurs(sql(query)))
      assert(together.metric("certifiedRows") > 0)
      val kept = together.rows.map(row => Row.fromSeq(row.toSeq.take(1 + functions.size)))
      assertEquals(kept.map(_.toString).sorted, alone.rows.map(_.toString).sorted)
    }
  }

  test("answers depend neither on the partitions nor on other functions in the query") {
    view("rand(3)", 3000)
    val functions = frames.zipWithIndex.map { case (f, i) =>
      s"approx_quantile(v, 0.5, 0.1) OVER (PARTITION BY k $f) AS q$i"
    }
    withExactRows(60) {
      val all =
        inOurs(sql(s"SELECT id, ${functions.mkString(", ")} FROM far")).rows.map(r => r.getLong(0) -> r).toMap
      functions.indices.foreach { i =>
        for (partitions <- Cases.turn(i, Seq("1", "5"))) withConf(
          "spark.sql.shuffle.partitions" -> partitions
        ) {
          inOurs(sql(s"SELECT id, ${functions(i)} FROM far")).rows.foreach { r =>
            assertEquals(r.get(1), all(r.getLong(0)).get(1 + i), functions(i))
          }
        }
      }
    }
  }

  test("more rows than the log keeps in memory") {
    spark.range(0, 150000, 1, 2).selectExpr(
      "id",
      "CAST(pmod(hash(id), 100000) AS BIGINT) AS v",
      "id div 2 AS t"
    ).createOrReplaceTempView("long")
    def ranks(frame: String, low: Long => Long, high: Long => Long): Unit = withExactRows(1000) {
      val answers = withConf("spark.sql.shuffle.partitions" -> "1")(inOurs(
        sql(s"SELECT id, approx_quantile(v, 0.5, 0.01) OVER (ORDER BY $frame) AS q FROM long")
      ))
      assert(answers.metric("certifiedRows") > 50000, answers.metric("certifiedRows"))
      assert(answers.metric("spillSize") > 0)
      val values = sql("SELECT id, v FROM long ORDER BY id").collect().map(_.getLong(1))
      answers.rows.filter(_.getLong(0) % 9973 == 0).foreach { r =>
        val id = r.getLong(0)
        val seen = values.slice(math.max(0, low(id)).toInt, math.min(values.length.toLong, high(id)).toInt)
        val rank = math.max(1, (seen.length + 1) / 2)
        val q = r.getLong(1)
        val off = math.max(rank - seen.count(_ <= q), seen.count(_ < q) + 1 - rank)
        assert(off <= 0.01 * seen.length, s"$id: $off of ${seen.length}, $frame")
      }
    }
    ranks("id ROWS UNBOUNDED PRECEDING", _ => 0, _ + 1)
    ranks("id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", identity, _ => 150000)
    ranks("id ROWS BETWEEN 69999 PRECEDING AND 5 FOLLOWING", _ - 69999, _ + 6)
    ranks("t RANGE BETWEEN 30000 PRECEDING AND CURRENT ROW", id => (id / 2 - 30000) * 2, id => id / 2 * 2 + 2)
  }

  test("EXPLAIN shows the structure for large frames") {
    view("rand(3)", 100)
    def structure(frame: String, function: String = "approx_quantile(v, 0.5)"): String = {
      val text =
        sql(s"EXPLAIN FORMATTED SELECT $function OVER (PARTITION BY k $frame) FROM far").head().getString(0)
      unpredicted(text.linesIterator.find(_.startsWith("Structure: ")).get.drop(11))
    }
    assertEquals(structure(frames(0)), "block sort, Greenwald–Khanna beyond 10000000 rows")
    assertEquals(structure(frames(6)), "block sort, Arasu–Manku beyond 10000000 rows")
    assertEquals(structure(frames(1)), "block sort")
    withExactRows(100)(assertEquals(structure(frames(1)), "block sort"))
    withExactRows(100)(assertEquals(
      structure(frames(1), "approx_quantile(v, 0.5, 0.1)"),
      "block sort, Arasu–Manku beyond 100 rows"
    ))
    withExactRows(100)(assertEquals(structure(frames(1), "approx_quantile(v, 0.5, 0)"), "block sort"))
  }

  for (
    (structure, i) <-
      Seq(
        "greenwald_khanna",
        "arasu_manku",
        "arasu_manku_variable",
        "cmqs",
        "block_sort",
        "two_stacks"
      ).zipWithIndex
  )
    test(s"a structure chosen by name: $structure") {
      view("rand(3)", 900)
      withConf(SlidingConf.Structure -> structure) {
        for ((frame, j) <- frames.zipWithIndex if Cases.isTurn(i + j, 2)) {
          val over = s"OVER (PARTITION BY k $frame)"
          val answers = inOurs(
            sql(
              s"SELECT approx_quantile(v, $asked) $over, approx_quantile_bounds(v, $asked) $over, collect_list(v) $over, count(*) $over FROM far"
            )
          )
          assertEquals(
            answers.metric("certifiedRows") > 0,
            structure != "block_sort" && structure != "two_stacks" && !(structure == "greenwald_khanna" && !frame.contains(
              "UNBOUNDED PRECEDING"
            )),
            frame
          )
          answers.rows.foreach(row =>
            check(row, row.getSeq[Double](2).toArray, 20L, row.getLong(3), s"$row, $frame")
          )
        }
      }
    }

  for (structure <- Seq("expiration_list", "bernoulli", "priority", "bounded_priority"))
    test(s"a sample chosen by name, over frames that are larger than it: $structure") {
      view("IF(id % 9 = 0, NULL, pow(rand(3), 3))", 4000)
      val isExact = structure == "expiration_list"
      withConf(SlidingConf.Structure -> structure, SlidingConf.Delta -> "0.001", SlidingConf.Seed -> "5") {
        val drawn = sql("SELECT v FROM far ORDER BY id").collect()
        for (
          (frame, back, on) <- Seq(
            ("1500 PRECEDING AND CURRENT ROW", 1500, 0),
            ("UNBOUNDED PRECEDING AND 10 FOLLOWING", drawn.length, 10)
          )
        ) {
          // for ε = 0.2 the sample has 100·ln(10⁴) = 922 rows
          val over = s"OVER (ORDER BY id ROWS BETWEEN $frame)"
          val query = s"SELECT id, approx_quantile(v, 0.7, 0.2) $over FROM far"
          val answers = inOurs(sql(query))
          assert(answers.metric("certifiedRows") > 2000)
          var inexact = 0
          answers.rows.foreach { row =>
            val at = row.getLong(0).toInt
            val seen = drawn.slice(at - back, at + on + 1).filterNot(_.isNullAt(0)).map(_.getDouble(0))
            val rank = math.ceil(BigDecimal("0.7").*(seen.length).toDouble).toInt
            if (seen.isEmpty) assert(row.isNullAt(1))
            else {
              val (below, atMost) = (seen.count(_ < row.getDouble(1)), seen.count(_ <= row.getDouble(1)))
              val off = math.max(0, math.max(rank - atMost, below + 1 - rank))
              assert(off <= 0.2 * seen.length, s"$off of ${seen.length}, $frame")
              if (off > 0) inexact += 1
            }
          }
          if (!isExact) assert(inexact > 100, s"$inexact of $frame")
          // the same seed gives the same answer
          assertEquals(sql(query).collect().map(_.get(1)).toSeq, answers.rows.map(_.get(1)))
        }
      }
    }

  test("a structure that cannot serve a frame or a function: EXPLAIN says why") {
    view("rand(3)", 100)
    def structure(name: String, function: String, frame: String): String =
      withConf(SlidingConf.Structure -> name, SlidingConf.Accelerate -> "all") {
        val text =
          sql(s"EXPLAIN FORMATTED SELECT $function OVER (PARTITION BY k $frame) FROM far").head().getString(0)
        unpredicted(text.linesIterator.find(_.startsWith("Structure: ")).get.drop(11))
      }
    val q = "approx_quantile(v, 0.5, 0.1)"
    assertEquals(structure("cmqs", q, frames(1)), "block sort, CMQS beyond 20 rows")
    assertEquals(structure("Block_Sort", q, frames(0)), "block sort")
    assertEquals(
      structure("cmqs", "approx_quantile(v, 0.5, 0)", frames(1)),
      "block sort (not cmqs: epsilon is 0)"
    )
    assertEquals(
      structure("greenwald_khanna", q, frames(6)),
      "block sort, CMQS beyond 10000000 rows (not greenwald_khanna: it needs a frame that only grows)"
    )
    assertEquals(
      structure("cmqs", "quantile_sketch_agg(v)", frames(1)),
      "key counts (not cmqs: it only answers quantiles)"
    )
    assertEquals(structure("daba", q, frames(1)), "block sort (not daba: it can't answer quantiles)")
    assertEquals(
      structure("priority", q, frames(0)),
      "block sort, priority sample beyond 4883 rows"
    )
    assertEquals(
      structure("priority", "approx_quantile_bounds(v, 0.5, 0.1)", frames(0)),
      "block sort, Greenwald–Khanna beyond 10000000 rows (not priority: a sample can't give certain bounds)"
    )
    assertEquals(
      structure("bernoulli", "approx_quantile(v, 0.5)", frames(0)),
      "block sort, Greenwald–Khanna beyond 10000000 rows (not bernoulli: this epsilon and delta need a sample of 7645531170 rows)"
    )
    assertEquals(
      structure("biased_reservoir", q, frames(1)),
      "block sort (not biased_reservoir: it prefers newer rows)"
    )
    assertEquals(structure("expiration_list", q, frames(1)), "block sort, expiration list beyond 20 rows")
    assertEquals(structure("cmqs", "max(v)", frames(1)), "extremes (not cmqs: it only answers quantiles)")
    assertEquals(structure("auto", "max(v)", frames(1)), "extremes")
    assertEquals(structure("block_sort", "percentile(v, 0.5)", frames(1)), "block sort")
    intercept[IllegalArgumentException](spark.conf.set(SlidingConf.Structure, "kll"))
  }
}
