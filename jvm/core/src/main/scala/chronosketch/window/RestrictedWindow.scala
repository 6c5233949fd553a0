package chronosketch.window

import chronosketch.bucketing.{Contents, Tie}
import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain}
import chronosketch.memory.Meter
import chronosketch.quantile.{GreenwaldKhanna, QuantileRecipe}
import chronosketch.rank.RankProfile
import chronosketch.summary.{Family, Header, Parameter, Ranked, Summary}

/** The elements of one window, taken from a [[WindowSketch]].
  *
  * Guarantee  stated by its profile: rank error ≤ ε·(elements in the window) where [[WindowSketch]] promises that
  * Cost       taking it visits the buckets in the window, not the rows; 15 kB encoded at ε = 0.01
  * Units      keys of `domain`; ranks start at 1
  * Merge      allowed if the value types widen, for any windows: the union of both; the larger ε counts
  * Source     docs/algorithms.md, Taking a window
  *
  * It stores no buckets, only two sets of their elements: those that are certainly in the window, and those from buckets that an
  * edge of the window crosses. Bounds are known for how many of the latter are in the window.
  */
final class RestrictedWindow private[chronosketch] (
    initialEpsilon: Double,
    private val inside: GreenwaldKhanna,
    private[chronosketch] val doubtful: GreenwaldKhanna,
    initialLeast: Long,
    initialMost: Long
) extends Summary
    with Ranked {
  type Same = RestrictedWindow

  private var currentEpsilon = initialEpsilon

  // bounds for the number of doubtful elements in the window
  private var least = initialLeast
  private var most = initialMost

  def family: Family[RestrictedWindow] = RestrictedWindows
  def domain: Domain = inside.domain
  def epsilon: Double = currentEpsilon
  def header: RestrictedHeader = RestrictedHeader(domain, currentEpsilon)
  def newEmpty: RestrictedWindow = header.empty
  def castBy(cast: Cast): RestrictedWindow =
    new RestrictedWindow(currentEpsilon, inside.castBy(cast), doubtful.castBy(cast), least, most)

  /** The best estimate: the middle of the bounds. */
  def count: Long = inside.count + least + (most - least) / 2

  override def countBounds: (Long, Long) = (inside.count + least, inside.count + most)

  override private[chronosketch] def maxCount: Long = inside.count + doubtful.count

  /** Both parts widen to the same type. */
  protected def mergeChecked(that: RestrictedWindow, wider: Domain): Unit = {
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

  def meteredBy(owner: Meter): Unit = {
    inside.meteredBy(owner)
    doubtful.meteredBy(owner)
  }
}

object RestrictedWindow {

  /** The rows up to `asOf` that a constraint selects. The window ends at `asOf`, or at the newest row. */
  def of(sketch: WindowSketch, constraint: Constraint, asOf: Option[Long]): RestrictedWindow = {
    val selection = Selection.of(sketch, constraint, asOf)
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
    val sure = inside.window()
    val exactRows = selection.rows
    if (exactRows >= 0) {
      least = exactRows - sure.count
      most = least
    }
    new RestrictedWindow(sketch.epsilon, sure, doubtful.window(), least, most)
  }

  /** A window with all elements of a sketch. */
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
    new RestrictedWindow(sketch.epsilon, inside.everything(), nothing, 0L, 0L)
  }
}

/** The family of [[RestrictedWindow]]. Rows are never inserted into these: they are taken from a sketch, and merged. */
object RestrictedWindows extends Family[RestrictedWindow] {
  val id = 3
  val name = "window"
  def aggregate: Seq[String] = WindowSketches.aggregate

  val parameters: Seq[Parameter] = Seq(WindowSketches.Epsilon)

  def header(domain: Domain, numbers: Seq[Double]): Header[RestrictedWindow] =
    RestrictedHeader(domain, numbers.head)
}

/** The header of a stored window. The payload contains its elements. */
final case class RestrictedHeader(domain: Domain, epsilon: Double) extends Header[RestrictedWindow] {
  def family: Family[RestrictedWindow] = RestrictedWindows
  def numbers: Seq[Double] = Seq(epsilon)

  /** A window without rows. */
  private[window] def empty: RestrictedWindow = {
    def nothing = new GreenwaldKhanna(domain, Contents.share(epsilon))
    new RestrictedWindow(epsilon, nothing, nothing, 0L, 0L)
  }

  def read(reader: Wire.Reader): RestrictedWindow = {
    val part = QuantileRecipe(domain, Contents.share(epsilon))
    val inside = part.read(reader)
    val doubtful = part.read(reader)
    val least = reader.varint()
    val most = reader.varint()
    if (least < 0 || least > most || most > doubtful.count)
      throw reader.corrupt(s"from $least to $most of ${doubtful.count} elements are in its window")
    if (Long.MaxValue - inside.count < doubtful.count) throw reader.corrupt("its count has more than 63 bits")
    new RestrictedWindow(epsilon, inside, doubtful, least, most)
  }
}
