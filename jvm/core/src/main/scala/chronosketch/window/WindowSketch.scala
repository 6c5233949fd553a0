package chronosketch.window

import chronosketch.bucketing.{Buckets, KeyBuckets, RowBlock}
import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain}
import chronosketch.rank.RankProfile
import chronosketch.summary.{Family, Header, Parameter, Ranked, Recipe}

/** Quantile sketch from which any window that ends at the newest row can be taken later, when all rows are gone.
  *
  * Guarantee  rank error ≤ ε·(elements in the window) for windows by time or by count that end at the newest row, after any
  *            inserts and merges. A window by count with filters, or one that ends earlier, has its true error in its
  *            certificate. Without a window: ε/2; count, minimum and maximum are exact. Up to 8/ε rows every window is exact
  * Cost       insert 0.1 µs amortised in time order, 0.2 µs in any order; a merge visits both sketches. 360 000 rows at ε = 0.01:
  *            1 890 buckets, 112 000 keys and tuples, 1.14 MB encoded; at 0.05: 426, 14 700, 163 kB
  * Units      times in units of `timeDomain`: microseconds, days or whole numbers, any Long
  * Merge      allowed if values and times widen and the filters are the same; the larger ε and the shorter retention count
  * Source     Xu, Lin, Zhou, Space efficient quantile summary for constrained sliding windows, 2004; departs: disjoint buckets,
  *            ties in time, a class of rows for each outcome of the filters (docs/algorithms.md, Windows)
  *
  * `seen` of the paper is the sum over all classes: every row belongs to one class.
  */
final class WindowSketch(
    initialDomain: Domain,
    initialTimeDomain: Domain,
    initialEpsilon: Double,
    initialRetention: Long,
    filters: Vector[String]
) extends Windowed(initialDomain, initialTimeDomain, initialEpsilon, initialRetention, filters, KeyBuckets)
    with Ranked {
  type Same = WindowSketch

  private var cachedProfile: RankProfile = null

  def family: Family[WindowSketch] = WindowSketches
  def header: Header[WindowSketch] = WindowHeader(domain, epsilon)
  def newEmpty: WindowSketch = new WindowSketch(domain, timeDomain, epsilon, retention, filters)
  def castBy(cast: Cast): WindowSketch =
    castInto(new WindowSketch(cast.to, timeDomain, epsilon, retention, filters))(KeyBuckets.castBy(_, cast))

  override def insertAll(keys: Array[Long], times: Array[Long], from: Int, until: Int): Unit =
    putAll(keys, times, from, until)

  /** With up to 2/ε² rows no bucket would be summarised: a summary is hardly smaller than the bucket's keys. */
  override private[chronosketch] def rowsOfPart: RowBlock = rows(2 / (epsilon * epsilon))

  def restrict(constraint: Constraint, asOf: Option[Long]): RestrictedWindow =
    RestrictedWindow.of(this, constraint, asOf)

  /** Whether all elements and their positions are known: no bucket has more than one position. */
  def isExact: Boolean = (0 until classCount).forall { c =>
    val l = list(c)
    (0 until l.size).forall(l.level(_) == 0)
  }

  def profile: RankProfile = {
    if (!isCacheValid) cachedProfile = RestrictedWindow.everything(this).profile
    isCacheValid = true
    cachedProfile
  }

  def write(writer: Wire.Writer): Unit = {
    count
    WindowWire.write(writer, this, new KeysWire(domain, epsilon))
  }

  /** Describes the buckets that break the guarantee, for tests. */
  def violations: Seq[String] =
    (0 until classCount).flatMap(c => Buckets.violations(list(c), epsilon).map(v => s"class $c: $v"))
}

/** The family of [[WindowSketch]]. */
object WindowSketches extends Family[WindowSketch] with WindowedFamily[WindowSketch] {
  val id = 2
  val name = "window sketch"
  def aggregate: Seq[String] = Seq("window_sketch_agg", "value", "event_time")

  val Epsilon: Parameter = Parameter("epsilon", default = 0.01, least = 0.0, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Epsilon)

  def header(domain: Domain, numbers: Seq[Double]): Header[WindowSketch] =
    WindowHeader(domain, numbers.head)

  def recipe(
      domain: Domain,
      timeDomain: Domain,
      numbers: Seq[Double],
      retention: Long,
      filters: Vector[String]
  ): Recipe[WindowSketch] = WindowRecipe(domain, timeDomain, numbers.head, retention, filters)
}

/** The parameters of a [[WindowSketch]]: the types of values and times, the error, the retention and the filters. */
final case class WindowRecipe(
    domain: Domain,
    timeDomain: Domain,
    epsilon: Double,
    retention: Long,
    filters: Vector[String]
) extends Recipe[WindowSketch] {
  def family: Family[WindowSketch] = WindowSketches
  def numbers: Seq[Double] = Seq(epsilon)
  def empty: WindowSketch = new WindowSketch(domain, timeDomain, epsilon, retention, filters)

  override protected def text: String = WindowedFamily.text(WindowSketches, retention, filters)
}

/** The header of a stored window sketch. The payload contains the rest. */
final case class WindowHeader(domain: Domain, epsilon: Double) extends Header[WindowSketch] {
  def family: Family[WindowSketch] = WindowSketches
  def numbers: Seq[Double] = Seq(epsilon)
  def read(reader: Wire.Reader): WindowSketch = WindowWire.read(
    reader,
    new WindowSketch(domain, _, epsilon, _, _),
    new KeysWire(domain, epsilon)
  )
}
