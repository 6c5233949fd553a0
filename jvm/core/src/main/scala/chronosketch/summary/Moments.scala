package chronosketch.summary

/** A summary that answers count, sum, mean, variance and standard deviation of its values. */
trait Moments extends Summary {

  /** The result of Spark's function of the same name, or nearly so; None if that returns NULL. */
  def moment(which: Moment): Option[Double]

  /** [[moment]] with certain bounds on the exact result. */
  def momentBounds(which: Moment): Option[MomentBounds]
}

/** A statistic of a set of values. */
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

/** A statistic with certain bounds: lower ≤ exact ≤ upper and lower ≤ value ≤ upper. If the exact result is NaN or an infinity, all
  * three are. If it may be NaN or infinite, the value is NaN, and so is the upper bound: NaN is above all others in Spark's order.
  */
final case class MomentBounds(value: Double, lower: Double, upper: Double) {

  /** The largest relative error of the value; +∞ if the exact result may be 0 but is not known to be. */
  def error: Double =
    if (java.lang.Double.compare(lower, upper) == 0) 0.0
    else if (!(lower > 0 || upper < 0) || upper.isNaN) Double.PositiveInfinity
    else math.max((value - lower) / math.abs(lower), (upper - value) / math.abs(upper))
}

object MomentBounds {

  /** Doubles represent all integers up to this one. */
  private val ExactIntegers = 1L << 53

  /** The bounds of an exact count. */
  def ofCount(n: Long): MomentBounds = {
    val nearest = n.toDouble
    if (n <= ExactIntegers) exactly(nearest)
    else MomentBounds(nearest, Math.nextDown(nearest), Math.nextUp(nearest))
  }

  def exactly(value: Double): MomentBounds = MomentBounds(value, value, value)
}
