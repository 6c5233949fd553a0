package chronosketch.spark.warehouse.blocks

import java.util.SplittableRandom

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** A sampled row. It stands for `weight` rows. */
private[blocks] final case class SampledRow(by: UnsafeRow, key: Long, weight: Long)

/** The rows that a task has read: their number, the number of rows without a value, and an evenly spread sample. */
private[blocks] final case class Collected(rows: Long, nulls: Long, sample: Array[SampledRow])

/** Samples one row at a random place of each stretch of equal length. The random place avoids a bias if the values are periodic.
  *
  * @param most the maximal number of rows kept; when it is reached, the stretches become twice as long
  */
private[blocks] final class RowSample(columns: Int, most: Int, seed: Long) {
  private val random = new SplittableRandom(seed)
  private val sampled = mutable.ArrayBuffer.empty[(UnsafeRow, Long)]
  private var stride = 1
  private var rows, nulls = 0L
  // the index of the next row to sample
  private var next = 0L

  def add(bytes: Array[Byte]): Unit = {
    val keys = new PackedKeys(bytes, columns)
    nulls += keys.nulls
    while (keys.next()) {
      var by: UnsafeRow = null
      while (next < rows + keys.count) {
        if (by == null) by = keys.by.copy()
        sampled += ((by, keys.key((next - rows).toInt)))
        if (sampled.size == most) thin()
        next = (next / stride + 1) * stride + random.nextInt(stride)
      }
      rows += keys.count
    }
  }

  private def thin(): Unit = {
    stride *= 2
    var i = 0
    while (2 * i + 1 < sampled.size) {
      sampled(i) = sampled(2 * i + random.nextInt(2))
      i += 1
    }
    sampled.takeInPlace(i)
  }

  def result: Collected =
    Collected(rows, nulls, sampled.map { case (by, key) => SampledRow(by, key, stride.toLong) }.toArray)
}
