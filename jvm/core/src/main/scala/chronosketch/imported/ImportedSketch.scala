package chronosketch.imported

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{ProfileWire, RankProfile}
import chronosketch.summary.{Family, Ranked}

/** What does a summary that another library made say about ranks?
  *
  * Guarantee  the bounds of its profile: always where delta is 0; else those that one question reads hold with the probability
  *            1 − delta, as the source states it for each question by itself
  * Cost       five numbers a key
  * Units      keys of `domain`
  * Merge      legal when the value types widen: the profiles add up, and so do the deltas, for either source may fail
  * Source     docs/interchange.md
  */
final class ImportedSketch private[imported] (
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

  /** What the source allowed itself is not known: what came of it is. */
  def epsilon: Double = rankError

  /** The best estimate: the middle of what is certain. */
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
