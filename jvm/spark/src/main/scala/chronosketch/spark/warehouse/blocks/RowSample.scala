package chronosketch.spark.warehouse.blocks

import java.util.SplittableRandom

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** A row of a sample: it stands for so many. */
private[blocks] final case class SampledRow(by: UnsafeRow, key: Long, weight: Long)

/** What a task has collected: how many rows, how many without a value, and some of them, evenly spread. */
private[blocks] final case class Collected(rows: Long, nulls: Long, sample: Array[SampledRow])

/** Takes a row of every stretch of equal length, anywhere in it: what comes round like clockwork is sampled too.
  *
  * @param most how many are kept at most; where more come, stretches get longer
  */
private[blocks] final class RowSample(columns: Int, most: Int, seed: Long) {
  private val random = new SplittableRandom(seed)
  private val kept = mutable.ArrayBuffer.empty[(UnsafeRow, Long)]
  private var stride = 1
  private var rows, nulls = 0L
  // the row that is taken next
  private var next = 0L

  def add(bytes: Array[Byte]): Unit = {
    val keys = new PackedKeys(bytes, columns)
    nulls += keys.nulls
    while (keys.next()) {
      var by: UnsafeRow = null
      while (next < rows + keys.count) {
        if (by == null) by = keys.by.copy()
        kept += ((by, keys.key((next - rows).toInt)))
        if (kept.size == most) thin()
        next = (next / stride + 1) * stride + random.nextInt(stride)
      }
      rows += keys.count
    }
  }

  private def thin(): Unit = {
    stride *= 2
    var i = 0
    while (2 * i + 1 < kept.size) {
      kept(i) = kept(2 * i + random.nextInt(2))
      i += 1
    }
    kept.takeInPlace(i)
  }

  def result: Collected =
    Collected(rows, nulls, kept.map { case (by, key) => SampledRow(by, key, stride.toLong) }.toArray)
}
