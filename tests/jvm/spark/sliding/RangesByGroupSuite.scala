package chronosketch.spark.sliding

import chronosketch.Pairs

/** Tests that large groups can be cut into ranges without changing the answers. Tests all pairs of keys, order and number of ranges;
  * [[RangesCampaign]] tests all combinations.
  */
class RangesByGroupSuite extends SlidingSuite with RangedCases {
  private def q(keys: String, order: String, frame: String): String =
    s"SELECT *, approx_quantile(v, 0.7) OVER (PARTITION BY $keys ORDER BY $order $frame) AS q FROM grouped"

  private def rangesOf(answers: SlidingAnswers): Long = cuts(answers.plan).map(_.metrics("ranges").value).sum

  private val cases = Pairs.of(groupKeys, groupKeys.head.all, rangeCounts)
    .groupMap(_._1) { case (_, which, n) => (Seq(which), n) }

  for (windows <- groupKeys)
    test(windows.name) {
      groupedView()
      assertSameInRanges(windows, cases(windows))
    }

  test("large groups are cut in proportion to their rows; small groups and many groups are not cut") {
    groupedView()
    def ranges(keys: String, n: Int): Long =
      rangesOf(inRanges(n, q(keys, "id", "ROWS 5 PRECEDING")))
    assertEquals(ranges("id % 2", 8), 8L)
    // two groups have 70 % and 10 % of the 20 ranges; each of the others has less than one and a half
    assertEquals(ranges("skewed", 20), 14L + 2L)
    assertEquals(ranges("many", 8), 0L)
    assertEquals(ranges("id % 257", 512), 0L)
    assert(ranges("id % 256", 512) > 256L)
  }

  test("no rows, and one row") {
    // with AQE, Spark would remove a window over no rows
    withConf("spark.sql.adaptive.enabled" -> "false") {
      for (n <- Seq(0, 1)) {
        groupedView(n)
        assertSameInRanges(q("text", "id", "ROWS 5 PRECEDING"), Seq(4))
      }
    }
  }

  test("ties have the same order in a range and in its halo") {
    groupedView()
    for (ranges <- Seq(2, 9); distance <- Seq(-1, 1, -30, 30)) {
      val side = if (distance < 0) "PRECEDING" else "FOLLOWING"
      val at = s"${math.abs(distance)} $side"
      val rows = inRanges(
        ranges,
        s"SELECT id, id % 2, approx_quantile(id, 0) OVER (PARTITION BY id % 2 ORDER BY t ROWS BETWEEN $at AND $at) FROM grouped"
      ).rows
      rows.groupBy(_.getLong(1)).values.foreach { group =>
        val ids = group.map(_.getLong(0)).toIndexedSeq
        group.zipWithIndex.foreach { case (row, i) =>
          val there: Any = ids.lift(i + distance).map(Long.box).orNull
          assertEquals(row.get(2), there, s"$ranges ranges, $distance: $i")
        }
      }
    }
  }

  test("by default, groups are cut if statistics say that there are few") {
    spark.range(
      0,
      1 << 20,
      1,
      3
    ).selectExpr("id", "id % 2 AS few", "id % 1000 AS several", "pmod(hash(id), 500) AS v")
      .write.mode("overwrite").saveAsTable("few_groups")
    try {
      def query(key: String): String =
        s"SELECT sum(q), count(*) FROM (SELECT approx_quantile(v, 0.5) OVER (PARTITION BY $key ORDER BY id ROWS 10 PRECEDING) AS q FROM few_groups)"
      val settings = Seq("spark.sql.cbo.enabled" -> "true", "spark.sql.shuffle.partitions" -> "4")
      withConf(settings: _*) {
        assertEquals(cuts(inOurs(sql(query("few"))).plan).size, 0)
        sql("ANALYZE TABLE few_groups COMPUTE STATISTICS FOR COLUMNS few, several")
        val cut = inOurs(sql(query("few")))
        assertEquals(rangesOf(cut), 4L)
        assertEqual(cut, inOneTask(query("few")), "few")
        assertEquals(cuts(inOurs(sql(query("several"))).plan).size, 0)
        withConf(SlidingConf.Ranges -> "1")(assertEquals(cuts(inOurs(sql(query("few"))).plan).size, 0))
      }
    } finally sql("DROP TABLE few_groups")
  }

  test("EXPLAIN says whether groups are cut, and which other functions need whole groups") {
    groupedView()
    withConf(SlidingConf.Ranges -> "5") {
      val plan = sql(s"EXPLAIN FORMATTED ${q("text", "id", "ROWS 5 PRECEDING")}").head().getString(0)
      Seq("SketchRanges", "Partition by [1]: [text", "Ranges: 5", "Halo: 5 rows before, 0 rows after")
        .foreach(t => assert(plan.contains(t), plan))
      for (frame <- Seq("", "ROWS 5 PRECEDING")) {
        val other = if (frame.isEmpty) "" else ", row_number() OVER (PARTITION BY text ORDER BY id)"
        val query =
          s"SELECT approx_quantile(v, 0.5) OVER (PARTITION BY text ORDER BY id $frame)$other FROM grouped"
        assertEquals(cuts(inOurs(sql(query)).plan).size, 0)
      }
    }
  }
}
