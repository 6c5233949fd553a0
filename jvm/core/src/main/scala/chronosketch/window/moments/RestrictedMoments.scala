package chronosketch.window.moments

import chronosketch.bucketing.Tie
import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain}
import chronosketch.memory.{Meter, Metered}
import chronosketch.summary.{Family, Header, Moment, MomentBounds, Moments, Parameter, Summary}
import chronosketch.window.{Constraint, Selection, Windowed}

/** The moments of one window, taken from [[WindowMoments]].
  *
  * Guarantee  certain bounds, as tight as [[WindowMoments]] promises
  * Cost       taking it adds up the sums of the buckets; some 100 bytes encoded
  * Units      keys of `domain`; answers in its values
  * Merge      allowed if the value types widen, for any windows: the union of both; the larger ε counts
  * Source     docs/algorithms.md, Moments of windows
  */
final class RestrictedMoments private[moments] (
    initialDomain: Domain,
    initialEpsilon: Double,
    private[moments] val inside: Sums,
    private[moments] val doubtful: Sums,
    initialLeast: Long,
    initialMost: Long
) extends Summary
    with Moments
    with Metered {
  type Same = RestrictedMoments

  private var currentDomain = initialDomain
  private var currentEpsilon = initialEpsilon

  // bounds for the number of doubtful elements in the window
  private var least = initialLeast
  private var most = initialMost

  def family: Family[RestrictedMoments] = RestrictedMomentsWindows
  def domain: Domain = currentDomain
  def epsilon: Double = currentEpsilon
  def header: RestrictedMomentsHeader = RestrictedMomentsHeader(currentDomain, currentEpsilon)
  def newEmpty: RestrictedMoments = header.empty
  override def castObstacle(cast: Cast): Option[String] = Sums.castObstacle(cast)
  def castBy(cast: Cast): RestrictedMoments =
    new RestrictedMoments(cast.to, currentEpsilon, inside.copy, doubtful.copy, least, most)

  private def estimates: MomentEstimates = new MomentEstimates(inside, doubtful, least, most, currentDomain)

  /** The best estimate: the middle of the bounds. */
  def count: Long = estimates.count

  override def countBounds: (Long, Long) = (inside.count + least, inside.count + most)

  override private[chronosketch] def maxCount: Long = inside.count + doubtful.count

  def moment(kind: Moment): Option[Double] = estimates.of(kind).map(_.value)
  def momentBounds(kind: Moment): Option[MomentBounds] = estimates.of(kind)

  protected def mergeChecked(that: RestrictedMoments, wider: Domain): Unit = {
    currentDomain = wider
    currentEpsilon = math.max(currentEpsilon, that.currentEpsilon)
    inside.add(that.inside)
    doubtful.add(that.doubtful)
    least += that.least
    most += that.most
  }

  def write(writer: Wire.Writer): Unit = {
    MomentsWire.write(writer, inside)
    MomentsWire.write(writer, doubtful)
    writer.varint(least)
    writer.varint(most)
  }

  protected def heldBytes: Long = Meter.ObjectBytes + inside.sizeBytes + doubtful.sizeBytes
}

private[moments] object RestrictedMoments {

  /** The rows up to `asOf` that a constraint selects. The window ends at `asOf`, or at the newest row. */
  def of(sketch: WindowMoments, constraint: Constraint, asOf: Option[Long]): RestrictedMoments = {
    val selection = Selection.of(sketch, constraint, asOf)
    val inside, doubtful = new Sums
    val isFloating = sketch.domain.isFloating
    var least, most = 0L
    selection.foreach { (list, i, low, high) =>
      if (list.level(i) == 0) {
        val key = Tie.key(list.ties(i))
        inside.add(key, low, isFloating)
        doubtful.add(key, high - low, isFloating)
        most += high - low
      } else if (low == list.counts(i)) inside.add(Sums.of(list.contents(i)))
      else {
        doubtful.add(Sums.of(list.contents(i)))
        least += low
        most += high
      }
    }
    val exactRows = selection.rows
    if (exactRows >= 0) {
      least = exactRows - inside.count
      most = least
    }
    new RestrictedMoments(sketch.domain, sketch.epsilon, inside, doubtful, least, most)
  }

  /** A window with all elements of a sketch. */
  def everything(sketch: Windowed): RestrictedMoments = {
    val inside = new Sums
    var c = 0
    while (c < sketch.classCount) {
      val list = sketch.list(c)
      var i = 0
      while (i < list.size) {
        if (list.level(i) == 0) inside.add(Tie.key(list.ties(i)), list.counts(i), sketch.domain.isFloating)
        else inside.add(Sums.of(list.contents(i)))
        i += 1
      }
      c += 1
    }
    new RestrictedMoments(sketch.domain, sketch.epsilon, inside, new Sums, 0L, 0L)
  }
}

/** The family of [[RestrictedMoments]]. Rows are never inserted into these: they are taken from a sketch, and merged. */
object RestrictedMomentsWindows extends Family[RestrictedMoments] {
  val id = 15
  val name = "window of moments"
  def aggregate: Seq[String] = WindowMomentsSketches.aggregate

  val parameters: Seq[Parameter] = Seq(WindowMomentsSketches.Epsilon)

  override def takes(domain: Domain): Boolean = WindowMomentsSketches.takes(domain)

  def header(domain: Domain, numbers: Seq[Double]): Header[RestrictedMoments] =
    RestrictedMomentsHeader(domain, numbers.head)
}

/** The header of a stored window of moments. The payload contains the sums. */
final case class RestrictedMomentsHeader(domain: Domain, epsilon: Double) extends Header[RestrictedMoments] {
  def family: Family[RestrictedMoments] = RestrictedMomentsWindows
  def numbers: Seq[Double] = Seq(epsilon)

  /** A window without rows. */
  private[moments] def empty: RestrictedMoments =
    new RestrictedMoments(domain, epsilon, new Sums, new Sums, 0L, 0L)

  def read(reader: Wire.Reader): RestrictedMoments = {
    val inside = MomentsWire.read(reader)
    val doubtful = MomentsWire.read(reader)
    val least = reader.varint()
    val most = reader.varint()
    if (least < 0 || least > most || most > doubtful.count)
      throw reader.corrupt(s"from $least to $most of ${doubtful.count} elements are in its window")
    if (Long.MaxValue - inside.count < doubtful.count) throw reader.corrupt("its count has more than 63 bits")
    new RestrictedMoments(domain, epsilon, inside, doubtful, least, most)
  }
}
