package chronosketch.sample

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.sort.PairSort
import chronosketch.summary.InsertsPairs

/** A sample of the rows with the least priorities, which are random numbers of 63 bits.
  *
  * Guarantee  if rows are inserted with their identities, the same rows give the same sample and the same bytes, in whatever
  *            order and parts they arrive: a priority depends only on the seed, the identity and the value
  * Cost       one draw and one comparison per row; 16 bytes per sampled value, and as much again of spare capacity
  * Merge      keeps the least priorities of both. Priorities do not identify rows: without identities, samples whose rows begin
  *            alike draw the same ones. So a row that both samples have counts twice, with an identity too, since it is not stored
  */
abstract class IdentifiedSample private[sample] (recipe: SampleRecipe[Sample], stream: Long)
    extends Sample(recipe)
    with InsertsPairs {
  private val draws = Draws.of(recipe.seed, stream)
  private val salt = Draws.salt(recipe.seed)
  protected var priorities, keys = new Array[Long](Sample.Fewest)
  protected var filled = 0

  // rows with a greater priority cannot belong to the sample
  protected var limit = Long.MaxValue

  /** Inserts a value with the identity of its row. No two rows may have the same identity. */
  final def insertPair(key: Long, id: Long): Unit = {
    offer(Draws.priorityOf(salt, id, key), key)
    recordRows(key, 1L)
  }

  final def insert(key: Long): Unit = {
    offer(draws.next() >>> 1, key)
    draws.advance(key)
    recordRows(key, 1L)
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
  protected final def sort(): Unit = sortPairs(priorities, keys)

  /** Sorts pairs by the first number, then by the second. */
  private def sortPairs(first: Array[Long], second: Array[Long]): Unit = {
    new PairSort().sort(first, second, filled)
    var i = 1
    while (i < filled) {
      if (first(i) == first(i - 1)) {
        val from = i - 1
        while (i < filled && first(i) == first(from)) i += 1
        Arrays.sort(second, from, i)
      }
      i += 1
    }
  }

  protected final def offerAll(that: IdentifiedSample): Unit = {
    var i = 0
    while (i < that.filled) { offer(that.priorities(i), that.keys(i)); i += 1 }
    draws.advance(that.draws.stateId)
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
    sortPairs(k, p)
    writeKeys(writer, k)
    p.foreach(writer.varint)
  }

  protected def readSample(reader: Wire.Reader): Array[Long] = {
    val read = readKeys(reader, 2)
    keys = read.clone()
    priorities = Array.fill(read.length)(reader.varint())
    if (priorities.exists(_ < 0)) throw reader.corrupt("a priority has more than 63 bits")
    filled = read.length
    draws.advance(rowCount)
    priorities.foreach(draws.advance)
    read
  }

  protected final def heldBytes: Long = sizeOf(keys, priorities)
}
