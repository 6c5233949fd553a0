package chronosketch.sample

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.domain.Cast
import chronosketch.memory.Meter
import chronosketch.sort.PairSort
import chronosketch.summary.{Family, InsertsPairs}

/** A sample of the rows with the least priorities, which are random numbers of 63 bits.
  *
  * Guarantee  if rows are inserted with their identities, the same rows give the same sample and the same bytes, in whatever
  *            order and parts they arrive: a priority depends only on the seed, the identity and the value
  * Cost       one draw and one comparison per row; 16 bytes per sampled value, and as much again of spare capacity
  * Merge      keeps the least priorities of both. Priorities do not identify rows: without identities, samples whose rows begin
  *            alike draw the same ones. So a row that both samples have counts twice, with an identity too, since it is not stored
  */
abstract class IdentifiedSample private[sample] (recipe: SampleRecipe[Sample], stream: Long)
    extends Sample(recipe, stream)
    with InsertsPairs {
  private val salt = Draws.salt(recipe.seed)
  protected var priorities, keys = Array.emptyLongArray
  protected var filled = 0

  // rows with a greater priority cannot belong to the sample
  protected var limit = Long.MaxValue

  /** Inserts a value with the identity of its row. No two rows may have the same identity. */
  final def insertPair(key: Long, id: Long): Unit = {
    drawWaiting()
    offer(Draws.priorityOf(salt, id, key), key)
    recordRows(key, 1L)
  }

  protected final def draw(key: Long): Unit = {
    offer(draws.next() >>> 1, key)
    draws.advance(key)
    recordRows(key, 1L)
  }

  /** All of the first rows fit into the array, since none is removed before it is full. */
  protected final def drawFirst(first: Array[Long], n: Int): Unit = {
    keys = first
    priorities = new Array[Long](first.length)
    var i = 0
    while (i < n) { draw(first(i)); i += 1 }
  }

  /** Draws the priorities of the copies in ascending order, until one is too large for the sample. */
  protected final def insertMany(key: Long, copies: Long): Unit = {
    var at = 0.0
    var left = copies
    var isNear = true
    while (left > 0 && isNear) {
      at += (1 - at) * -math.expm1(math.log(draws.unit()) / left)
      val priority = Math.scalb(at, 63).toLong
      isNear = priority <= limit
      offer(priority, key)
      left -= 1
    }
    draws.advance(key)
  }

  protected final def offer(priority: Long, key: Long): Unit = if (priority <= limit) {
    if (filled == keys.length) makeRoom()
    if (priority <= limit) {
      priorities(filled) = priority
      keys(filled) = key
      filled += 1
    }
  }

  private def makeRoom(): Unit = {
    if (filled > currentSize + currentSize / 2) prune()
    if (filled >= keys.length - keys.length / 4) {
      val more = math.max(Sample.Fewest, 2 * filled)
      priorities = Arrays.copyOf(priorities, more)
      keys = Arrays.copyOf(keys, more)
      report()
    }
  }

  /** Removes the rows that do not belong to the sample. */
  protected def prune(): Unit

  /** Sorts by priority, then by key. */
  protected final def sort(): Unit = new PairSort().sortByBoth(priorities, keys, filled)

  protected final def offerAll(that: IdentifiedSample): Unit = {
    var i = 0
    while (i < that.filled) { offer(that.priorities(i), that.keys(i)); i += 1 }
    // an empty sample does not change later draws, since a union leaves it out
    if (that.count > 0) draws.advance(that.draws.stateId)
    prune()
  }

  protected final def sampleKeys: Array[Long] = {
    prune()
    Arrays.copyOf(keys, filled)
  }

  protected def writeSample(writer: Wire.Writer): Unit = {
    prune()
    // sorted by value, so that the differences are short
    val (k, p) = (Arrays.copyOf(keys, filled), Arrays.copyOf(priorities, filled))
    new PairSort().sortByBoth(k, p, filled)
    writeKeys(writer, k)
    writer.varints(p, filled)
  }

  protected def readSample(reader: Wire.Reader): Array[Long] = {
    val read = readKeys(reader, 2)
    val stored = new Array[Long](read.length)
    reader.varints(stored, stored.length)
    if (stored.exists(_ < 0)) throw reader.corrupt("a priority has more than 63 bits")
    restore(read.clone(), stored)
    read
  }

  /** Replaces the rows by those of a stored sample, which are in order of their keys and then of their priorities. */
  private def restore(storedKeys: Array[Long], storedPriorities: Array[Long]): Unit = {
    keys = storedKeys
    priorities = storedPriorities
    filled = storedKeys.length
    draws.advance(rowCount)
    draws.advanceAll(priorities, filled)
  }

  /** Fills a sample without rows with those of this one, their keys cast. */
  protected final def castRows(into: IdentifiedSample, cast: Cast): Unit = {
    prune()
    val (k, p) = (cast.all(keys, filled), Arrays.copyOf(priorities, filled))
    new PairSort().sortByBoth(k, p, filled)
    into.restore(k, p)
    into.limit = limit
  }

  protected final def drawnBytes: Long = Meter.longs(keys.length) + Meter.longs(priorities.length)
}

