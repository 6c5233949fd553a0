package chronosketch.sample

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.{Cast, Domain}
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{Description, Header, Inserts, Ranked}

/** A summary that consists of randomly sampled values, and answers from them.
  *
  * Guarantee  all its bounds hold together with probability [[confidence]] (see [[SampleBand]])
  */
trait Sampled extends Ranked {

  /** The sampled keys in ascending order. */
  def values: Array[Long]

  /** Rank bounds and estimates for all rows. */
  private[chronosketch] def profiles: SampleBand.Profiles

  /** The probability that some bound does not hold. */
  private[chronosketch] def delta: Double

  def profile: RankProfile = profiles.bounds
  override def estimates: RankProfile = profiles.estimates
  override def quantile(phi: Phi): Long = estimates.quantile(phi)
  override def rankError: Double = profiles.rankError
  override def confidence: Double = if (profile.isExact) 1.0 else 1 - delta

  override def description: Description = super.description.copy(kept = Some(values.length.toLong))
}

/** A random sample of the inserted values. All sets of rows of the same size are equally likely.
  *
  * Guarantee  all its bounds hold together with probability [[confidence]] (see [[SampleBand]]); count, least and greatest value
  *            are exact. While the sample contains all rows, everything is exact and certain
  * Units      keys of `domain`
  * Merge      allowed if the value types widen and the method is the same. The result has the smaller size and the greater δ. The
  *            samples must have been drawn independently; two samples of the very same rows with the same seed are not
  */
