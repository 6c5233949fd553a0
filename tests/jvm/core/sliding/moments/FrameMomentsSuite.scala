package chronosketch.sliding.moments

import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.sliding.{ColumnGen, Frames}
import chronosketch.sliding.moments.Statistic._

class FrameMomentsSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(40))

  private val all: Array[Statistic] =
    Array(VariancePop, VarianceSamp, StddevPop, StddevSamp, Skewness, Kurtosis, Squares)
  private val moments = new FrameMoments // one for all runs: nothing may remain from the last
  private val answers = all.map(_ => new Answers)
  private val alone = new Answers

  private def answer(statistic: Statistic, row: Int): (Int, Double) = {
    val answer = answers(all.indexOf(statistic))
    (answer.outcomes(row).toInt, answer.values(row))
  }

  private def expect(statistic: Statistic, row: Int, outcome: Int): Unit =
    assertEquals(answer(statistic, row)._1, outcome, s"$statistic of row $row")

  private def expect(statistic: Statistic, row: Int, value: Double, allowed: Double): Unit = {
    expect(statistic, row, Answers.Value)
    val (_, found) = answer(statistic, row)
    assert(math.abs(found - value) <= allowed, s"$statistic of row $row: $found, not $value within $allowed")
  }

  private def same(a: Double, b: Double): Unit = assert(a == b || a.isNaN && b.isNaN, s"$a, $b")

  private def expectNaN(statistic: Statistic, row: Int): Unit = {
    expect(statistic, row, Answers.Value)
    assert(answer(statistic, row)._2.isNaN)
  }

  private def check(seen: Seq[Double], row: Int): Unit =
    if (seen.exists(x => x.isNaN || x.isInfinite)) {
      Seq(VariancePop, StddevPop, Skewness, Kurtosis, Squares).foreach(expectNaN(_, row))
      if (seen.length > 1) Seq(VarianceSamp, StddevSamp).foreach(expectNaN(_, row))
    } else if (ExactMoments.isHuge(seen)) {
      Seq(VariancePop, StddevPop, VarianceSamp, StddevSamp, Squares).foreach { statistic =>
        expect(statistic, row, Answers.Value)
        val value = answer(statistic, row)._2
        assert(value.isNaN || value == Double.PositiveInfinity)
      }
      Seq(Skewness, Kurtosis).foreach(expectNaN(_, row))
    } else {
      val e = ExactMoments.ofOne(seen)
      val n = e.n.toDouble
      expect(Squares, row, e.mx, e.allowed2 + e.few * e.mx)
      expect(VariancePop, row, e.mx / n, (e.allowed2 + e.few * e.mx) / n)
      val stddev = math.sqrt(e.mx / n)
      expect(StddevPop, row, stddev, (e.share2 + e.few) * stddev)
      if (e.n > 1) {
        expect(VarianceSamp, row, e.mx / (n - 1), (e.allowed2 + e.few * e.mx) / (n - 1))
        val stddev = math.sqrt(e.mx / (n - 1))
        expect(StddevSamp, row, stddev, (e.share2 + e.few) * stddev)
      }
      if (e.rangeX == 0) Seq(Skewness, Kurtosis).foreach(expect(_, row, Answers.Undefined))
      else {
        // the divisor's relative error, times the power of M2 in it, plus a margin for second-order terms
        val skewness = math.sqrt(n) * e.ofX(3) / math.pow(e.mx, 1.5)
        val allowed3 = math.sqrt(n) * e.allowed3 / math.pow(e.mx, 1.5)
        expect(Skewness, row, skewness, (allowed3 + (1.5 * e.share2 + e.few) * math.abs(skewness)) * 1.01)
        val ratio = n * e.ofX(4) / (e.mx * e.mx)
        val allowed4 = n * e.allowed4 / (e.mx * e.mx)
        expect(Kurtosis, row, ratio - 3, (allowed4 + (2 * e.share2 + e.few) * ratio) * 1.01 + e.few)
      }
    }

  property("within the bounds of the card; NaN, infinities and overflow in their own rows alone") {
    forAllNoShrink(ColumnGen.ofDoubles) { case (frames, values) =>
      moments.slide(values, frames, all, answers)
      (0 until frames.rows).foreach { row =>
        val seen = values.slice(frames.from(row), frames.until(row)).toSeq
        if (seen.isEmpty) all.foreach(expect(_, row, Answers.Null))
        else {
          if (seen.length == 1) Seq(VarianceSamp, StddevSamp).foreach(expect(_, row, Answers.Undefined))
          check(seen, row)
        }
      }
    }
  }

  property("a statistic answers the same alone and among others") {
    forAllNoShrink(ColumnGen.ofDoubles) { case (frames, values) =>
      moments.slide(values, frames, all, answers)
      all.foreach { statistic =>
        moments.slide(values, frames, Array(statistic), Array(alone))
        (0 until frames.rows).foreach { row =>
          assertEquals(alone.outcomes(row).toInt, answer(statistic, row)._1)
          if (alone.outcomes(row) == Answers.Value) same(alone.values(row), answer(statistic, row)._2)
        }
      }
    }
  }

  private def whole(values: Double*): Unit =
    moments.slide(values.toArray, new Frames(Array(0), Array(values.length), 1), all, answers)

  test("answers equal Spark's, and are missing for the same reasons") {
    whole(-10, -20, 100, 1000)
    expect(Skewness, 0, 1.1135657469022011, 1e-15)
    expect(Kurtosis, 0, -0.7014368047529618, 1e-15)
    whole(1, 2, 3)
    expect(VariancePop, 0, 0.6666666666666666, 0)
    expect(VarianceSamp, 0, 1.0, 0)
    expect(Squares, 0, 2.0, 0)
    whole(1e-200, 0)
    expect(Kurtosis, 0, Answers.Undefined) // the square of the distance rounds to 0
    whole(1e-100, 0)
    expect(Kurtosis, 0, Answers.DivisionByZero)
    whole(1e-60, 0)
    expect(Kurtosis, 0, -2.0, 1e-15)
    expect(Skewness, 0, Answers.DivisionByZero)
  }
}
