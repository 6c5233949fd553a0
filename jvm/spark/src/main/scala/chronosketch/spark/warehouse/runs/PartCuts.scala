package chronosketch.spark.warehouse.runs

import java.util.SplittableRandom

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import chronosketch.sort.BinarySearch

/** Chooses the number of parts of sorted rows. Each part is one task and one file. */
private[warehouse] object PartCount {

  /** The approximate maximal number of rows in a part that is sorted, which takes 24 bytes per row in memory. */
  val MaxRows: Long = 4L << 20

  /** The approximate maximal number of rows in a part that is merged. Its files have some GB, which keeps the manifest short. */
  val MaxMerged: Long = 1L << 28

  /** A multiple of the number of tasks that run at once, or fewer parts for few rows. */
  def of(rows: Long, atOnce: Int, maxRows: Long = MaxRows): Int = {
    // a part with fewer rows is not worth a task
    val fewest = math.max(1L, math.min(maxRows, MaxRows) / 16)
    val rounds = (rows + maxRows * atOnce - 1) / (maxRows * atOnce)
    math.max(1L, math.min((rows + fewest - 1) / fewest, rounds * atOnce)).toInt
  }
}

/** A sampled row. It stands for `weight` rows. */
private[runs] final case class SampledRow(by: UnsafeRow, key: Long, weight: Long)

/** The rows of a partition: their number, the number of rows without a value, and an evenly spread sample. */
private[runs] final case class PartitionSample(rows: Long, nulls: Long, sample: Array[SampledRow])

/** Samples one row at a random place of each stretch of equal length. The random place avoids a bias if the values are periodic.
  *
  * @param most the maximal number of rows kept; when it is reached, the stretches become twice as long
  */
private[runs] final class RowSampler(columns: Int, most: Int, seed: Long) {
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

  def result: PartitionSample =
    PartitionSample(rows, nulls, sampled.map { case (by, key) => SampledRow(by, key, stride.toLong) }.toArray)
}

/** The rows at which sorted rows are cut into parts: part p has the rows after cut p − 1, up to cut p. Copies of a cut may be on both sides
  * of it, so that a value with many copies is spread over parts.
  */
private[runs] final case class PartCuts(groups: Array[UnsafeRow], keys: Array[Long]) {
  def parts: Int = keys.length + 1
}

private[runs] object PartCuts {

  /** Chooses cuts from a sample, so that the parts have about the same number of rows. */
  def choose(sample: Array[SampledRow], parts: Int, by: StructType): PartCuts = {
    val groups = Groups.ordering(by)
    val order: Ordering[SampledRow] = (a, b) => {
      val compared = groups.compare(a.by, b.by)
      if (compared != 0) compared else java.lang.Long.compare(a.key, b.key)
    }
    val sorted = sample.sorted(order)
    val ends = sorted.scanLeft(0L)(_ + _.weight).tail
    val chosen = Array.tabulate(parts - 1) { p =>
      // the first sampled row whose cumulative weight reaches the target
      val target = (ends.last * (p + 1.0) / parts).toLong
      val at = java.util.Arrays.binarySearch(ends, target)
      sorted(math.min(if (at >= 0) at else -at - 1, sorted.length - 1))
    }
    PartCuts(chosen.map(_.by), chosen.map(_.key))
  }
}

/** Distributes keys to parts. Each task has its own. */
private[runs] final class PartDistributor(cuts: PartCuts, by: StructType) {
  private val order: Ordering[InternalRow] = Groups.ordering(by)
  private val parts = Array.fill(cuts.parts)(new PackedKeys.Builder)
  private val isBegun = new Array[Boolean](cuts.parts)

  // how many copies of each cut the task has distributed
  private val copiesSeen = new Array[Int](cuts.keys.length)

  /** Packs the keys of one array for each part that gets some of them. */
  def distribute(bytes: Array[Byte]): Iterator[(Int, Array[Byte])] = {
    val keys = new PackedKeys(bytes, by.length)
    while (keys.next()) {
      val from = firstCut(keys.by, isAfter = false)
      val until = firstCut(keys.by, isAfter = true)
      if (from == until) {
        parts(from).begin(keys.by)
        parts(from).add(keys)
      } else spread(keys, from, until)
    }
    parts.indices.iterator.filterNot(parts(_).isEmpty).map(p => p -> parts(p).take())
  }

  /** The first cut whose group is not below a group, or the first whose group is above it if `isAfter`. */
  private def firstCut(group: UnsafeRow, isAfter: Boolean): Int =
    BinarySearch.firstWhere(cuts.groups.length) { i =>
      val compared = order.compare(cuts.groups(i), group)
      if (isAfter) compared > 0 else compared >= 0
    }

  /** Distributes the keys of a group that contains cuts. */
  private def spread(keys: PackedKeys, from: Int, until: Int): Unit = {
    java.util.Arrays.fill(isBegun, from, until + 1, false)
    val at = cuts.keys
    var i = 0
    while (i < keys.count) {
      val key = keys.key(i)
      var low = from
      var high = until
      while (low < high) {
        val middle = (low + high) >>> 1
        if (at(middle) < key) low = middle + 1 else high = middle
      }
      val part = if (low < until && at(low) == key) low + nextOffset(low, until, key) else low
      if (!isBegun(part)) {
        isBegun(part) = true
        parts(part).begin(keys.by)
      }
      parts(part).add(key)
      i += 1
    }
  }

  /** Distributes the copies of a cut round-robin to the parts around it. A repeated task may get its rows in another order, but must give
    * each part the same number of copies, because another task may already have read its part. So the choice depends on nothing but the
    * count.
    */
  private def nextOffset(first: Int, until: Int, key: Long): Int = {
    var end = first + 1
    while (end < until && cuts.keys(end) == key) end += 1
    copiesSeen(first) += 1
    Math.floorMod(copiesSeen(first), end - first + 1)
  }
}
