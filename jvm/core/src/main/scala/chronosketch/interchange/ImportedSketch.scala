package chronosketch.interchange

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain}
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{ProfileWire, RankProfile}
import chronosketch.summary.{Family, Header, Parameter, Ranked}

/** A sketch made from another library's summary: the rank bounds that follow from it, and the source's own estimates of ranks.
  *
  * Guarantee  the bounds of its profile. If delta is 0 they always hold; else the bounds that one question reads hold with probability
  *            1 − delta, as the source guarantees it for each question separately. Answers are those of the source, within the bounds
  * Cost       six numbers per key
  * Units      keys of `domain`
  * Merge      legal when the value types widen: the profiles are added, and so are the deltas, because either source may fail
  * Source     docs/interchange.md
  */
final class ImportedSketch private[interchange] (
    initialDomain: Domain,
    initialDelta: Double,
    initialProfile: RankProfile,
    initialSkews: Array[Long]
) extends Ranked
    with Metered {
  type Same = ImportedSketch

  private var currentDomain = initialDomain
  private var currentDelta = initialDelta
  private var currentProfile = initialProfile

  // null if the source says no more than the bounds: then all are 0
  private var currentSkews = ImportedSketch.known(initialSkews)
  private var currentEstimates: RankProfile = null

  def family: Family[ImportedSketch] = ImportedSketches
  def domain: Domain = currentDomain
  def delta: Double = currentDelta
  def header: ImportedHeader = ImportedHeader(currentDomain, currentDelta)
  def newEmpty: ImportedSketch = ImportedSketch(currentDomain, 0.0, RankProfile.empty)

  def castBy(cast: Cast): ImportedSketch = {
    val profile = currentProfile.castBy(cast)
    val skews =
      if (currentSkews == null) null
      else {
        // of keys that become equal, the last one has the bounds that stay
        val keys = Array.tabulate(currentProfile.size)(i => cast(currentProfile.key(i)))
        keys.indices.filter(i => i + 1 == keys.length || keys(i) != keys(i + 1)).map(currentSkews(_)).toArray
      }
    new ImportedSketch(cast.to, currentDelta, profile, skews)
  }

  def profile: RankProfile = currentProfile
  override def estimates: RankProfile =
    if (currentSkews == null) currentProfile
    else {
      if (currentEstimates == null)
        currentEstimates = ImportedSketch.estimated(currentProfile, currentSkews)
      currentEstimates
    }
  override def fillsIntervals: Boolean = currentDelta == 0 && !currentProfile.isExact
  override def confidence: Double = 1 - currentDelta

  /** The rank error found in the profile. The ε that the source was built with is not known. */
  def epsilon: Double = rankError

  override def rankError: Double =
    if (currentSkews == null) super.rankError
    else {
      val estimated = estimates
      var worst = 0L
      var i = 0
      while (i < currentProfile.size) {
        val (low, high) = currentProfile.rankBounds(i)
        val estimate = estimated.rankLow(i)
        worst = math.max(worst, math.max(estimate - low, high - estimate))
        i += 1
      }
      worst.toDouble / currentProfile.countLow.toDouble
    }

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
    val sum = currentProfile.plus(that.profile)
    currentSkews =
      if ((currentSkews == null && that.currentSkews == null) || sum.countHigh > ImportedSketch.MostEstimated)
        null
      else
        ImportedSketch.known(Array.tabulate(sum.size)(i => skewAt(sum.key(i)) + that.skewAt(sum.key(i))))
    currentEstimates = null
    currentProfile = sum
    report()
  }

  private def skewAt(key: Long): Long = {
    val at = if (currentSkews == null) -1 else currentProfile.position(key)
    if (at < 0) 0L else currentSkews(at)
  }

  def write(writer: Wire.Writer): Unit = {
    if (currentSkews != null) writer.varint(ImportedSketch.WithEstimates)
    ProfileWire.write(writer, currentProfile)
    // the rank of the last key is certain
    if (currentSkews != null) (0 until currentProfile.size - 1).foreach(i => writer.zigzag(currentSkews(i)))
  }

  protected def heldBytes: Long =
    2 * Meter.ObjectBytes + (if (currentSkews == null) 5 else 8) * Meter.longs(currentProfile.size)
}

object ImportedSketch {

  /** With more elements there are no estimates, so that sums of ranks fit 63 bits. */
  private[interchange] val MostEstimated: Long = 1L << 61

  /** @param delta the probability that the bounds which one question reads do not hold */
  def apply(domain: Domain, delta: Double, profile: RankProfile): ImportedSketch =
    new ImportedSketch(domain, delta, profile, null)

  /** @param skews for each key, twice the rank that the source estimates, less the sum of its bounds. Twice the ranks can be added: the
    *              sketches of any order of merges are equal
    */
  def apply(domain: Domain, delta: Double, profile: RankProfile, skews: Array[Long]): ImportedSketch =
    new ImportedSketch(domain, delta, profile, if (profile.countHigh > MostEstimated) null else skews)

  private def known(skews: Array[Long]): Array[Long] =
    if (skews == null || skews.forall(_ == 0)) null else skews

  private def estimated(profile: RankProfile, skews: Array[Long]): RankProfile = {
    val n = profile.size
    val ranks = Array.tabulate(n) { i =>
      val (low, high) = profile.rankBounds(i)
      low + (high - low + skews(i) + 1) / 2
    }
    RankProfile.certain(n, Array.tabulate(n)(profile.key), ranks, ranks, profile.countLow)
  }

  /** Marks a payload with estimates, in front of the profile. It is above any number of keys. */
  private val WithEstimates = 1L << 32

  /** Reads what [[ImportedSketch.write]] wrote. */
  private[interchange] def read(reader: Wire.Reader, domain: Domain, delta: Double): ImportedSketch = {
    val hasEstimates = reader.fork().varint() == WithEstimates
    if (hasEstimates) reader.varint()
    val profile = ProfileWire.read(reader, domain)
    if (!hasEstimates) ImportedSketch(domain, delta, profile)
    else {
      if (profile.countLow != profile.countHigh || profile.countHigh > MostEstimated)
        throw reader.corrupt("it estimates ranks of too many or uncertain elements")
      val skews = new Array[Long](profile.size)
      var before = 0L
      var i = 0
      while (i < profile.size - 1) {
        skews(i) = reader.zigzag()
        val (low, high) = profile.rankBounds(i)
        val twice = low + high + skews(i)
        if (math.abs(skews(i)) > high - low || skews(i) == Long.MinValue || twice < before)
          throw reader.corrupt(s"an estimated rank is not from $low to $high, or falls")
        before = twice
        i += 1
      }
      ImportedSketch(domain, delta, profile, skews)
    }
  }
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
  def read(reader: Wire.Reader): ImportedSketch = ImportedSketch.read(reader, domain, delta)
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
