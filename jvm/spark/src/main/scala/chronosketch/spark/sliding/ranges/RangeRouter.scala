package chronosketch.spark.sliding.ranges

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.LongType
import org.apache.spark.util.MutablePair

/** Sends each row of one task to its range, and to the ranges whose halo contains it.
  *
  * @param groupKeys PARTITION BY; bound to the rows
  * @param keyBits   64 bits that sort like ORDER BY; bound to the rows
  * @param input     the columns of the rows; bound to the rows
  * @param copies    whether each returned row is copied, because the caller keeps it longer than until the next call
  */
final class RangeRouter(
    rows: Iterator[InternalRow],
    partition: Int,
    table: RangeTable,
    groupKeys: Seq[Expression],
    keyBits: Expression,
    nullKey: Long,
    input: Seq[Expression],
    copies: Boolean
) extends Iterator[Product2[Int, InternalRow]] {
  private val project = UnsafeProjection.create(input :+ Literal(0L, LongType))
  private val keyOf = UnsafeProjection.create(Seq(keyBits))
  project.initialize(partition)
  keyOf.initialize(partition)
  private val placeAt = input.length
  private val pair = new MutablePair[Int, InternalRow]()
  private val groupOf = UnsafeProjection.create(groupKeys)
  groupOf.initialize(partition)
  private val cuts = table.index()

  // the group of the row; its ranges, null if it is not cut; and its first target
  private var group: UnsafeRow = null
  private var ranges: Ranges = null
  private var begin = 0

  // the row, its place without the kind, the range that it belongs to, and the next range to send it to; −1 if it was sent to all
  private var row: UnsafeRow = null
  private var place, key = 0L
  private var number = 0L
  private var home = 0
  private var target = -1
  private var kind = RowPlace.InRange

  override def hasNext: Boolean = target >= 0 || rows.hasNext

  override def next(): Product2[Int, InternalRow] = {
    if (target < 0) route(rows.next())
    row.setLong(placeAt, place | kind)
    pair._1 = begin + target
    pair._2 = if (copies) row.copy() else row
    target = nextTarget()
    pair
  }

  private def route(input: InternalRow): Unit = {
    val bits = keyOf(input)
    key = if (bits.isNullAt(0)) nullKey else bits.getLong(0)
    row = project(input)
    place = RowPlace.of(partition, number, RowPlace.InRange)
    number += 1
    if (group == null || table.isKeyed) find(groupOf(input))
    if (ranges != null && !ranges.contains(home, key)) home = ranges.rangeOf(key)
    target = home
    kind = RowPlace.InRange
  }

  private def find(next: UnsafeRow): Unit = if (group == null || !group.equals(next)) {
    group = next.copy()
    val cut = cuts.get(group)
    if (cut == null) {
      // the group was absent when the table was made, so it has no task
      if (table.spread == 0) throw SketchRangesExec.changed
      ranges = null
      begin = 0
      home = Math.floorMod(group.hashCode, table.spread)
    } else {
      ranges = table.rangesOf(cut)
      begin = table.firstTarget(cut)
      home = 0
    }
  }

  private def nextTarget(): Int = if (ranges == null) -1 else neighbour(ranges.from, ranges.to)

  private def neighbour(from: Array[Long], to: Array[Long]): Int =
    if (kind != RowPlace.After && target + 1 < from.length && from(target + 1) <= key) {
      kind = RowPlace.Before
      target + 1
    } else {
      val earlier = (if (kind == RowPlace.After) target else home) - 1
      kind = RowPlace.After
      if (earlier >= 0 && to(earlier) >= key) earlier else -1
    }
}

/** Encodes a row's place in 64 bits: the task that it came from, its number there, and whether it belongs to the range or its halo.
  * The task and the number order rows of equal keys in the same way in every range.
  */
object RowPlace {
  final val InRange = 0L
  final val Before = 1L
  final val After = 2L
  private final val Kinds = 3L

  private final val KindBits = 2
  private final val NumberBits = 40

  def of(partition: Int, number: Long, kind: Long): Long =
    (((partition.toLong << NumberBits) | number) << KindBits) | kind

  def kind(place: Long): Long = place & Kinds
}

/** Counts the rows of a range and its halo as they are read.
  *
  * @param placeAt the index of the column with the rows' places
  */
final class HaloRows(rows: Iterator[InternalRow], placeAt: Int) extends Iterator[InternalRow] {
  private var befores, inRanges, afters = 0L

  def before: Long = befores
  def inRange: Long = inRanges
  def after: Long = afters

  override def hasNext: Boolean = rows.hasNext

  override def next(): InternalRow = {
    val row = rows.next()
    val kind = RowPlace.kind(row.getLong(placeAt))
    if (kind == RowPlace.InRange) inRanges += 1
    else if (kind == RowPlace.Before) befores += 1
    else afters += 1
    row
  }
}
