package chronosketch.history

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain, TimeDomain}
import chronosketch.history.span.CountedSpan
import chronosketch.memory.{Meter, Metered}
import chronosketch.summary.{Description, Family, Header, Parameter, Recipe, Summary}

/** Answers quantiles of the values that were alive at any past version.
  *
  * Guarantee  at every version with n elements alive, quantiles are off by at most ε·n ranks; exact if n is small
  * Cost       a million changes of 100 000 elements, with equally many inserts and deletes: 0.6 kB at ε = 0.05, 15 kB at 0.00625; with
  *            twice as many inserts: 9 and 97 kB; with rising values of which the oldest is deleted: 17 and 209 kB. A quantile reads a
  *            few dozen counters
  * Units      keys of `domain`; versions are keys of `versions`
  * Merge      legal when both types widen. Histories of different elements are added, from the earliest first version to the
  *            earliest last version. A history that begins with the elements that another ended with, at a later version, is appended to
  *            it. If the parts have no version in common, questions are refused until the missing part has been merged. The larger ε counts
  * Source     Tao, Yi, Sheng, Pei, Li, Logging every footstep: quantile summaries for the entire history, SIGMOD 2010;
  *            docs/algorithms.md, Any past version
  */
final class HistorySketch private[history] (
    initialDomain: Domain,
    initialVersions: Domain,
    initialEpsilon: Double,
    initialChains: Vector[Chain]
) extends Summary
    with Metered {
  type Same = HistorySketch

  private var currentDomain = initialDomain
  private var currentVersions = initialVersions
  private var currentEpsilon = initialEpsilon
  private var currentChains = initialChains

  def family: Family[HistorySketch] = HistorySketches
  def domain: Domain = currentDomain
  def epsilon: Double = currentEpsilon
  def header: Header[HistorySketch] = HistoryHeader(currentDomain, currentEpsilon)
  def newEmpty: HistorySketch = HistoryRecipe(currentDomain, currentEpsilon, currentVersions).empty

  override def castObstacle(cast: Cast): Option[String] =
    Some(
      "its counters divide values by their keys. Take a version and cast that: sketch_at_version(sketch, version)"
    )

  /** Requires an empty history. */
  def castBy(cast: Cast): HistorySketch = HistoryRecipe(cast.to, currentEpsilon, currentVersions).empty

  /** The type of the versions. */
  def versions: Domain = currentVersions

  /** Whether there was no update yet: then the history has no version. */
  override def isEmpty: Boolean = currentChains.isEmpty

  /** The first and the last version that [[at]] accepts. Refused if there is none. */
  def firstVersion: Long = { requireVersions(); currentChains.map(_.first).min }
  def lastVersion: Long = { requireVersions(); currentChains.map(_.last).min }

  /** The number of spans, which are trees or logs. */
  def trees: Int = currentChains.map(_.spans.size).sum

  /** How many deletes were ignored because their elements were not alive. */
  def clamped: Long = currentChains.foldLeft(0L)((sum, c) => CountedSpan.plus(sum, c.ignoredDeletes))

  /** Elements alive after the last update. */
  def count: Long = currentChains.map(_.endFingerprint.count).sum

  override private[chronosketch] def maxCount: Long = currentChains.map(_.maxAlive).sum

  private[history] def chains: Vector[Chain] = currentChains

  /** The spans that versions were taken from. Most are asked for one version only, and its profile takes less time than the guide that
    * direct quantiles need. So only later versions of a span answer quantiles directly.
    */
  private var takenSpans = Set.empty[CountedSpan]

  /** The values alive at a version from the first to the last. A version without an update is as the one before it. Refuses versions
    * outside the range.
    */
  def at(version: Long): VersionSketch = {
    requireVersion(version)
    val spanVersion =
      if (currentChains.size == 1) currentChains.head.spanVersion(version, currentDomain) else None
    spanVersion match {
      case Some(source) =>
        val isDirect = takenSpans(source.span)
        if (!isDirect) takenSpans += source.span
        VersionSketch.at(currentDomain, currentEpsilon, source, isDirect)
      case None =>
        val all = currentChains.map(_.profile(version, currentDomain)).reduce(_.plus(_))
        VersionSketch(currentDomain, currentEpsilon, VersionSketch.normal(all))
    }
  }

  // with one chain the check is cheap compared with the question
  private def requireVersion(version: Long): Unit =
    if (currentChains.size != 1 || !currentChains.head.has(version)) requireVersionOfAll(version)

  private def requireVersionOfAll(version: Long): Unit = {
    val first = firstVersion
    val last = lastVersion
    if (version < first || version > last)
      throw Refusal(
        "CHRONOSKETCH_VERSION_OUT_OF_RANGE",
        "asked" -> version.toString,
        "first" -> first.toString,
        "last" -> last.toString
      )
  }

  /** Refuses unless all chains have a version in common: no chain ends before another begins. */
  private def requireVersions(): Unit = {
    if (isEmpty) throw Refusal("CHRONOSKETCH_HISTORY_EMPTY")
    val ended = currentChains.minBy(_.last)
    val begun = currentChains.maxBy(_.first)
    if (begun.first > ended.last)
      throw Refusal(
        "CHRONOSKETCH_HISTORIES_APART",
        "first" -> ended.first.toString,
        "last" -> ended.last.toString,
        "count" -> ended.endFingerprint.count.toString,
        "laterFirst" -> begun.first.toString,
        "laterLast" -> begun.last.toString,
        "laterCount" -> begun.startFingerprint.count.toString
      )
  }

  private def widerVersions(that: HistorySketch): Domain =
    currentVersions.widenTimesOrRefuse(that.currentVersions, family.ofSecond(header.numbers))

  override protected def requireAlike(that: HistorySketch): Unit = {
    widerVersions(that)
    ()
  }

  protected def mergeChecked(that: HistorySketch, wider: Domain): Unit = {
    currentDomain = wider
    currentVersions = widerVersions(that)
    currentEpsilon = math.max(currentEpsilon, that.currentEpsilon)
    currentChains = Chain.joined(currentChains ++ that.currentChains)
    takenSpans = Set.empty
    report()
  }

  def write(writer: Wire.Writer): Unit = HistoryWire.write(writer, this)

  protected def heldBytes: Long = Meter.ObjectBytes + currentChains.map(_.sizeBytes + Meter.ObjectBytes).sum

  override def description: Description =
    super.description.copy(times = Some(versions), trees = Some(trees), clamped = Some(clamped))
}

