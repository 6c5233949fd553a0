package chronosketch.sample

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.{Cast, Domain}
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.sort.KeySort
import chronosketch.summary.{BufferedKeys, Description, Header, Inserts, RandomSummary, Ranked}

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
  * Cost       the first rows, up to 1.5 times `size`, are copied and drawn later, so that a task can hand them on as they came
  * Units      keys of `domain`
  * Merge      allowed if the value types widen and the method is the same. The result has the smaller size and the greater δ. The
  *            samples must have been drawn independently; two samples of the very same rows with the same seed are not
  */
abstract class Sample private[sample] (recipe: SampleRecipe[Sample], stream: Long)
    extends Inserts
    with RandomSummary
    with Sampled
    with Metered {
  type Same <: Sample

  protected final val draws: Draws = Draws.of(recipe.seed, stream)

  protected var currentDomain: Domain = recipe.domain
  protected var currentSize: Int = recipe.size
  private var currentDelta = recipe.delta
  protected var rowCount = 0L
  private var least = Long.MaxValue
  private var greatest = Long.MinValue

  // the first rows in order of arrival, which no draw has chosen from yet; null once they are drawn
  private var undrawn = Array.emptyLongArray
  private var undrawnCount = 0

  def domain: Domain = currentDomain
  final def header: Header[Same] = ownRecipe.asInstanceOf[Header[Same]]
  final def newEmpty: Same = ownRecipe.empty.asInstanceOf[Same]
  private def ownRecipe: SampleRecipe[Sample] =
    SampleRecipe(recipe.family, currentDomain, currentSize, recipe.seed, currentDelta)(StreamIds.Alone)

  final def castBy(cast: Cast): Same = {
    val recipe = ownRecipe.copy(domain = cast.to)(StreamIds.Alone)
    val other = recipe.empty.asInstanceOf[Same]
    val into: Sample = other
    drawWaiting()
    into.drawWaiting()
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

  def count: Long = ElementCount.checked(rowCount + undrawnCount)

  override def minimum: Option[Long] = { drawWaiting(); Option.when(count > 0)(least) }
  override def maximum: Option[Long] = { drawWaiting(); Option.when(count > 0)(greatest) }

  /** The sampled keys in ascending order. */
  final def values: Array[Long] = {
    count
    drawWaiting()
    val keys = sampleKeys
    KeySort.ofThread.sort(keys, keys.length)
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
      drawWaiting()
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

  private[chronosketch] final def mixIn(number: Long): Unit = draws.advance(number)

  final def insert(key: Long): Unit =
    if (undrawn == null) draw(key)
    else {
      if (undrawnCount == undrawn.length) makeRoomUndrawn(1)
      undrawn(undrawnCount) = key
      undrawnCount += 1
      if (undrawnCount == mostUndrawn) drawWaiting()
    }

  /** Draws whether a row belongs to the sample, and records it. */
  protected def draw(key: Long): Unit

  /** Draws for the first n rows of the sample, as [[draw]] would one by one. The array belongs to the sample from now on. */
  protected def drawFirst(keys: Array[Long], n: Int): Unit

  private def mostUndrawn: Int = SampleRecipe.mostUndrawn(recipe.size)

  private def makeRoomUndrawn(more: Int): Unit = {
    // as large as if the rows had been drawn: how many rows fit decides when a sample removes some, and so how many copies are drawn
    var capacity = math.max(undrawn.length, Sample.Fewest)
    while (capacity < undrawnCount + more) capacity *= 2
    undrawn = Arrays.copyOf(undrawn, capacity)
    report()
  }

  /** Draws for the rows that still wait for it. Later rows are drawn as they arrive. */
  protected final def drawWaiting(): Unit = if (undrawn != null) {
    val first = undrawn
    val n = undrawnCount
    undrawn = null
    undrawnCount = 0
    if (n > 0) drawFirst(first, n)
    report()
  }

  private[chronosketch] final override def bufferedKeys(most: Int): BufferedKeys =
    if (undrawn != null && undrawnCount <= most) new BufferedKeys(undrawn, undrawnCount) else null

  final def insert(key: Long, copies: Long): Unit =
    if (copies > 0) {
      ElementCount.requireRoom(count, copies)
      if (copies <= Sample.Few) {
        var i = copies
        while (i > 0) { insert(key); i -= 1 }
      } else {
        drawWaiting()
        insertMany(key, copies)
        recordRows(key, copies)
        report()
      }
    }

  /** Inserts many copies faster than one by one. The caller records their number. */
  protected def insertMany(key: Long, copies: Long): Unit

  final def insertAll(keys: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (undrawn != null && i < until) {
      val n = math.min(until - i, mostUndrawn - undrawnCount)
      if (undrawn.length - undrawnCount < n) makeRoomUndrawn(n)
      System.arraycopy(keys, i, undrawn, undrawnCount, n)
      undrawnCount += n
      i += n
      if (undrawnCount == mostUndrawn) drawWaiting()
    }
    while (i < until) { draw(keys(i)); i += 1 }
  }

  protected final def mergeChecked(that: Same, wider: Domain): Unit = {
    val other = that.asInstanceOf[Sample]
    drawWaiting()
    other.drawWaiting()
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
    drawWaiting()
    if (count > 0) {
      writer.zigzag(least)
      writer.varint(greatest - least)
      writeSample(writer)
    }
  }

  protected def writeSample(writer: Wire.Writer): Unit

  private[sample] final def read(reader: Wire.Reader): Unit = {
    drawWaiting()
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
    if (keys.length > 0) {
      writer.expect(2L * keys.length)
      writer.varint(keys(0) - least)
      writer.differences(keys, keys.length)
    }
  }

  /** Reads keys in ascending order between the least and the greatest one. Each takes at least `bytesEach` bytes. */
  protected final def readKeys(reader: Wire.Reader, bytesEach: Int): Array[Long] = {
    val m = reader.size(bytesEach)
    if (m > currentSize || m > rowCount)
      throw reader.corrupt(s"it has $m of $rowCount values, with room for $currentSize")
    val keys = new Array[Long](m)
    if (m > 0) keys(0) = least + reader.varint()
    reader.differences(keys, m)
    var before = least
    var isInOrder = true
    var i = 0
    while (i < m) {
      isInOrder &= before <= keys(i)
      before = keys(i)
      i += 1
    }
    if (!isInOrder || before > greatest)
      throw reader.corrupt("its values are not in order, or lie outside its least and greatest value")
    if (!domain.holdsAll(keys, m)) throw reader.corrupt(s"it has a value that ${domain.sql} can't have")
    keys
  }

  protected final def heldBytes: Long =
    Meter.ObjectBytes + drawnBytes + (if (undrawn == null) 0L else Meter.longs(undrawn.length))

  /** The memory of the arrays with the sampled rows. */
  protected def drawnBytes: Long
}

private[sample] object Sample {

  /** Up to this many copies are inserted one by one. */
  val Few = 16L

  /** Smallest capacity. */
  val Fewest = 16
}
