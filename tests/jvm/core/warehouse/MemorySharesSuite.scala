package chronosketch.warehouse

/** Shares of a memory: all lines that there can be at once have room. */
class MemorySharesSuite extends munit.FunSuite {

  /** How many runs stand at worst after any of so many steps, a merge that has not happened yet beside them. */
  private def mostRuns(steps: Int, kappa: Int): Int = {
    var levels = Vector.empty[Int]
    var most = 0
    (1 to steps).foreach { _ =>
      levels :+= 0
      most = math.max(most, levels.size)
      var due = Levels.due(levels, kappa)
      while (due.nonEmpty) {
        val (places, level) = due.get
        levels = levels.patch(places.head, Seq(level), places.size)
        most = math.max(most, levels.size)
        due = Levels.due(levels, kappa)
      }
    }
    most
  }

  test("as many lines as the rule of levels leaves at worst") {
    for (kappa <- Seq(1, 2, 3, 10); steps <- Seq(1, 2, 3, 4, 10, 11, 12, 99, 500)) {
      val (found, counted) = (MemoryShares(1 << 20, steps.toLong, kappa).lines, mostRuns(steps, kappa).toLong)
      assert(
        counted <= found && found <= counted + 1,
        s"$steps steps, kappa $kappa: $found where $counted stand"
      )
    }
  }

  test("shares of all lines are no more than the memory, and as much as it has") {
    for (bytes <- Seq(100000L, 1L << 28, Long.MaxValue); steps <- Seq(1L, 10000L, Long.MaxValue)) {
      val shares = MemoryShares(bytes, steps, 10)
      assert(shares.ofLine <= bytes / (2 * shares.lines))
      assert((shares.ofLine + 1) > bytes / 2 / shares.lines)
    }
    assertEquals(MemoryShares(256L << 20, 10000, 10).lines, 37L)
    assertEquals(MemoryShares.least(10000, 10), 74000L)
  }
}
