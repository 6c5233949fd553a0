package chronosketch.history

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.history.span.CountedSpan
import chronosketch.memory.{Meter, Metered}
import chronosketch.summary.{Description, Family, Header, Summary}

/** Which values were alive at any past version?
  *
  * Guarantee  the φ-quantile of what was alive at a version is off by at most ε times as many ranks as there were elements, at
  *            every version; exact where there were few
  * Cost       a million changes of 100 000 elements, as many inserts as deletes: 0.6 kB at ε = 0.05, 15 kB at 0.00625; twice as many
  *            inserts: 9 and 97 kB; rising values, the oldest deleted: 17 and 209 kB. A quantile reads a few dozen counters
  * Units      keys of `domain`; versions are keys of `versions`
  * Merge      legal when both types widen. Histories of different elements add up, from the first version of any to the least of
  *            their last; one that begins with what another ended with, later, goes on with it. Where neither is so, questions
  *            are refused, until what is missing has been merged. The larger ε counts
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
  def fresh: HistorySketch = HistoryRecipe(currentDomain, currentEpsilon, currentVersions).empty

  /** The type of its versions. */
  def versions: Domain = currentVersions

  /** Whether no update ever came: then there is no version to ask for. */
  override def isEmpty: Boolean = currentChains.isEmpty

  /** The versions that can be asked for, both included; refused where there is none. */
  def firstVersion: Long = { requireVersions(); currentChains.map(_.first).min }
  def lastVersion: Long = { requireVersions(); currentChains.map(_.last).min }

  /** How many trees and logs the versions are spread over. */
  def trees: Int = currentChains.map(_.spans.size).sum

  /** Deletes beyond what was alive: they were left out. */
  def clamped: Long = currentChains.foldLeft(0L)((sum, c) => CountedSpan.plus(sum, c.clamped))

  /** Elements alive after the last update. */
  def count: Long = currentChains.map(_.end.count).sum

  override private[chronosketch] def held: Long = currentChains.map(_.peak).sum

  private[history] def chains: Vector[Chain] = currentChains

  /** What was alive at a version, from the first to the last; between two that came, as at the former. Others are refused. */
  def at(version: Long): VersionSketch = {
    requireVersion(version)
    val place = if (currentChains.size == 1) currentChains.head.place(version, currentDomain) else None
    place match {
      case Some(there) => VersionSketch.at(currentDomain, currentEpsilon, there)
      case None =>
        val all = currentChains.map(_.profile(version, currentDomain)).reduce(_.plus(_))
        VersionSketch(currentDomain, currentEpsilon, VersionSketch.normal(all))
    }
  }

  // of one chain it costs nothing beside the question
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

  /** All parts have some version in common: where one begins, none has ended. */
  private def requireVersions(): Unit = {
    if (isEmpty) throw Refusal("CHRONOSKETCH_HISTORY_EMPTY")
    val ended = currentChains.minBy(_.last)
    val begun = currentChains.maxBy(_.first)
    if (begun.first > ended.last)
      throw Refusal(
        "CHRONOSKETCH_HISTORIES_APART",
        "first" -> ended.first.toString,
        "last" -> ended.last.toString,
        "count" -> ended.end.count.toString,
        "laterFirst" -> begun.first.toString,
        "laterLast" -> begun.last.toString,
        "laterCount" -> begun.start.count.toString
      )
  }

  private def widerVersions(that: HistorySketch): Domain =
    currentVersions.widenTimesOrRefuse(that.currentVersions, family.ofSecond(header.numbers))

  override protected def requireAlike(that: HistorySketch): Unit = {
    widerVersions(that)
    ()
  }

  protected def unite(that: HistorySketch, wider: Domain): Unit = {
    currentDomain = wider
    currentVersions = widerVersions(that)
    currentEpsilon = math.max(currentEpsilon, that.currentEpsilon)
    currentChains = Chain.joined(currentChains ++ that.currentChains)
    report()
  }

  def write(writer: Wire.Writer): Unit = HistoryWire.write(writer, this)

  protected def heldBytes: Long = Meter.ObjectBytes + currentChains.map(_.sizeBytes + Meter.ObjectBytes).sum

  override def description: Description =
    super.description.copy(times = Some(versions), trees = Some(trees), clamped = Some(clamped))
}
