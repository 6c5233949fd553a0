package chronosketch.sample

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.summary.Family

/** A sample of a fixed size, kept in order of arrival: each new row takes the place of one of those that are there, or of none.
  *
  * Cost    a draw a row; 8 bytes a value of the sample, some 2 to 6 stored
  * Merge   how many come from either side is drawn as if the rows were; O(size)
  * Source  Vitter, Random sampling with a reservoir, 1985, Algorithm R; Meijer 2011, §4.5
  */
final class ReservoirSample private[sample] (recipe: SampleRecipe[Sample], stream: Long)
    extends Sample(recipe) {
  type Same = ReservoirSample

  private val draws = Draws.of(recipe.seed, stream)
  private var keys = new Array[Long](math.min(recipe.size, Sample.Fewest))
  private var taken = 0

  def family: Family[ReservoirSample] = ReservoirSamples

  def insert(key: Long): Unit = {
    if (taken < currentSize) add(key)
    else {
      val place = Draws.below(draws.next(), seen + 1)
      // below 0 where 63 bits no longer count the rows, which is refused soon
      if (place >= 0 && place < currentSize) keys(place.toInt) = key
    }
    draws.pass(key)
    note(key, 1L)
  }

  private def add(key: Long): Unit = {
    if (taken == keys.length) {
      keys = Arrays.copyOf(keys, math.min(currentSize.toLong, 2L * taken).toInt)
      report()
    }
    keys(taken) = key
    taken += 1
  }

  protected def insertMany(key: Long, copies: Long): Unit = {
    val others = new Array[Long](math.min(copies, currentSize.toLong).toInt)
    Arrays.fill(others, key)
    choose(others, others.length, copies)
    draws.pass(key)
    draws.pass(copies)
  }

  protected def draw(that: ReservoirSample): Unit = {
    draws.pass(that.draws.mark)
    choose(Arrays.copyOf(that.keys, that.taken), that.taken, that.seen)
  }

  /** Draws from the own sample of `seen` rows and from another of `rows`, whose array may be used for work. */
  private def choose(others: Array[Long], n: Int, rows: Long): Unit = {
    val wanted = math.min(currentSize.toLong, taken.toLong + n).toInt
    if (taken + n == wanted) {
      keys = Arrays.copyOf(keys, math.max(wanted, keys.length))
      System.arraycopy(others, 0, keys, taken, n)
    } else {
      val chosen = new Array[Long](wanted)
      var (ownRows, otherRows) = (seen, rows)
      var (own, other) = (taken, n)
      var i = 0
      while (i < wanted) {
        if (draws.below(ownRows + otherRows) < ownRows) {
          chosen(i) = take(keys, own)
          own -= 1
          ownRows -= 1
        } else {
          chosen(i) = take(others, other)
          other -= 1
          otherRows -= 1
        }
        i += 1
      }
      keys = chosen
    }
    taken = wanted
  }

  /** One of the first n, whose place the last of them takes. */
  private def take(from: Array[Long], n: Int): Long = {
    val at = draws.below(n.toLong).toInt
    val key = from(at)
    from(at) = from(n - 1)
    key
  }

  protected def kept: Array[Long] = Arrays.copyOf(keys, taken)

  protected def writeKept(writer: Wire.Writer): Unit = writeKeys(writer, values)

  protected def readKept(reader: Wire.Reader): Array[Long] = {
    val read = readKeys(reader, 1)
    if (read.length != math.min(seen, currentSize.toLong))
      throw reader.corrupt(s"it has ${read.length} of $seen values, with room for $currentSize")
    keys = read.clone()
    taken = read.length
    draws.pass(seen)
    read.foreach(draws.pass)
    read
  }

  protected def heldBytes: Long = sizeOf(keys)
}
