package chronosketch.sample

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.sort.PairSort
import chronosketch.summary.InsertsPairs

/** A sample of the rows whose priorities are the least, each a number of 63 bits drawn by chance.
  *
  * Guarantee  told the rows' identities, the same rows are the same sample and the same bytes, in whatever order and parts they came:
  *            a priority hangs on the seed, the identity and the value alone
  * Cost       a draw and a comparison a row; 16 bytes a value and room for as many again
  * Merge      the least of both. Rows are not told apart by their priorities: without identities, samples whose rows begin alike draw the
  *            same ones. So a row that both have counts twice, with an identity too, for it is not stored
  */
abstract class IdentifiedSample private[sample] (recipe: SampleRecipe[Sample], stream: Long)
    extends Sample(recipe)
    with InsertsPairs {
  private val draws = Draws.of(recipe.seed, stream)
  private val salt = Draws.salt(recipe.seed)
  protected var priorities, keys = new Array[Long](Sample.Fewest)
  protected var taken = 0

  // no row of a greater one can belong to the sample
  protected var limit = Long.MaxValue

  /** The first is the value, the second says which row it is of: no two rows have the same. */
  final def insertPair(key: Long, id: Long): Unit = {
    keep(Draws.told(salt, id, key), key)
    note(key, 1L)
  }

  final def insert(key: Long): Unit = {
    keep(draws.next() >>> 1, key)
    draws.pass(key)
    note(key, 1L)
  }

  /** The least of so many numbers, one after the other, until none can belong to it. */
  protected final def insertMany(key: Long, copies: Long): Unit = {
    var at = 0.0
    var left = copies
    var isNear = true
    while (left > 0 && isNear) {
      at += (1 - at) * -math.expm1(math.log(draws.unit()) / left)
      val priority = Math.scalb(at, 63).toLong
      isNear = priority <= limit
      keep(priority, key)
      left -= 1
    }
    draws.pass(key)
  }

  protected final def keep(priority: Long, key: Long): Unit = if (priority <= limit) {
    if (taken == keys.length) makeRoom()
    if (priority <= limit) {
      priorities(taken) = priority
      keys(taken) = key
      taken += 1
    }
  }

  private def makeRoom(): Unit = {
    if (taken > currentSize + currentSize / 2) choose()
    if (taken >= keys.length - keys.length / 4) {
      val more = math.max(Sample.Fewest, 2 * taken)
      priorities = Arrays.copyOf(priorities, more)
      keys = Arrays.copyOf(keys, more)
      report()
    }
  }

  /** Leaves out what does not belong to the sample. */
  protected def choose(): Unit

  /** By priority, and by key where that is equal. */
  protected final def sort(): Unit = sortPairs(priorities, keys)

  /** By the first, and by the second where that is equal. */
  private def sortPairs(first: Array[Long], second: Array[Long]): Unit = {
    new PairSort().sort(first, second, taken)
    var i = 1
    while (i < taken) {
      if (first(i) == first(i - 1)) {
        val from = i - 1
        while (i < taken && first(i) == first(from)) i += 1
        Arrays.sort(second, from, i)
      }
      i += 1
    }
  }

  protected final def keepAll(that: IdentifiedSample): Unit = {
    var i = 0
    while (i < that.taken) { keep(that.priorities(i), that.keys(i)); i += 1 }
    draws.pass(that.draws.mark)
    choose()
  }

  protected final def kept: Array[Long] = {
    choose()
    Arrays.copyOf(keys, taken)
  }

  protected def writeKept(writer: Wire.Writer): Unit = {
    choose()
    // by value, so that they are short
    val (k, p) = (Arrays.copyOf(keys, taken), Arrays.copyOf(priorities, taken))
    sortPairs(k, p)
    writeKeys(writer, k)
    p.foreach(writer.varint)
  }

  protected def readKept(reader: Wire.Reader): Array[Long] = {
    val read = readKeys(reader, 2)
    keys = read.clone()
    priorities = Array.fill(read.length)(reader.varint())
    if (priorities.exists(_ < 0)) throw reader.corrupt("a priority has more than 63 bits")
    taken = read.length
    draws.pass(seen)
    priorities.foreach(draws.pass)
    read
  }

  protected final def heldBytes: Long = sizeOf(keys, priorities)
}
