package chronosketch.sliding.moments

import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.sliding.{ColumnGen, Frames}
import chronosketch.sliding.moments.CrossStatistic._

class CrossMomentsSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(40))

  private val all: Array[CrossStatistic] =
    Array(CovarPop, CovarSamp, Corr, RegrSlope, RegrIntercept, RegrR2, RegrSxy)
  private val moments = new CrossMoments // one for all runs: nothing may remain from the last
  private val answers = all.map(_ => new Answers)
  private val alone = new Answers

  private def answer(statistic: CrossStatistic, row: Int): (Int, Double) = {
    val answer = answers(all.indexOf(statistic))
    (answer.outcomes(row).toInt, answer.values(row))
  }

  private def expect(statistic: CrossStatistic, row: Int, outcome: Int): Unit =
    assertEquals(answer(statistic, row)._1, outcome, s"$statistic of row $row")

  private def expect(statistic: CrossStatistic, row: Int, value: Double, allowed: Double): Unit = {
    expect(statistic, row, Answers.Value)
    val (_, found) = answer(statistic, row)
    assert(math.abs(found - value) <= allowed, s"$statistic of row $row: $found, not $value within $allowed")
  }

  private def same(a: Double, b: Double): Unit = assert(a == b || a.isNaN && b.isNaN, s"$a, $b")

  private def expectNaN(statistic: CrossStatistic, row: Int): Unit = {
    expect(statistic, row, Answers.Value)
    assert(answer(statistic, row)._2.isNaN, s"$statistic of row $row")
  }

  private def isFinite(values: Seq[Double]): Boolean = !values.exists(x => x.isNaN || x.isInfinite)

  private def check(xs: Seq[Double], ys: Seq[Double], row: Int): Unit = {
    val alike = Seq(xs, ys).forall(seen => isFinite(seen) && !ExactMoments.isHuge(seen))
    if (!isFinite(xs) || !isFinite(ys)) {
      expectNaN(CovarPop, row)
      expectNaN(RegrSxy, row)
      if (xs.length > 1) Seq(CovarSamp, Corr).foreach(expectNaN(_, row))
    }
    if (!isFinite(xs)) {
      Seq(RegrSlope, RegrIntercept).foreach(expectNaN(_, row))
      if (!isFinite(ys)) expectNaN(RegrR2, row)
    }
    if (alike) check(new ExactMoments(xs, ys), row)
  }

  private def check(e: ExactMoments, row: Int): Unit = {
    val n = e.n.toDouble
    val allowedC = e.allowedC + e.few * math.abs(e.c)
    expect(RegrSxy, row, e.c, allowedC)
    expect(CovarPop, row, e.c / n, allowedC / n)
    if (e.n > 1) expect(CovarSamp, row, e.c / (n - 1), allowedC / (n - 1))
    if (e.n > 1) {
      if (e.rangeX == 0 || e.rangeY == 0) expect(Corr, row, Answers.DivisionByZero)
      else {
        val scale = math.sqrt(e.mx) * math.sqrt(e.my)
        val allowed = (allowedC / scale + e.share2) * 1.01 + e.few
        expect(Corr, row, e.c / scale, allowed)
        expect(RegrR2, row, math.pow(e.c / scale, 2), 2 * allowed + allowed * allowed)
      }
    }
    if (e.rangeX == 0) Seq(RegrSlope, RegrIntercept, RegrR2).foreach(expect(_, row, Answers.Null))
    else {
      if (e.rangeY == 0) expect(RegrR2, row, 1.0, 0)
      val slope = e.c / e.mx
      val allowed = (allowedC / e.mx + (e.share2 + e.few) * math.abs(slope)) * 1.01
      expect(RegrSlope, row, slope, allowed)
      val offset = math.abs(slope) + allowed
      expect(
        RegrIntercept,
        row,
        e.meanY - slope * e.meanX,
        e.allowedMeanY + allowed * math.abs(e.meanX) + offset * e.allowedMeanX +
          e.few * (math.abs(e.meanY) + offset * math.abs(e.meanX))
      )
    }
  }

  property("within the bounds of the card; NaN and infinities in their own rows alone") {
    forAllNoShrink(ColumnGen.ofPairs) { case (frames, xs, ys) =>
      moments.slide(xs, ys, frames, all, answers)
      (0 until frames.rows).foreach { row =>
        val (from, until) = (frames.from(row), frames.until(row))
        if (from == until) all.foreach(expect(_, row, Answers.Null))
        else {
          if (until - from == 1) Seq(CovarSamp, Corr).foreach(expect(_, row, Answers.Undefined))
          check(xs.slice(from, until).toSeq, ys.slice(from, until).toSeq, row)
        }
      }
    }
  }

  property("a statistic answers the same alone and among others") {
    forAllNoShrink(ColumnGen.ofPairs) { case (frames, xs, ys) =>
      moments.slide(xs, ys, frames, all, answers)
      all.foreach { statistic =>
        moments.slide(xs, ys, frames, Array(statistic), Array(alone))
        (0 until frames.rows).foreach { row =>
          assertEquals(alone.outcomes(row).toInt, answer(statistic, row)._1)
          if (alone.outcomes(row) == Answers.Value) same(alone.values(row), answer(statistic, row)._2)
        }
      }
    }
  }

  test("answers equal Spark's, and are missing for the same reasons") {
    def whole(pairs: (Double, Double)*): Unit = {
      val (ys, xs) = pairs.unzip // as SQL writes them: regr_slope(y, x)
      moments.slide(xs.toArray, ys.toArray, new Frames(Array(0), Array(xs.length), 1), all, answers)
    }
    whole((1, 2), (2, 3), (3, 5))
    expect(CovarSamp, 0, 1.5, 1e-15)
    expect(Corr, 0, 0.9819805060619659, 1e-15)
    expect(RegrSlope, 0, 0.6428571428571429, 1e-15)
    expect(RegrIntercept, 0, -0.14285714285714324, 1e-15)
    expect(RegrR2, 0, 0.9642857142857145, 1e-15)
    whole((1e-160, 1e-160), (2e-160, 3e-160))
    expect(Corr, 0, Answers.DivisionByZero)
    expect(RegrR2, 0, Answers.DivisionByZero)
    expect(RegrSlope, 0, Answers.Value)
    whole((1, Double.PositiveInfinity))
    expectNaN(RegrSlope, 0)
    whole((Double.NaN, 1))
    Seq(RegrSlope, RegrIntercept, RegrR2).foreach(expect(_, 0, Answers.Null))
  }
}