/** The family of sketches of all versions of a changing bag. A [[HistoryBuilder]] builds them from changes. */
object HistorySketches extends Family[HistorySketch] {
  val id = 7
  val name = "history"
  def aggregate: Seq[String] = Seq("history_sketch_agg", "value", "version")

  val Epsilon: Parameter = Parameter("epsilon", default = 0.01, least = 0.0, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Epsilon)

  def header(domain: Domain, numbers: Seq[Double]): Header[HistorySketch] =
    HistoryHeader(domain, numbers.head)
}

/** The parameters of a history: the type of its values, its ε, and the type of its versions. */
final case class HistoryRecipe(domain: Domain, epsilon: Double, versions: Domain)
    extends Recipe[HistorySketch] {
  require(TimeDomain.is(versions), s"versions of type ${versions.sql}")

  def family: Family[HistorySketch] = HistorySketches
  def numbers: Seq[Double] = Seq(epsilon)
  def empty: HistorySketch = new HistorySketch(domain, versions, epsilon, Vector.empty)

  /** An empty builder. */
  def builder: HistoryBuilder = new HistoryBuilder(this)

  override protected def text: String = s"${HistorySketches.name} by ${versions.sql}"
}

/** The header of a stored history. The type of the versions is in the payload. */
final case class HistoryHeader(domain: Domain, epsilon: Double) extends Header[HistorySketch] {
  def family: Family[HistorySketch] = HistorySketches
  def numbers: Seq[Double] = Seq(epsilon)
  def read(reader: Wire.Reader): HistorySketch = HistoryWire.read(reader, domain, epsilon)
}
