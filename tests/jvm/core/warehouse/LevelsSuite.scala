package chronosketch.warehouse

import chronosketch.Suite

/** Tests which runs are left when one run comes per step and due merges are done, and which windows they allow. */
class LevelsSuite extends Suite {

  /** The (level, steps) of each run, oldest first. */
  private def after(steps: Int, kappa: Int): (Vector[(Int, Long)], Long) = {
    var runs = Vector.empty[(Int, Long)]
    var written = 0L
    (1 to steps).foreach { _ =>
      runs :+= (0 -> 1L)
      written += 1
      var due = Levels.nextMerge(runs.map(_._1), kappa)
      while (due.nonEmpty) {
        val (merged, level) = due.get
        assertEquals(merged, merged.head to merged.last, "runs of one level are neighbours")
        val together = merged.map(runs(_)._2).sum
        written += together
        runs = runs.take(merged.head) ++ ((level -> together) +: runs.drop(merged.last + 1))
        due = Levels.nextMerge(runs.map(_._1), kappa)
      }
    }
    (runs, written)
  }

  test("no level has more than kappa runs, newer runs have lower levels, and no step is lost") {
    for (kappa <- 1 to 5; steps <- Seq(1, 2, 3, 7, 30, 200)) {
      val (runs, written) = after(steps, kappa)
      assertEquals(runs.map(_._2).sum, steps.toLong)
      assertEquals(runs.map(_._1), runs.map(_._1).sorted.reverse)
      assert(runs.groupBy(_._1).values.forall(_.size <= kappa), s"kappa $kappa: $runs")
      val levels = runs.map(_._1).max + 1
      assert(
        written <= steps.toLong * levels,
        s"kappa $kappa, $steps steps: $written written, $levels levels"
      )
    }
  }

  test("the lowest level with too many runs is merged first") {
    assertEquals(Levels.nextMerge(Vector(1, 1, 0, 0), 1), Some((Seq(2, 3), 1)))
    assertEquals(Levels.nextMerge(Vector(1, 1, 0), 1), Some((Seq(0, 1), 2)))
    assertEquals(Levels.nextMerge(Vector(2, 1, 0), 1), None)
    assertEquals(Levels.nextMerge(Vector.empty, 1), None)
  }

  test("aligned windows consist of whole runs") {
    val steps = Seq(1L, 1L, 3L, 9L)
    assertEquals(StepWindows.aligned(steps), Seq(1L, 2L, 5L, 14L))
    assertEquals(StepWindows.aligned(Nil), Nil)
    assertEquals(StepWindows.split(steps, 2L), (2, false))
    assertEquals(StepWindows.split(steps, 4L), (2, true))
    assertEquals(StepWindows.split(steps, 14L), (4, false))
    assertEquals(StepWindows.split(steps, 15L), (4, false))
    assertEquals(StepWindows.split(Seq(3L), 1L), (0, true))
    assertEquals(StepWindows.split(Nil, 1L), (0, false))
  }
}
