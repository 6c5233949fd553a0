package chronosketch.sliding.fold

import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.sliding.ColumnGen

class BitsSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(500))

  private val bits = new Bits // one for all runs: nothing may remain from the last

  property("AND, OR and XOR of every frame equal those of its elements") {
    forAllNoShrink(ColumnGen.ofLongs) { case (frames, values) =>
      val and, or, xor = new Array[Long](frames.rows)
      bits.and(values, frames, and)
      bits.xor(values, frames, xor)
      bits.or(values, frames, or)
      ColumnGen.rows(frames).foreach { row =>
        val seen = values.slice(frames.from(row), frames.until(row))
        assertEquals(and(row), seen.reduce(_ & _))
        assertEquals(or(row), seen.reduce(_ | _))
        assertEquals(xor(row), seen.reduce(_ ^ _))
      }
    }
  }
}
