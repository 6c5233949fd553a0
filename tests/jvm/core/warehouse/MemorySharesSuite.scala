package chronosketch.warehouse

import chronosketch.Suite

/** Tests that the shares of all runs and live batches that can exist at once fit in the memory. */
class MemorySharesSuite extends Suite {

  /** The greatest number of runs after any of the steps, including one whose merge is pending. */
  private def maxRuns(steps: Int, kappa: Int): Int = {
    var levels = Vector.empty[Int]
    var most = 0
    (1 to steps).foreach { _ =>
      levels :+= 0
      most = math.max(most, levels.size)
      var due = Levels.nextMerge(levels, kappa)
      while (due.nonEmpty) {
        val (places, level) = due.get
        levels = levels.patch(places.head, Seq(level), places.size)
        most = math.max(most, levels.size)
        due = Levels.nextMerge(levels, kappa)
      }
    }
    most
  }

  test("runs is the greatest number of runs that the levels allow") {
    for (kappa <- Seq(1, 2, 3, 10); steps <- Seq(1, 2, 3, 4, 10, 11, 12, 99, 500)) {
      val (found, counted) = (MemoryShares(1 << 20, steps.toLong, kappa).runs, maxRuns(steps, kappa).toLong)
      assert(
        counted <= found && found <= counted + 1,
        s"$steps steps, kappa $kappa: $found where $counted stand"
      )
    }
  }

  test("the shares of all runs are at most half of the memory, and nearly that") {
    for (bytes <- Seq(100000L, 1L << 28, 1L << 50); steps <- Seq(1L, 100L, 10000L, Long.MaxValue)) {
      val shares = MemoryShares(bytes, steps, 10)
      val all = (1 to shares.runs.toInt).map(shares.bytesOfRun).sum
      assert(all <= bytes / 2 && all > 0.499 * bytes - shares.runs, s"$all of $bytes")
    }
    // very many runs do not overflow
    assert(MemoryShares(1L << 40, Long.MaxValue, 1 << 20).bytesOfRun(1) > 0)
    // the number in docs/warehouse.md
    assertEquals(MemoryShares(256L << 20, 10000, 10).runs, 37L)
    assertEquals(MemoryShares(256L << 20, 1000, 10).runs, 28L)
  }

  test("with the least memory, the last run has enough for a group") {
    for (steps <- Seq(1L, 9L, 10000L); kappa <- Seq(1, 10)) {
      val least = MemoryShares.minBytes(steps, kappa)
      val shares = MemoryShares(least, steps, kappa)
      assert(
        shares.bytesOfRun(shares.runs.toInt) >= 249 && shares.bytesOfRun(shares.runs.toInt) <= 260,
        shares.toString
      )
    }
  }

  test("live batches get equal shares of at most half of the memory, and at least a quarter together") {
    val shares = MemoryShares(1L << 30, 100, 10)
    (1 to 5000).foreach { n =>
      val all = n * shares.bytesOfLive(n)
      assert(all <= (1L << 29) && all >= (1L << 28) - n, s"$n batches take $all")
      assert(shares.bytesOfLive(n + 1) <= shares.bytesOfLive(n))
    }
    assertEquals(Seq(1, 2, 3, 4, 5).map(shares.bytesOfLive), Seq(29, 28, 27, 27, 26).map(1L << _))
    assert(shares.bytesOfLive(Int.MaxValue) == 0)
  }

  test("merging never increases a run's position, so that shares still fit") {
    for (kappa <- Seq(1, 2, 10); steps <- Seq(40, 333)) {
      val shares = MemoryShares(1L << 30, steps.toLong, kappa)
      var runs = Vector.empty[(Int, Long)] // level, share
      (1 to steps).foreach { _ =>
        runs :+= (0 -> shares.bytesOfRun(runs.size + 1))
        assert(runs.map(_._2).sum <= (1L << 29))
        var due = Levels.nextMerge(runs.map(_._1), kappa)
        while (due.nonEmpty) {
          val (places, level) = due.get
          runs = runs.patch(places.head, Seq(level -> shares.bytesOfRun(places.head + 1)), places.size)
          assert(runs.map(_._2).sum <= (1L << 29))
          due = Levels.nextMerge(runs.map(_._1), kappa)
        }
      }
    }
  }
}
