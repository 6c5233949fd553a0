package chronosketch.sliding.order

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.sliding.{FrameGen, Frames, KeyGen}

class DistinctCountSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(400))

  private def check(sliding: DistinctCount, keys: Array[Long], frames: Frames, every: Int): Unit = {
    // results of an earlier run must not remain
    val out = Array.fill(frames.rows)(-1L)
    sliding.slide(keys, frames, out)
    (0 until frames.rows by every).foreach { row =>
      assertEquals(
        out(row),
        keys.slice(frames.from(row), frames.until(row)).distinct.length.toLong,
        s"row $row"
      )
    }
  }

  property("counts equal those of counting each frame anew, also for empty frames") {
    val runs = Gen.listOf(FrameGen.frames.flatMap { case (frames, n) =>
      KeyGen.keys(n).map(keys => (frames, keys))
    })
    forAllNoShrink(runs) { runs =>
      val sliding = new DistinctCount
      runs.foreach { case (frames, keys) => check(sliding, keys, frames, every = 1) }
    }
  }

  for (distinct <- Seq(1, 300, 1000000)) test(s"a long run of $distinct keys") {
    val rows = 40000
    val random = new SplittableRandom(distinct.toLong)
    val keys = Array.fill(rows)(random.nextInt(distinct).toLong)
    val sliding = new DistinctCount
    Seq(1, 90, 5000, rows).foreach { width =>
      val from = Array.tabulate(rows)(i => math.max(0, i + 1 - width))
      check(sliding, keys, new Frames(from, Array.tabulate(rows)(_ + 1), rows), every = 499)
    }
  }
}
