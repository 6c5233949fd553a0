package chronosketch.window

import chronosketch.Refusal
import chronosketch.bucketing.{Contents, Tie}
import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.quantile.{GreenwaldKhanna, QuantileSketch}
import chronosketch.rank.RankProfile
import chronosketch.summary.{Family, Meter, Parameter, Ranked, Summary}

/** The family of windows that were taken from a window sketch. */
object RestrictedWindows extends Family {
  val id = 3
  val name = "window"

  val parameters: Seq[Parameter] = Seq(WindowSketches.Epsilon)

  def empty(domain: Domain, parameters: Array[Double]): RestrictedWindow =
    new RestrictedWindow(parameters(0), summary(domain, parameters), summary(domain, parameters), 0L, 0L)

  private def summary(domain: Domain, parameters: Array[Double]): GreenwaldKhanna =
    new GreenwaldKhanna(domain, Contents.share(parameters(0)))

  def read(reader: Wire.Reader, domain: Domain, parameters: Array[Double]): RestrictedWindow = {
    val share = Array(Contents.share(parameters(0)))
    val inside = QuantileSketch.read(reader, domain, share)
    val doubtful = QuantileSketch.read(reader, domain, share)
    val least = reader.varint()
    val most = reader.varint()
    if (least < 0 || least > most || most > doubtful.count)
      throw reader.corrupt(s"from $least to $most of ${doubtful.count} elements are in its window")
    if (Long.MaxValue - inside.count < doubtful.count) throw reader.corrupt("its count has more than 63 bits")
    new RestrictedWindow(parameters(0), inside, doubtful, least, most)
  }

  /** Windows are taken and merged, hardly ever inserted into. */
  override def mostInBag(parameters: Array[Double]): Int = 0
}

/** Which values does one window have?
  *
  * Guarantee  what its profile says: rank error ≤ ε·(elements in the window) where [[WindowSketch]] promises that
  * Cost       taking it: the buckets inside, not the rows; 15 kB stored at ε = 0.01
  * Units      keys of `domain`; ranks start at 1
  * Merge      legal when the value types widen, whatever the windows: the union of what both have; the larger ε counts
  * Source     docs/algorithms.md, Taking a window
  *
  * It does not remember the buckets, only what is in them: elements that surely are in the window, and elements of which,
  * as an edge crosses their buckets, some number between two bounds is.
  */
final class RestrictedWindow private[chronosketch] (
    initialEpsilon: Double,
    private val inside: GreenwaldKhanna,
    private val doubtful: GreenwaldKhanna,
    initialLeast: Long,
    initialMost: Long
) extends Summary
    with Ranked {
  private var currentEpsilon = initialEpsilon

  // how many of the doubtful there are in the window
  private var least = initialLeast
  private var most = initialMost

  def family: Family = RestrictedWindows
  def domain: Domain = inside.domain
  def epsilon: Double = currentEpsilon
  def parameters: Array[Double] = Array(currentEpsilon)

  /** The best estimate: the middle of what is certain. */
  def count: Long = inside.count + least + (most - least) / 2

  /** Bounds that the number of elements lies in. */
  def countLow: Long = inside.count + least
  def countHigh: Long = inside.count + most

  def insert(key: Long): Unit = inside.insert(key)

  def insert(key: Long, copies: Long): Unit = {
    if (Long.MaxValue - inside.count - doubtful.count < copies)
      throw Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)
    inside.insert(key, copies)
  }

  def merge(other: Summary): Unit = {
    requireSameFamily(other)
    val that = other.asInstanceOf[RestrictedWindow]
    if (that eq this) throw new IllegalArgumentException("a summary can't be merged into itself")
    if (Long.MaxValue - inside.count - doubtful.count < that.inside.count + that.doubtful.count)
      throw Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)
    inside.merge(that.inside)
    doubtful.merge(that.doubtful)
    currentEpsilon = math.max(currentEpsilon, that.currentEpsilon)
    least += that.least
    most += that.most
  }

  def profile: RankProfile =
    if (doubtful.count == 0) inside.profile
    else inside.profile.plus(RankProfile.partOf(doubtful.profile, least, most))

  def write(writer: Wire.Writer): Unit = {
    inside.write(writer)
    doubtful.write(writer)
    writer.varint(least)
    writer.varint(most)
  }

  override def meteredBy(owner: Meter): Unit = {
    inside.meteredBy(owner)
    doubtful.meteredBy(owner)
  }
}

object RestrictedWindow {

  /** The rows that a constraint means, of those up to `asOf`; the window ends there, or at the newest row. */
  def of(sketch: WindowSketch, constraint: Constraint, asOf: Option[Long]): RestrictedWindow = {
    Constraint.check(constraint)
    Constraint.filters(constraint).find(_ >= sketch.filters.size).foreach { unknown =>
      throw new IllegalArgumentException(s"no filter $unknown among ${Filters.text(sketch.filters)}")
    }
    val selection = new Selection(sketch, constraint, asOf)
    val inside, doubtful = new Contents(sketch.domain, sketch.epsilon)
    var least, most = 0L
    selection.foreach { (list, i, low, high) =>
      if (list.level(i) == 0) {
        val key = Tie.key(list.ties(i))
        inside.add(key, low)
        doubtful.add(key, high - low)
        most += high - low
      } else if (low == list.counts(i)) inside.add(list.contents(i))
      else {
        doubtful.add(list.contents(i))
        least += low
        most += high
      }
    }
    val sure = inside.summary()
    val known = selection.rows
    if (known >= 0) {
      least = known - sure.count
      most = least
    }
    new RestrictedWindow(sketch.epsilon, sure, doubtful.summary(), least, most)
  }

  /** All that a sketch keeps. */
  private[chronosketch] def everything(sketch: WindowSketch): RestrictedWindow = {
    val inside = new Contents(sketch.domain, sketch.epsilon)
    var c = 0
    while (c < sketch.classCount) {
      val list = sketch.list(c)
      var i = 0
      while (i < list.size) { inside.add(list, i); i += 1 }
      c += 1
    }
    val nothing = new GreenwaldKhanna(sketch.domain, Contents.share(sketch.epsilon))
    new RestrictedWindow(sketch.epsilon, inside.summary(), nothing, 0L, 0L)
  }
}
