package chronosketch.bucketing

import java.util.SplittableRandom

import chronosketch.Suite

/** Tests that rows are sorted by position, whatever their order was. */
class RowBlockSuite extends Suite {
  private type Position = (Long, Long)

  private def block(rows: Seq[Position]): RowBlock = {
    val block = new RowBlock
    rows.foreach { case (time, key) =>
      if (block.isFull) block.grow()
      block.add(time, key)
    }
    block
  }

  private def assertSorted(rows: Seq[Position], what: String): Unit = {
    val sorted = block(rows)
    sorted.sort()
    val found = (0 until sorted.size).map(i => (sorted.times(i), sorted.keys(i)))
    val wanted = rows.map { case (time, key) => (time, Tie.of(key)) }.sorted.map { case (time, tie) =>
      (time, Tie.key(tie))
    }
    assertEquals(found, wanted.toIndexedSeq, what)
  }

  /** Runs of rows sorted by time; run i begins at time `from(i)`. */
  private def runs(from: Seq[Long], length: Int, random: SplittableRandom): Seq[Position] =
    from.flatMap(start => (0 until length).map(i => (start + i / 3, random.nextLong(5))))

  test("few and many sorted runs that are disjoint, adjacent or overlapping") {
    val random = new SplittableRandom(4)
    val length = 30 // rows at ten different times
    for (n <- Seq(1, 2, 3, 15, 16, 17, 40); step <- Seq(0L, 1L, 9L, 10L, 100L); turn <- 0 until 4) {
      val starts = new scala.util.Random(turn.toLong)
        .shuffle((0 until n).map(_ * step - 50))
      assertSorted(runs(starts, length, random), s"$n runs, $step apart, turn $turn")
    }
  }

  test("extreme times, one row, no rows") {
    assertSorted(Nil, "no row")
    assertSorted(Seq((5L, 5L)), "one row")
    assertSorted(Seq((Long.MaxValue, 1L), (Long.MinValue, 2L), (0L, 3L), (Long.MinValue, 1L)), "the ends")
  }

  test("reserve doubles the capacity until the rows fit or the limit is reached") {
    for (more <- Seq(1, 15, 16, 17, 100, 5000); limit <- Seq(0L, 16L, 17L, 1000L, 1L << 40)) {
      val rows = new RowBlock
      rows.reserve(more, limit)
      var expected = RowBlock.MinCapacity
      while (expected < more && expected < limit) expected *= 2
      assertEquals(rows.room, expected, s"$more more, up to $limit")
    }
  }
}
