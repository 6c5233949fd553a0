package chronosketch.sliding.order

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.sliding.{FrameGen, Frames, KeyGen}

class ModeSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(400))

  private def mostFrequent(seen: Array[Long]): Long =
    seen.groupBy(identity).iterator.map { case (key, all) => (-all.length, key) }.min._2

  private def check(sliding: Mode, keys: Array[Long], frames: Frames, every: Int): Unit = {
    val out = new Array[Long](frames.rows)
    sliding.slide(keys, frames, out)
    (0 until frames.rows by every).foreach { row =>
      val seen = keys.slice(frames.from(row), frames.until(row))
      if (seen.nonEmpty) assertEquals(out(row), mostFrequent(seen), s"row $row")
    }
  }

  private val runs: Gen[List[(Frames, Array[Long])]] = Gen
    .choose(1, 4)
    .flatMap(
      Gen.listOfN(
        _,
        FrameGen.frames.flatMap { case (frames, n) => KeyGen.keys(n).map(keys => (frames, keys)) }
      )
    )

  property("the mode equals that of counting each frame anew") {
    forAllNoShrink(runs) { runs =>
      val sliding = new Mode
      runs.foreach { case (frames, keys) => check(sliding, keys, frames, every = 1) }
    }
  }

  for (distinct <- Seq(3, 1000, 1000000)) test(s"a long run of $distinct keys") {
    val rows = 50000
    val random = new SplittableRandom(distinct.toLong)
    val keys = Array.fill(rows)(random.nextInt(distinct).toLong)
    def frames(width: Int) =
      new Frames(Array.tabulate(rows)(i => math.max(0, i + 1 - width)), Array.tabulate(rows)(_ + 1), rows)
    val sliding = new Mode
    Seq(100, 3000, rows).foreach(width => check(sliding, keys, frames(width), every = 499))
  }
}
