package chronosketch.history

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.RankProfile
import chronosketch.summary.{Family, Ranked, Summary}

/** Which values were alive at one version?
  *
  * Guarantee  what its profile says: rank error ≤ ε·(elements alive)
  * Cost       a few kB stored at ε = 0.01
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
    initialProfile: RankProfile
) extends Summary
    with Ranked
    with Metered {
  type Same = VersionSketch

  private var currentDomain = initialDomain
  private var currentEpsilon = initialEpsilon
  private var currentProfile = initialProfile

  def family: Family[VersionSketch] = VersionSketches
  def domain: Domain = currentDomain
  def epsilon: Double = currentEpsilon
  def header: VersionHeader = VersionHeader(currentDomain, currentEpsilon)
  def fresh: VersionSketch = new VersionSketch(currentDomain, currentEpsilon, RankProfile.empty)
  def profile: RankProfile = currentProfile

  /** The best estimate: the middle of what is certain. */
  def count: Long = {
    val (low, high) = countBounds
    low + (high - low) / 2
  }

  override def countBounds: (Long, Long) = (profile.countLow, profile.countHigh)

  override private[chronosketch] def held: Long = profile.countHigh

  protected def unite(that: VersionSketch, wider: Domain): Unit = {
    currentDomain = wider
    currentEpsilon = math.max(currentEpsilon, that.currentEpsilon)
    currentProfile = VersionSketch.normal(currentProfile.plus(that.currentProfile))
    report()
  }

  def write(writer: Wire.Writer): Unit = VersionWire.write(writer, profile)

  protected def heldBytes: Long = 2 * Meter.ObjectBytes + 5 * Meter.longs(profile.size)
}

private[history] object VersionSketch {

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
