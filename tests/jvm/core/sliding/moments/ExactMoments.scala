package chronosketch.sliding.moments

import java.math.{BigDecimal => Exact, MathContext}

/** The oracle: moments of finite pairs with 100 digits, and the errors that the guarantees allow.
  *
  * The bounds, with D the range: distances from an element of the frame are at most D, so a running mean of k of them is off by
  * at most (k + 3)uD. A step adds to M2 a product of two distances with this error, n²uD² in all. The additions and the merge
  * round by as much again, and there are terms in n; 16n² covers all of it down to n = 2. A step of M3 multiplies three
  * distances, and M2 by 3D/k: of 16k²uD² that leaves 48kuD³ per step, 24n² in all; the merge, by 3D/n, adds 12n²; 96n² covers
  * both and the products. M4 adds to these M3 times 4D/k, 192n² in all, and in the merge another 96n², and M2 times 6D²/k²; 640n²
  * covers it.
  */
final class ExactMoments(xs: Seq[Double], ys: Seq[Double]) {
  private val context = new MathContext(100)

  private def sum(terms: Seq[Exact]): Exact = terms.foldLeft(Exact.ZERO)(_.add(_))

  /** Distances from the first value, so that rounding is small compared with the range even if the mean is large. */
  private def fromFirst(values: Seq[Double]): Seq[Exact] =
    values.map(new Exact(_).subtract(new Exact(values.head)))
  private def mean(values: Seq[Exact]): Exact = sum(values).divide(new Exact(values.length), context)
  private def distances(values: Seq[Exact]): Seq[Exact] =
    values.map(_.subtract(mean(values)).round(context))
  private def range(values: Seq[Double]): Double = values.max - values.min

  val n: Int = xs.length
  private val (dx, dy) = (distances(fromFirst(xs)), distances(fromFirst(ys)))

  val meanX: Double = new Exact(xs.head).add(mean(fromFirst(xs))).doubleValue
  val meanY: Double = new Exact(ys.head).add(mean(fromFirst(ys))).doubleValue
  val rangeX: Double = range(xs)
  val rangeY: Double = range(ys)

  def ofX(power: Int): Double = sum(dx.map(_.pow(power, context))).doubleValue
  val mx: Double = ofX(2)
  val my: Double = sum(dy.map(_.pow(2, context))).doubleValue
  val c: Double = sum(dx.zip(dy).map { case (a, b) => a.multiply(b, context) }).doubleValue

  private val u = math.pow(2, -53)

  /** Rounding errors of a formula with a few operations. */
  val few: Double = 16 * u
  def allowed2: Double = 16 * u * n * n * rangeX * rangeX
  def allowed3: Double = 96 * u * n * n * math.pow(rangeX, 3)
  def allowed4: Double = 640 * u * n * n * math.pow(rangeX, 4)
  def allowedC: Double = 16 * u * n * n * rangeX * rangeY
  def allowedMeanX: Double = u * math.abs(meanX) + (n + 8) * u * rangeX
  def allowedMeanY: Double = u * math.abs(meanY) + (n + 8) * u * rangeY

  /** Relative error of M2, and so of Mx and My: M2 is at least half the square of the range. */
  def share2: Double = 32 * u * n * n
}

object ExactMoments {
  def ofOne(values: Seq[Double]): ExactMoments = new ExactMoments(values, values)

  /** Whether squares of distances overflow. */
  def isHuge(values: Seq[Double]): Boolean = values.max / 2 - values.min / 2 > 1e150
}
