package chronosketch.interchange

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{ProfileWire, RankProfile}
import chronosketch.summary.{Family, Header, Parameter, Ranked}

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
  def newEmpty: ImportedSketch = ImportedSketch(currentDomain, 0.0, RankProfile.empty)

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

  override private[chronosketch] def maxCount: Long = currentProfile.countHigh

  protected def mergeChecked(that: ImportedSketch, wider: Domain): Unit = {
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

/** The family of sketches made from other libraries' summaries. They can be merged, but nothing can be inserted. */
object ImportedSketches extends Family[ImportedSketch] {
  val id = 18
  val name = "imported sketch"
  def aggregate: Seq[String] = Nil

  val Delta: Parameter = Parameter("delta", default = 0.0, least = 0.0, greatest = 1.0)

  val parameters: Seq[Parameter] = Seq(Delta)

  def header(domain: Domain, numbers: Seq[Double]): Header[ImportedSketch] =
    ImportedHeader(domain, numbers.head)
}

/** The header of a stored imported sketch. The rank bounds are in the payload. */
final case class ImportedHeader(domain: Domain, delta: Double) extends Header[ImportedSketch] {
  def family: Family[ImportedSketch] = ImportedSketches
  def numbers: Seq[Double] = Seq(delta)
  def read(reader: Wire.Reader): ImportedSketch =
    ImportedSketch(domain, delta, ProfileWire.read(reader, domain))
}

/** Refusals of another library's summary that can't be read. */
private[chronosketch] object Unreadable {
  def histogram(reason: String): Refusal = Refusal("CHRONOSKETCH_INVALID_HISTOGRAM", "reason" -> reason)

  /** @param format name of the expected format */
  def bytes(length: Int, format: String, reason: String): Refusal = Refusal(
    "CHRONOSKETCH_NOT_IMPORTABLE",
    "bytes" -> length.toString,
    "format" -> format,
    "reason" -> reason
  )
}
