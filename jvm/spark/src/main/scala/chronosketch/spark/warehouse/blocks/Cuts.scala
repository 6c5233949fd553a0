package chronosketch.spark.warehouse.blocks

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

/** Where sorted rows are cut into parts: part p has what comes after cut p − 1, up to cut p. Copies of a cut may lie on both sides of it,
  * so that a value that comes often is spread over parts.
  */
private[blocks] final case class Cuts(groups: Array[UnsafeRow], keys: Array[Long]) {
  def parts: Int = keys.length + 1
}

private[blocks] object Cuts {

  /** Cuts that leave parts of about the same number of rows, as far as a sample tells. */
  def of(sample: Array[SampledRow], parts: Int, by: StructType): Cuts = {
    val groups = GroupOrder.of(by)
    val order: Ordering[SampledRow] = (a, b) => {
      val compared = groups.compare(a.by, b.by)
      if (compared != 0) compared else java.lang.Long.compare(a.key, b.key)
    }
    val sorted = sample.sorted(order)
    val ends = sorted.scanLeft(0L)(_ + _.weight).tail
    val chosen = Array.tabulate(parts - 1) { p =>
      // the first of which so many rows are not behind it
      val wanted = (ends.last * (p + 1.0) / parts).toLong
      val at = java.util.Arrays.binarySearch(ends, wanted)
      sorted(math.min(if (at >= 0) at else -at - 1, sorted.length - 1))
    }
    Cuts(chosen.map(_.by), chosen.map(_.key))
  }
}

/** Sends keys to parts. One a task. */
private[blocks] final class Placing(cuts: Cuts, by: StructType) {
  private val order: Ordering[InternalRow] = GroupOrder.of(by)
  private val parts = Array.fill(cuts.parts)(new PackedKeys.Builder)
  private val isBegun = new Array[Boolean](cuts.parts)

  // of each cut how many copies have come
  private val turns = new Array[Int](cuts.keys.length)

  /** What each part gets of this. */
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

  /** The first cut that is not before a group, or that is after it. */
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

  /** A group in which there are cuts. */
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
      val part = if (low < until && at(low) == key) low + takeTurn(low, until, key) else low
      if (!isBegun(part)) {
        isBegun(part) = true
        parts(part).begin(keys.by)
      }
      parts(part).add(key)
      i += 1
    }
  }

  /** Copies of a cut go to the parts around it, one after the other. A task that is done again may meet its rows in another order: how many
    * copies each part gets then must be the same, for another task may have its part already.
    */
  private def takeTurn(first: Int, until: Int, key: Long): Int = {
    var end = first + 1
    while (end < until && cuts.keys(end) == key) end += 1
    turns(first) += 1
    Math.floorMod(turns(first), end - first + 1)
  }
}
