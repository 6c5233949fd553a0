package chronosketch.window.moments

import chronosketch.bucketing.RowBlock
import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain}
import chronosketch.summary.{Family, Header, Moment, MomentBounds, Moments, Parameter, Recipe}
import chronosketch.window.{Constraint, Windowed, WindowedFamily, WindowWire}

/** Sketch from which count, sum, mean and variance of any window that ends at the newest row can be taken later, when all rows
  * are gone.
  *
  * Guarantee  certain bounds, whatever the values and the window. For windows by time that end at the newest row, also with
  *            filters, after any inserts and merges: relative error ≤ ε of the count, of the sum as a share of the sum of
  *            magnitudes, and of variance and standard deviation. The same holds by count, for rows that arrived in time order
  *            and were not merged; other windows state their error. Without a window there are only rounding errors
  * Cost       insert 0.2 µs amortised; about (1/ε)·ln(εn) + 7/ε buckets of some 45 bytes if the distribution of values is stable.
  *            A million rows, normal or lognormal: at ε = 0.01 1 700 to 1 900 buckets, 72 to 79 kB encoded; at 0.05 400, 18 kB.
  *            Never more than all rows
  * Units      times in units of `timeDomain`: microseconds, days or whole numbers, any Long; values are numbers
  * Merge      allowed if values and times widen and the filters are the same; the larger ε and the shorter retention count
  * Source     Babcock, Datar, Motwani and O'Callaghan, Maintaining variance and k-medians over data stream windows, 2003;
  *            departs: disjoint cells of a grid, which any merge preserves, and one test for all means
  *            (docs/algorithms.md, Moments of windows)
  */
final class WindowMoments(
    initialDomain: Domain,
    initialTimeDomain: Domain,
    initialEpsilon: Double,
    initialRetention: Long,
    filters: Vector[String]
) extends Windowed(initialDomain, initialTimeDomain, initialEpsilon, initialRetention, filters, MomentBuckets)
    with Moments {
  type Same = WindowMoments

  private var everything: RestrictedMoments = null

  def family: Family[WindowMoments] = WindowMomentsSketches
  def header: Header[WindowMoments] = WindowMomentsHeader(domain, epsilon)
  def newEmpty: WindowMoments = new WindowMoments(domain, timeDomain, epsilon, retention, filters)
  override def castObstacle(cast: Cast): Option[String] = Sums.castObstacle(cast)
  def castBy(cast: Cast): WindowMoments =
    castInto(new WindowMoments(cast.to, timeDomain, epsilon, retention, filters))(_.castBy(cast, identity))

  override def insertAll(keys: Array[Long], times: Array[Long], from: Int, until: Int): Unit =
    putAll(keys, times, from, until)

  /** As long as rows take no more bytes than their buckets, a task hands them on, and buckets are made once. */
  override private[chronosketch] def rowsOfPart: RowBlock = rows(WindowMoments.RowsOfPart / epsilon)

  def restrict(constraint: Constraint, asOf: Option[Long]): RestrictedMoments =
    RestrictedMoments.of(this, constraint, asOf)

  /** The window with all elements. */
  private def all: RestrictedMoments = {
    if (!isCacheValid) everything = RestrictedMoments.everything(this)
    isCacheValid = true
    everything
  }

  def moment(kind: Moment): Option[Double] = all.moment(kind)
  def momentBounds(kind: Moment): Option[MomentBounds] = all.momentBounds(kind)

  def write(writer: Wire.Writer): Unit = {
    count
    WindowWire.write(writer, this, MomentsWire)
  }
}

private object WindowMoments {

  /** The buckets of about this many rows, divided by ε, take as many bytes as the rows. */
  val RowsOfPart = 80.0
}

/** The family of [[WindowMoments]]. */
object WindowMomentsSketches extends Family[WindowMoments] with WindowedFamily[WindowMoments] {
  val id = 14
  val name = "window moments sketch"
  def aggregate: Seq[String] = Seq("window_moments_agg", "value", "event_time")

  val Epsilon: Parameter = Parameter("epsilon", default = 0.01, least = 0.0, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Epsilon)

  /** Numeric types only: the square of a date, for example, has no meaning. */
  override def takes(domain: Domain): Boolean = domain.isNumeric

  def header(domain: Domain, numbers: Seq[Double]): Header[WindowMoments] =
    WindowMomentsHeader(domain, numbers.head)

  def recipe(
      domain: Domain,
      timeDomain: Domain,
      numbers: Seq[Double],
      retention: Long,
      filters: Vector[String]
  ): Recipe[WindowMoments] = WindowMomentsRecipe(domain, timeDomain, numbers.head, retention, filters)
}

/** The parameters of a [[WindowMoments]]: the types of values and times, the error, the retention and the filters. */
final case class WindowMomentsRecipe(
    domain: Domain,
    timeDomain: Domain,
    epsilon: Double,
    retention: Long,
    filters: Vector[String]
) extends Recipe[WindowMoments] {
  def family: Family[WindowMoments] = WindowMomentsSketches
  def numbers: Seq[Double] = Seq(epsilon)
  def empty: WindowMoments = new WindowMoments(domain, timeDomain, epsilon, retention, filters)

  override protected def text: String = WindowedFamily.text(WindowMomentsSketches, retention, filters)
}

/** The header of a stored window moments sketch. The payload contains the rest. */
final case class WindowMomentsHeader(domain: Domain, epsilon: Double) extends Header[WindowMoments] {
  def family: Family[WindowMoments] = WindowMomentsSketches
  def numbers: Seq[Double] = Seq(epsilon)
  def read(reader: Wire.Reader): WindowMoments =
    WindowWire.read(reader, new WindowMoments(domain, _, epsilon, _, _), MomentsWire)
}
