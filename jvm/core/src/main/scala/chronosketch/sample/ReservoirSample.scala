package chronosketch.sample

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.domain.Cast
import chronosketch.memory.Meter
import chronosketch.summary.Family

/** A sample of fixed size. A new row replaces a random row of the sample, or is left out.
  *
  * Cost    one draw per row; 8 bytes per sampled value, some 2 to 6 encoded
  * Merge   draws how many rows come from either side, as if all rows had been sampled together; O(size)
  * Source  Vitter, Random sampling with a reservoir, 1985, Algorithm R; Meijer 2011, §4.5
  */
final class ReservoirSample private[sample] (recipe: SampleRecipe[Sample], stream: Long)
    extends Sample(recipe, stream) {
  type Same = ReservoirSample

  private var keys = Array.emptyLongArray
  private var filled = 0

  def family: Family[ReservoirSample] = ReservoirSamples

  protected def draw(key: Long): Unit = {
    if (filled < currentSize) add(key)
    else {
      val place = Draws.below(draws.next(), rowCount + 1)
      // negative if the count overflows 63 bits, which is rejected soon
      if (place >= 0 && place < currentSize) keys(place.toInt) = key
    }
    draws.advance(key)
    recordRows(key, 1L)
  }

  /** The first rows of the array are the sample until it is full. A later row is placed among them, before its own position. */
  protected def drawFirst(first: Array[Long], n: Int): Unit = {
    keys = first
    var i = 0
    while (i < n) { draw(first(i)); i += 1 }
  }

  private def add(key: Long): Unit = {
    if (filled == keys.length) {
      val room = math.max(Sample.Fewest.toLong, 2L * filled)
      keys = Arrays.copyOf(keys, math.min(currentSize.toLong, room).toInt)
      report()
    }
    keys(filled) = key
    filled += 1
  }

  protected def insertMany(key: Long, copies: Long): Unit = {
    val others = new Array[Long](math.min(copies, currentSize.toLong).toInt)
    Arrays.fill(others, key)
    drawFrom(others, others.length, copies)
    draws.advance(key)
    draws.advance(copies)
  }

  protected def mergeSample(that: ReservoirSample): Unit = {
    // an empty sample does not change later draws, since a union leaves it out
    if (that.count > 0) draws.advance(that.draws.stateId)
    drawFrom(Arrays.copyOf(that.keys, that.filled), that.filled, that.rowCount)
  }

  /** Draws a new sample from this one, of `rowCount` rows, and from another one, of `rows` rows. The other array is overwritten. */
  private def drawFrom(others: Array[Long], n: Int, rows: Long): Unit = {
    val wanted = math.min(currentSize.toLong, filled.toLong + n).toInt
    if (filled + n == wanted) {
      keys = Arrays.copyOf(keys, math.max(wanted, keys.length))
      System.arraycopy(others, 0, keys, filled, n)
    } else {
      val chosen = new Array[Long](wanted)
      var (ownRows, otherRows) = (rowCount, rows)
      var (own, other) = (filled, n)
      var i = 0
      while (i < wanted) {
        if (draws.below(ownRows + otherRows) < ownRows) {
          chosen(i) = drawOne(keys, own)
          own -= 1
          ownRows -= 1
        } else {
          chosen(i) = drawOne(others, other)
          other -= 1
          otherRows -= 1
        }
        i += 1
      }
      keys = chosen
    }
    filled = wanted
  }

  /** Draws one of the first n keys, and moves the last of them to its place. */
  private def drawOne(from: Array[Long], n: Int): Long = {
    val at = draws.below(n.toLong).toInt
    val key = from(at)
    from(at) = from(n - 1)
    key
  }

  protected def castSample(into: ReservoirSample, cast: Cast): Unit = into.restore(cast.all(values, filled))

  /** Replaces the sampled keys by those of a stored sample, which ascend. */
  private def restore(stored: Array[Long]): Unit = {
    keys = stored.clone()
    filled = stored.length
    draws.advance(rowCount)
    draws.advanceAll(stored, filled)
  }

  protected def sampleKeys: Array[Long] = Arrays.copyOf(keys, filled)

  protected def writeSample(writer: Wire.Writer): Unit = writeKeys(writer, values)

  protected def readSample(reader: Wire.Reader): Array[Long] = {
    val read = readKeys(reader, 1)
    if (read.length != math.min(rowCount, currentSize.toLong))
      throw reader.corrupt(s"it has ${read.length} of $rowCount values, with room for $currentSize")
    restore(read)
    read
  }

  protected def drawnBytes: Long = Meter.longs(keys.length)
}