abstract class Sample private[sample] (recipe: SampleRecipe[Sample]) extends Inserts
    with Sampled
    with Metered {
  type Same <: Sample

  protected var currentDomain: Domain = recipe.domain
  protected var currentSize: Int = recipe.size
  private var currentDelta = recipe.delta
  protected var rowCount = 0L
  private var least = Long.MaxValue
  private var greatest = Long.MinValue

  def domain: Domain = currentDomain
  final def header: Header[Same] = ownRecipe.asInstanceOf[Header[Same]]
  final def newEmpty: Same = ownRecipe.empty.asInstanceOf[Same]
  private def ownRecipe: SampleRecipe[Sample] =
    SampleRecipe(recipe.family, currentDomain, currentSize, recipe.seed, currentDelta)(StreamIds.Alone)

  final def castBy(cast: Cast): Same = {
    val recipe = ownRecipe.copy(domain = cast.to)(StreamIds.Alone)
    val other = recipe.empty.asInstanceOf[Same]
    val into: Sample = other
    into.rowCount = count
    if (rowCount > 0) {
      into.least = cast(least)
      into.greatest = cast(greatest)
      castSample(other, cast)
    }
    other
  }

  /** Fills a sample that has no rows yet, but their count and ends, with the rows of this one. Its later draws are those of a sample that
    * is read from bytes.
    */
  protected def castSample(into: Same, cast: Cast): Unit

  def count: Long = ElementCount.checked(rowCount)

  override def minimum: Option[Long] = Option.when(count > 0)(least)
  override def maximum: Option[Long] = Option.when(count > 0)(greatest)

  /** The sampled keys in ascending order. */
  final def values: Array[Long] = {
    count
    val keys = sampleKeys
    Arrays.sort(keys)
    keys
  }

  /** A copy of the sampled keys. */
  protected def sampleKeys: Array[Long]

  // the last profiles, valid while the row count is unchanged
  private var cached: SampleBand.Profiles = null
  private var cachedAt = -1L

  private[chronosketch] final def profiles: SampleBand.Profiles =
    if (count == 0) SampleBand.Nothing
    else {
      if (cached == null || cachedAt != rowCount) {
        cached =
          SampleBand.of(values, SampleBand.Population(rowCount, rowCount, least, greatest), currentDelta)
        cachedAt = rowCount
      }
      cached
    }

  private[chronosketch] final def delta: Double = currentDelta

  def epsilon: Double = SampleSize.width(currentSize.toLong, currentDelta / 2)

  protected final def recordRows(key: Long, copies: Long): Unit = {
    rowCount += copies
    if (key < least) least = key
    if (key > greatest) greatest = key
  }

  final def insert(key: Long, copies: Long): Unit =
    if (copies > 0) {
      ElementCount.requireRoom(count, copies)
      if (copies <= Sample.Few) {
        var i = copies
        while (i > 0) { insert(key); i -= 1 }
      } else {
        insertMany(key, copies)
        recordRows(key, copies)
        report()
      }
    }

  /** Inserts many copies faster than one by one. The caller records their number. */
  protected def insertMany(key: Long, copies: Long): Unit

  final def insertAll(keys: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { insert(keys(i)); i += 1 }
  }

  protected final def mergeChecked(that: Same, wider: Domain): Unit = {
    val other = that.asInstanceOf[Sample]
    currentSize = math.min(currentSize, other.currentSize)
    currentDelta = math.max(currentDelta, other.currentDelta)
    mergeSample(that)
    currentDomain = wider
    rowCount += other.rowCount
    least = math.min(least, other.least)
    greatest = math.max(greatest, other.greatest)
    cached = null
    report()
  }

  /** Merges the sampled rows of another sample, keeping at most [[currentSize]]. The row counts are not added yet. */
  protected def mergeSample(that: Same): Unit

  final def write(writer: Wire.Writer): Unit = {
    writer.varint(count)
    if (count > 0) {
      writer.zigzag(least)
      writer.varint(greatest - least)
      writeSample(writer)
    }
  }

  protected def writeSample(writer: Wire.Writer): Unit

  private[sample] final def read(reader: Wire.Reader): Unit = {
    rowCount = reader.varint()
    if (rowCount < 0) throw reader.corrupt("its count has more than 63 bits")
    if (rowCount > 0) {
      least = reader.zigzag()
      greatest = least + reader.varint()
      if (
        greatest < least || !domain.holds(least) || !domain.holds(greatest) ||
        (rowCount == 1 && least != greatest)
      )
        throw reader.corrupt(s"its values are from $least to $greatest")
      val keys = readSample(reader)
      val isWhole = keys.length.toLong == rowCount
      if (isWhole && (keys(0) != least || keys(keys.length - 1) != greatest))
        throw reader.corrupt("it has all rows, but not the least and the greatest value")
    }
  }

  /** Reads and stores the sampled keys. Returns them in ascending order. */
  protected def readSample(reader: Wire.Reader): Array[Long]

  protected final def writeKeys(writer: Wire.Writer, keys: Array[Long]): Unit = {
    writer.varint(keys.length.toLong)
    writer.expect(2L * keys.length)
    var before = least
    var i = 0
    while (i < keys.length) {
      writer.varint(keys(i) - before)
      before = keys(i)
      i += 1
    }
  }

  /** Reads keys in ascending order between the least and the greatest one. Each takes at least `bytesEach` bytes. */
  protected final def readKeys(reader: Wire.Reader, bytesEach: Int): Array[Long] = {
    val m = reader.size(bytesEach)
    if (m > currentSize || m > rowCount)
      throw reader.corrupt(s"it has $m of $rowCount values, with room for $currentSize")
    val keys = new Array[Long](m)
    var before = least
    var i = 0
    while (i < m) {
      val key = before + reader.varint()
      if (key < before || key > greatest)
        throw reader.corrupt("its values are not in order, or lie outside its least and greatest value")
      keys(i) = key
      before = key
      i += 1
    }
    if (!domain.holdsAll(keys, m)) throw reader.corrupt(s"it has a value that ${domain.sql} can't have")
    keys
  }

  protected final def sizeOf(arrays: Array[Long]*): Long =
    Meter.ObjectBytes + arrays.map(a => Meter.longs(a.length)).sum
}

private[sample] object Sample {

  /** Up to this many copies are inserted one by one. */
  val Few = 16L

  /** Smallest capacity. */
  val Fewest = 16
}
