package chronosketch.sliding.fold

import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.sliding.ColumnGen

class FrameExtremesSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(500))

  private val extremes = new FrameExtremes // one for all runs: nothing may remain from the last

  property("the least and the greatest key of every frame, and the newest element that has it") {
    forAllNoShrink(ColumnGen.ofLongs) { case (frames, keys) =>
      val least, greatest = new Array[Long](frames.rows)
      val leastAt, greatestAt = new Array[Int](frames.rows)
      extremes.least(keys, frames, least)
      extremes.greatestAt(keys, frames, greatestAt)
      extremes.greatest(keys, frames, greatest)
      extremes.leastAt(keys, frames, leastAt)
      ColumnGen.rows(frames).foreach { row =>
        val seen = frames.from(row) until frames.until(row)
        assertEquals(least(row), seen.map(keys(_)).min)
        assertEquals(greatest(row), seen.map(keys(_)).max)
        assertEquals(leastAt(row), seen.filter(keys(_) == least(row)).last)
        assertEquals(greatestAt(row), seen.filter(keys(_) == greatest(row)).last)
      }
    }
  }
}
