package chronosketch.sliding.moments

import java.math.{BigDecimal => Exact}

import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.sliding.{ColumnGen, Frames}

class DoubleSumsSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(500))

  private val sums = new DoubleSums // one for all runs: nothing may remain from the last
  private val u = new Exact(math.pow(2, -53))

  property("the documented error bound holds; NaN and infinities give what adding them gives") {
    forAllNoShrink(ColumnGen.ofDoubles) { case (frames, values) =>
      val out = new Array[Double](frames.rows)
      sums.slide(values, frames, out)
      (0 until frames.rows).foreach { row =>
        val seen = values.slice(frames.from(row), frames.until(row))
        val plain = seen.sum
        if (plain.isNaN) assert(out(row).isNaN)
        else if (plain.isInfinite) assertEquals(out(row), plain)
        else {
          val exact = seen.map(new Exact(_)).foldLeft(Exact.ZERO)(_.add(_))
          val size = seen.map(x => new Exact(math.abs(x))).foldLeft(Exact.ZERO)(_.add(_))
          val nu = u.multiply(new Exact(seen.length))
          val bound = u.multiply(exact.abs).add(nu.multiply(nu).multiply(size).multiply(new Exact(2)))
          assert(
            new Exact(out(row)).subtract(exact).abs.compareTo(bound) <= 0,
            s"row $row: ${out(row)}, not $exact"
          )
          if (exact.signum == 0 && size.signum == 0) assertEquals(1 / out(row), Double.PositiveInfinity)
        }
      }
    }
  }

  test("equal frames have equal sums, wherever they are") {
    val values = Array.tabulate(1000)(i => (i % 3 + 1) * 0.1)
    val frames = new Frames(Array.tabulate(998)(identity), Array.tabulate(998)(_ + 3), 998)
    val out = new Array[Double](998)
    sums.slide(values, frames, out)
    assertEquals(out.toSet, Set(0.6000000000000001))
  }
}
