package chronosketch.interchange

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{ProfileWire, RankProfile}
import chronosketch.summary.{Family, Ranked}

/** A sketch made from another library's summary: the rank bounds that follow from it.
  *
  * Guarantee  the bounds of its profile. If delta is 0 they always hold; else the bounds that one question reads hold with probability
  *            1 − delta, as the source guarantees it for each question separately
  * Cost       five numbers per key
  * Units      keys of `domain`
  * Merge      legal when the value types widen: the profiles are added, and so are the deltas, because either source may fail
  * Source     docs/interchange.md
  */
final class ImportedSketch private[interchange] (
    initialDomain: Domain,
    initialDelta: Double,
    initialProfile: RankProfile
) extends Ranked
    with Metered {
  type Same = ImportedSketch

  private var currentDomain = initialDomain
  private var currentDelta = initialDelta
  private var currentProfile = initialProfile

  def family: Family[ImportedSketch] = ImportedSketches
  def domain: Domain = currentDomain
  def delta: Double = currentDelta
  def header: ImportedHeader = ImportedHeader(currentDomain, currentDelta)
  def fresh: ImportedSketch = ImportedSketch(currentDomain, 0.0, RankProfile.empty)

  def profile: RankProfile = currentProfile
  override def confidence: Double = 1 - currentDelta

  /** The rank error found in the profile. The ε that the source was built with is not known. */
  def epsilon: Double = rankError

  /** The middle of the bounds. */
  def count: Long = {
    val (low, high) = countBounds
    low + (high - low) / 2
  }

  override def countBounds: (Long, Long) = (currentProfile.countLow, currentProfile.countHigh)

  override private[chronosketch] def held: Long = currentProfile.countHigh

  protected def unite(that: ImportedSketch, wider: Domain): Unit = {
    currentDomain = wider
    currentDelta = math.min(1.0, currentDelta + that.currentDelta)
    currentProfile = currentProfile.plus(that.profile)
    report()
  }

  def write(writer: Wire.Writer): Unit = ProfileWire.write(writer, currentProfile)

  protected def heldBytes: Long = 2 * Meter.ObjectBytes + 5 * Meter.longs(currentProfile.size)
}

object ImportedSketch {

  /** @param delta the probability that the bounds which one question reads do not hold */
  def apply(domain: Domain, delta: Double, profile: RankProfile): ImportedSketch =
    new ImportedSketch(domain, delta, profile)
}
