package chronosketch.history

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{Phi, ProfileWire, RankProfile}
import chronosketch.summary.{Family, Ranked, Summary}

/** Which values were alive at one version?
  *
  * Guarantee  what its profile says: rank error ≤ ε·(elements alive)
  * Cost       a few kB stored at ε = 0.01; just taken from a history, no more than what a question reads, until there are several
  * Units      keys of `domain`; ranks start at 1
  * Merge      legal when the value types widen, whatever the versions: what both have; the larger ε counts
  * Source     docs/algorithms.md, Any past version
  *
  * What it says of the greatest values it says of the least too: bounds of how many elements are above a key follow from those of how
  * many are not, and from those of the count.
  */
final class VersionSketch private[history] (
    initialDomain: Domain,
    initialEpsilon: Double,
    initialProfile: RankProfile,
    initialPlace: SpanVersion
) extends Summary
    with Ranked
    with Metered {
  type Same = VersionSketch

  private var currentDomain = initialDomain
  private var currentEpsilon = initialEpsilon

  // one of them is null: a version that was only taken has a place in its history, and no profile yet
  private var currentProfile = initialProfile
  private var place = initialPlace
  private var asked = 0

  def family: Family[VersionSketch] = VersionSketches
  def domain: Domain = currentDomain
  def epsilon: Double = currentEpsilon
  def header: VersionHeader = VersionHeader(currentDomain, currentEpsilon)
  def fresh: VersionSketch = VersionSketch(currentDomain, currentEpsilon, RankProfile.empty)

  def profile: RankProfile = {
    if (place != null) settle(VersionSketch.normal(place.profile))
    currentProfile
  }

  private def settle(profile: RankProfile): Unit = {
    currentProfile = profile
    place = null
  }

  override def quantiles: Option[Phi => Long] =
    if (place == null) super.quantiles else Option.unless(place.most == 0)(quantile)

  override def quantile(phi: Phi): Long = {
    val found =
      if (place == null || asked == VersionSketch.Few) None else { asked += 1; place.quantile(phi) }
    found.getOrElse(profile.quantile(phi))
  }

  /** The best estimate: the middle of what is certain. */
  def count: Long = {
    val (low, high) = countBounds
    low + (high - low) / 2
  }

  override def countBounds: (Long, Long) =
    if (place == null) (profile.countLow, profile.countHigh) else (place.fewest, place.most)

  override private[chronosketch] def held: Long = countBounds._2

  protected def unite(that: VersionSketch, wider: Domain): Unit = {
    currentDomain = wider
    currentEpsilon = math.max(currentEpsilon, that.currentEpsilon)
    settle(VersionSketch.normal(profile.plus(that.profile)))
    report()
  }

  def write(writer: Wire.Writer): Unit = ProfileWire.write(writer, profile)

  // a place is in the history's own arrays
  protected def heldBytes: Long =
    2 * Meter.ObjectBytes + (if (place == null) 5 * Meter.longs(profile.size) else 0L)
}

private[history] object VersionSketch {

  /** So many quantiles are read from the history as soon as the whole profile. */
  private val Few = 4

  def apply(domain: Domain, epsilon: Double, profile: RankProfile): VersionSketch =
    new VersionSketch(domain, epsilon, profile, null)

  /** That a history was asked for, and nothing yet of it. */
  def at(domain: Domain, epsilon: Double, place: SpanVersion): VersionSketch =
    new VersionSketch(domain, epsilon, null, place)

  /** The same, but for what is said of elements above a key: that follows from the rest. */
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
