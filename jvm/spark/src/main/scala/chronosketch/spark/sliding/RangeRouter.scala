package chronosketch.spark.sliding

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.LongType
import org.apache.spark.util.MutablePair

/** The rows of one input partition, each for the range that it belongs to and for those whose halo it is in.
  *
  * @param keyBits    64 bits that sort as ORDER BY does; bound to the rows
  * @param input   the rows' columns, bound to them
  * @param copies  whether what is shown is kept longer than until the next
  */
final class RangeRouter(
    rows: Iterator[InternalRow],
    partition: Int,
    ranges: Ranges,
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
  private val (from, to) = (ranges.from, ranges.to)

  // the row that is shown, its place but for its kind, and where it goes next: nowhere below 0
  private var row: UnsafeRow = null
  private var place, key = 0L
  private var number = 0L
  private var home = 0
  private var target = -1
  private var kind = RowPlace.Own

  override def hasNext: Boolean = target >= 0 || rows.hasNext

  override def next(): Product2[Int, InternalRow] = {
    if (target < 0) take(rows.next())
    row.setLong(placeAt, place | kind)
    pair._1 = target
    pair._2 = if (copies) row.copy() else row
    target = following()
    pair
  }

  private def take(input: InternalRow): Unit = {
    val bits = keyOf(input)
    key = if (bits.isNullAt(0)) nullKey else bits.getLong(0)
    row = project(input)
    place = RowPlace.of(partition, number, RowPlace.Own)
    number += 1
    if (!ranges.contains(home, key)) home = ranges.of(key)
    target = home
    kind = RowPlace.Own
  }

  private def following(): Int =
    if (kind != RowPlace.After && target + 1 < from.length && from(target + 1) <= key) {
      kind = RowPlace.Before
      target + 1
    } else {
      val earlier = (if (kind == RowPlace.After) target else home) - 1
      kind = RowPlace.After
      if (earlier >= 0 && to(earlier) >= key) earlier else -1
    }
}
