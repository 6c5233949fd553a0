package chronosketch.sliding

import org.scalacheck.Prop._

import chronosketch.Cases
import chronosketch.sliding.fold.Extremes

class ExtremesSuite extends munit.ScalaCheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(500))

  private val extremes = new Extremes // one for all runs: nothing is left of the last

  property("the least and the greatest key, and the newest element that has it") {
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
