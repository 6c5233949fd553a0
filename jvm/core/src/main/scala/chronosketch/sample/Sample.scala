package chronosketch.sample

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.summary.{Header, Inserts}

/** Some of the values that came, chosen by chance: each set of as many rows is as likely as any other.
  *
  * Guarantee  its bounds hold all at once with the probability [[confidence]], as [[SampleBand]] says; count, least and greatest value
  *            are exact. While nothing was left out, all is exact and certain
  * Units      keys of `domain`
  * Merge      legal when the value types widen, of the same method. The smaller size counts, and the greater δ. The samples must have
  *            been drawn independently: two of the very same rows, with the same seed, are not
  */
abstract class Sample private[sample] (recipe: SampleRecipe[Sample]) extends Inserts
    with Sampled
    with Metered {
  protected var currentDomain: Domain = recipe.domain
  protected var currentSize: Int = recipe.size
  private var currentDelta = recipe.delta
  protected var seen = 0L
  private var least = Long.MaxValue
  private var greatest = Long.MinValue

  def domain: Domain = currentDomain
  final def header: Header[Same] = ownRecipe.asInstanceOf[Header[Same]]
  final def fresh: Same = ownRecipe.empty.asInstanceOf[Same]
  private def ownRecipe: SampleRecipe[Sample] =
    SampleRecipe(recipe.family, currentDomain, currentSize, recipe.seed, currentDelta)(Streams.Alone)

  def count: Long = ElementCount.of(seen)

  override def minimum: Option[Long] = Option.when(count > 0)(least)
  override def maximum: Option[Long] = Option.when(count > 0)(greatest)

  /** The keys of the sample, rising. */
  final def values: Array[Long] = {
    count
    val keys = kept
    Arrays.sort(keys)
    keys
  }

  /** The keys of the sample, a copy. */
  protected def kept: Array[Long]

  // what was known when so many rows had been seen: n and the sample say when it is out of date
  private var latest: SampleBand.Known = null
  private var latestAt = -1L

  private[chronosketch] final def known: SampleBand.Known =
    if (count == 0) SampleBand.Nothing
    else {
      if (latest == null || latestAt != seen) {
        latest = SampleBand.of(values, SampleBand.Population(seen, seen, least, greatest), currentDelta)
        latestAt = seen
      }
      latest
    }

  private[chronosketch] final def delta: Double = currentDelta

  def epsilon: Double = SampleSize.width(currentSize.toLong, currentDelta / 2)

  protected final def note(key: Long, copies: Long): Unit = {
    seen += copies
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
        note(key, copies)
        report()
      }
    }

  /** More copies than one would draw for one by one; they have not been noted. */
  protected def insertMany(key: Long, copies: Long): Unit

  final def insertAll(keys: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { insert(keys(i)); i += 1 }
  }

  protected final def unite(that: Same, wider: Domain): Unit = {
    val other = that.asInstanceOf[Sample]
    currentSize = math.min(currentSize, other.currentSize)
    currentDelta = math.max(currentDelta, other.currentDelta)
    draw(that)
    currentDomain = wider
    seen += other.seen
    least = math.min(least, other.least)
    greatest = math.max(greatest, other.greatest)
    latest = null
    report()
  }

  /** Of the own sample and the other one, no more than [[currentSize]]; neither's rows have been counted together yet. */
  protected def draw(that: Same): Unit

  final def write(writer: Wire.Writer): Unit = {
    writer.varint(count)
    if (count > 0) {
      writer.zigzag(least)
      writer.varint(greatest - least)
      writeKept(writer)
    }
  }

  protected def writeKept(writer: Wire.Writer): Unit

  private[sample] final def read(reader: Wire.Reader): Unit = {
    seen = reader.varint()
    if (seen < 0) throw reader.corrupt("its count has more than 63 bits")
    if (seen > 0) {
      least = reader.zigzag()
      greatest = least + reader.varint()
      if (
        greatest < least || !domain.holds(least) || !domain.holds(greatest) ||
        (seen == 1 && least != greatest)
      )
        throw reader.corrupt(s"its values are from $least to $greatest")
      val keys = readKept(reader)
      val isWhole = keys.length.toLong == seen
      if (isWhole && (keys(0) != least || keys(keys.length - 1) != greatest))
        throw reader.corrupt("it has all rows, but not the least and the greatest value")
    }
  }

  /** Reads the keys, rising, and keeps them. */
  protected def readKept(reader: Wire.Reader): Array[Long]

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

  /** Rising keys between the ends; `bytesEach` is what each takes at least. */
  protected final def readKeys(reader: Wire.Reader, bytesEach: Int): Array[Long] = {
    val m = reader.size(bytesEach)
    if (m > currentSize || m > seen)
      throw reader.corrupt(s"it has $m of $seen values, with room for $currentSize")
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

  /** So many copies are drawn for one by one. */
  val Few = 16L

  /** The least room. */
  val Fewest = 16
}
