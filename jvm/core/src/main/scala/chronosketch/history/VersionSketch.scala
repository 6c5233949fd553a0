package chronosketch.history

import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain}
import chronosketch.history.span.CountedSpan
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{Phi, ProfileWire, RankProfile}
import chronosketch.summary.{Family, Header, Parameter, Ranked, Summary}

/** Answers quantiles of the values alive at one version of a history.
  *
  * Guarantee  that of its profile: rank error ≤ ε·(elements alive)
  * Cost       a few kB stored at ε = 0.01. Taken from a history, it reads only what a question needs, until there were several questions
  * Units      keys of `domain`; ranks start at 1
  * Merge      legal when the value types widen, also for different versions: the elements of both; the larger ε counts
  * Source     docs/algorithms.md, Any past version
  *
  * Bounds of how many elements are above a key are not stored: they follow from the bounds of how many are not above it, and from those
  * of the count.
  */
final class VersionSketch private[history] (
    initialDomain: Domain,
    initialEpsilon: Double,
    initialProfile: RankProfile,
    initialSource: SpanVersion,
    maxDirectQuantiles: Int
) extends Summary
    with Ranked
    with Metered {
  type Same = VersionSketch

  private var currentDomain = initialDomain
  private var currentEpsilon = initialEpsilon

  // one of these is null: a version taken from a history has no profile until one is needed
  private var currentProfile = initialProfile
  private var source = initialSource
  private var quantilesRead = 0

  def family: Family[VersionSketch] = VersionSketches
  def domain: Domain = currentDomain
  def epsilon: Double = currentEpsilon
  def header: VersionHeader = VersionHeader(currentDomain, currentEpsilon)
  def newEmpty: VersionSketch = VersionSketch(currentDomain, currentEpsilon, RankProfile.empty)
  def castBy(cast: Cast): VersionSketch = VersionSketch(cast.to, currentEpsilon, profile.castBy(cast))

  def profile: RankProfile = {
    if (source != null) useProfile(VersionSketch.normal(source.profile))
    currentProfile
  }

  private def useProfile(profile: RankProfile): Unit = {
    currentProfile = profile
    source = null
  }

  override def quantiles: Option[Phi => Long] =
    if (source == null) super.quantiles else Option.unless(source.maxCount == 0)(quantile)

  override def quantile(phi: Phi): Long = {
    val direct =
      if (source == null || quantilesRead == maxDirectQuantiles) None
      else { quantilesRead += 1; source.quantile(phi) }
    direct.getOrElse(profile.quantile(phi))
  }

  /** The middle of the bounds. */
  def count: Long = {
    val (low, high) = countBounds
    low + (high - low) / 2
  }

  override def countBounds: (Long, Long) =
    if (source == null) (profile.countLow, profile.countHigh) else (source.minCount, source.maxCount)

  override private[chronosketch] def maxCount: Long = countBounds._2

  protected def mergeChecked(that: VersionSketch, wider: Domain): Unit = {
    currentDomain = wider
    currentEpsilon = math.max(currentEpsilon, that.currentEpsilon)
    useProfile(VersionSketch.normal(profile.plus(that.profile)))
    report()
  }

  def write(writer: Wire.Writer): Unit = ProfileWire.write(writer, profile)

  // a SpanVersion uses the history's own arrays
  protected def heldBytes: Long =
    2 * Meter.ObjectBytes + (if (source == null) 5 * Meter.longs(profile.size) else 0L)
}

private[history] object VersionSketch {

  /** After this many direct quantiles the profile is built: it costs as much to read as these. */
  private val MaxDirectQuantiles = 4

  def apply(domain: Domain, epsilon: Double, profile: RankProfile): VersionSketch =
    new VersionSketch(domain, epsilon, profile, null, 0)

  /** A version of a history whose profile has not been read. If `isDirect`, its first quantiles are read without the profile. */
  def at(domain: Domain, epsilon: Double, source: SpanVersion, isDirect: Boolean): VersionSketch =
    new VersionSketch(domain, epsilon, null, source, if (isDirect) MaxDirectQuantiles else 0)

  /** The profile, with the bounds of how many elements are above a key replaced by those that follow from the rest. */
  def normal(profile: RankProfile): RankProfile = {
    val n = profile.size
    RankProfile.between(
      n,
      Array.tabulate(n)(profile.key),
      Array.tabulate(n)(profile.rankLow),
      Array.tabulate(n)(profile.rankHigh),
      profile.countLow,
      profile.countHigh
    )
  }
}

/** A version of a counted span that answers without reading all cells.
  *
  * Guarantee  the same answers as the profile's
  * Cost       the count: a search; a quantile: a path through the cells
  */
private[history] final class SpanVersion(val span: CountedSpan, version: Long, domain: Domain) {
  private val count = span.counters.at(0, version)

  def minCount: Long = span.minCount(count, version)
  def maxCount: Long = span.maxCount(count, version)

  def profile: RankProfile = span.profile(version, domain)

  /** The φ-quantile, or None if only the profile can answer it. The version must have elements. */
  def quantile(phi: Phi): Option[Long] = span.quantile(version, count, phi, domain)
}

/** The family of versions taken from a history. They can be merged, but nothing can be inserted. */
object VersionSketches extends Family[VersionSketch] {
  val id = 8
  val name = "version"
  def aggregate: Seq[String] = HistorySketches.aggregate

  val parameters: Seq[Parameter] = Seq(HistorySketches.Epsilon)

  def header(domain: Domain, numbers: Seq[Double]): Header[VersionSketch] =
    VersionHeader(domain, numbers.head)
}

/** The header of a stored version. The elements are in the payload. */
final case class VersionHeader(domain: Domain, epsilon: Double) extends Header[VersionSketch] {
  def family: Family[VersionSketch] = VersionSketches
  def numbers: Seq[Double] = Seq(epsilon)
  def read(reader: Wire.Reader): VersionSketch =
    VersionSketch(domain, epsilon, ProfileWire.read(reader, domain))
}
