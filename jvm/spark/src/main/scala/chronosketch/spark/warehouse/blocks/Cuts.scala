package chronosketch.spark.warehouse.blocks

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

/** The rows at which sorted rows are cut into parts: part p has the rows after cut p − 1, up to cut p. Copies of a cut may be on both sides
  * of it, so that a value with many copies is spread over parts.
  */
private[blocks] final case class Cuts(groups: Array[UnsafeRow], keys: Array[Long]) {
  def parts: Int = keys.length + 1
}

private[blocks] object Cuts {

  /** Chooses cuts from a sample, so that the parts have about the same number of rows. */
  def of(sample: Array[SampledRow], parts: Int, by: StructType): Cuts = {
    val groups = GroupOrder.of(by)
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
    Cuts(chosen.map(_.by), chosen.map(_.key))
  }
}

/** Distributes keys to parts. Each task has its own. */
private[blocks] final class Placing(cuts: Cuts, by: StructType) {
  private val order: Ordering[InternalRow] = GroupOrder.of(by)
  private val parts = Array.fill(cuts.parts)(new PackedKeys.Builder)
  private val isBegun = new Array[Boolean](cuts.parts)

  // how many copies of each cut the task has distributed
  private val copiesSeen = new Array[Int](cuts.keys.length)

  /** Packs the keys of one array for each part that gets some of them. */
  def place(bytes: Array[Byte]): Iterator[(Int, Array[Byte])] = {
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
  private def firstCut(group: UnsafeRow, isAfter: Boolean): Int = {
    var low = 0
    var high = cuts.groups.length
    while (low < high) {
      val middle = (low + high) >>> 1
      val compared = order.compare(cuts.groups(middle), group)
      if (if (isAfter) compared > 0 else compared >= 0) high = middle else low = middle + 1
    }
    low
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