/** A sample of fixed size: the rows with the least priorities.
  *
  * Source  Fan, Muller, Rezucha 1962, sampling by random numbers; Meijer 2011, §4.5; departs: no row expires here
  */
final class PrioritySample private[sample] (recipe: SampleRecipe[Sample], stream: Long)
    extends IdentifiedSample(recipe, stream) {
  type Same = PrioritySample

  def family: Family[PrioritySample] = PrioritySamples

  protected def prune(): Unit =
    if (filled > currentSize || (filled == currentSize && limit == Long.MaxValue)) {
      sort()
      filled = currentSize
      limit = priorities(filled - 1)
    }

  protected def mergeSample(that: PrioritySample): Unit = offerAll(that)

  protected def castSample(into: PrioritySample, cast: Cast): Unit = castRows(into, cast)

  override protected def readSample(reader: Wire.Reader): Array[Long] = {
    val read = super.readSample(reader)
    if (read.length != math.min(rowCount, currentSize.toLong))
      throw reader.corrupt(s"it has ${read.length} of $rowCount values, with room for $currentSize")
    read
  }
}

/** A sample that contains each row with the same probability. The probability starts at 1 and is halved whenever more than `size`
  * rows would belong to the sample.
  *
  * Source  Gemulla, Haas, Sampling algorithms for evolving datasets, 2008, §4, with thresholds for hashes as in Gibbons 2001;
  *         Meijer 2011, §4.5
  *
  * Most of the time the sample has between half of `size` and `size` rows.
  */
final class BernoulliSample private[sample] (recipe: SampleRecipe[Sample], stream: Long)
    extends IdentifiedSample(recipe, stream) {
  type Same = BernoulliSample

  // how many times the probability was halved
  private var halvings = 0

  def family: Family[BernoulliSample] = BernoulliSamples

  protected def prune(): Unit = {
    while (filled > currentSize && halvings < BernoulliSample.Most) halve(halvings + 1)
    if (filled > currentSize) {
      // only forged bytes have this many rows of priority 0; even then the order of merges must not matter
      sort()
      filled = currentSize
    }
  }

  private def halve(to: Int): Unit = {
    halvings = to
    limit = Long.MaxValue >>> halvings
    var o = 0
    var i = 0
    while (i < filled) {
      if (priorities(i) <= limit) {
        priorities(o) = priorities(i)
        keys(o) = keys(i)
        o += 1
      }
      i += 1
    }
    filled = o
  }

  protected def castSample(into: BernoulliSample, cast: Cast): Unit = {
    castRows(into, cast)
    into.halvings = halvings
  }

  protected def mergeSample(that: BernoulliSample): Unit = {
    if (that.halvings > halvings) halve(that.halvings)
    offerAll(that)
  }

  override protected def writeSample(writer: Wire.Writer): Unit = {
    prune()
    writer.byte(halvings)
    super.writeSample(writer)
  }

  override protected def readSample(reader: Wire.Reader): Array[Long] = {
    halvings = reader.byte()
    if (halvings > BernoulliSample.Most) throw reader.corrupt(s"its probability was halved $halvings times")
    limit = Long.MaxValue >>> halvings
    val read = super.readSample(reader)
    if (halvings == 0 && read.length != rowCount)
      throw reader.corrupt(s"it has ${read.length} of $rowCount values")
    if (priorities.exists(_ > limit)) throw reader.corrupt("it has a row that does not belong to it")
    read
  }
}

private[sample] object BernoulliSample {

  /** After more halvings only rows of priority 0 remain. */
  val Most = 62
}
