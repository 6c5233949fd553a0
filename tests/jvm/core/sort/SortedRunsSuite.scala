package chronosketch.sort

import java.util.{Arrays, SplittableRandom}

import chronosketch.Suite

class SortedRunsSuite extends Suite {
  SortInputs.all.foreach { case (name, input) =>
    test(s"runs of any length and unsorted keys are sorted like by the JDK: $name") {
      val together = new SortedRuns // the same for all cases, so that its memory is used again
      for (runs <- Seq(0, 1, 2, 3, 8, 9, 40); n <- Seq(0, 1, 23, 24, 25, 300); loose <- Seq(0, 1, 50, 3000)) {
        val random = new SplittableRandom(runs.toLong * n + loose)
        val parts = Seq.fill(runs)(Array.tabulate(random.nextInt(n + 1))(input(random, _)))
        parts.foreach(Arrays.sort(_))
        val others = Array.tabulate(loose)(input(random, _))
        val (before, after) = parts.splitAt(random.nextInt(runs + 1))
        before.foreach(together.add)
        System.arraycopy(others, 0, together.reserve(loose), together.looseFrom, loose)
        together.addLoose(loose)
        after.foreach(together.add)
        val expected = (parts.flatten ++ others).toArray.sorted
        assertEquals(together.size, expected.length)
        assert(
          Arrays.equals(Arrays.copyOf(together.inOrder(), together.size), expected),
          s"$runs, $n, $loose"
        )
        assertEquals(together.size, expected.length)
        together.clear()
        assertEquals(together.size, 0)
      }
    }
  }
}
