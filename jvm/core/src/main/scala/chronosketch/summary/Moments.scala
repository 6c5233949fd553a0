package chronosketch.summary

/** A summary that knows its values' count, sum and mean, and how they spread. */
trait Moments extends Summary {

  /** What Spark's function of the same name answers, or near it; none where that has none. */
  def moment(of: Moment): Option[Double]

  /** The same, and between which numbers the exact one lies, for certain. */
  def momentBounds(of: Moment): Option[MomentBounds]
}

/** A number that is asked of values. */
sealed abstract class Moment(val name: String) extends Serializable

object Moment {
  case object Count extends Moment("count")
  case object Sum extends Moment("sum")
  case object Mean extends Moment("mean")
  case object Variance extends Moment("variance")
  case object VariancePop extends Moment("variance_pop")
  case object Stddev extends Moment("stddev")
  case object StddevPop extends Moment("stddev_pop")

  val all: Seq[Moment] = Seq(Count, Sum, Mean, Variance, VariancePop, Stddev, StddevPop)

  def named(name: String): Option[Moment] = all.find(_.name == name)
}

/** lower ≤ exact ≤ upper, for certain, and so is the value. All are NaN, or one infinity, where that is the exact answer; where it
  * may be NaN or infinite, the value is NaN and so is the upper bound, which is above all others in Spark's order.
  */
final case class MomentBounds(value: Double, lower: Double, upper: Double) {

  /** By what share of the exact answer the value may be wrong; without limit where the exact one may be 0, and is not for certain. */
  def error: Double =
    if (java.lang.Double.compare(lower, upper) == 0) 0.0
    else if (!(lower > 0 || upper < 0) || upper.isNaN) Double.PositiveInfinity
    else math.max((value - lower) / math.abs(lower), (upper - value) / math.abs(upper))
}

object MomentBounds {

  /** Whole numbers up to here are doubles. */
  private val Whole = 1L << 53

  /** Of an exact count. */
  def ofCount(n: Long): MomentBounds = {
    val nearest = n.toDouble
    if (n <= Whole) exactly(nearest) else MomentBounds(nearest, Math.nextDown(nearest), Math.nextUp(nearest))
  }

  def exactly(value: Double): MomentBounds = MomentBounds(value, value, value)
}
