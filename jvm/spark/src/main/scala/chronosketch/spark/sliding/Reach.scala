package chronosketch.spark.sliding

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{NullsFirst, SortOrder}
import org.apache.spark.sql.types.{DoubleType, FloatType}

import chronosketch.spark.sql.SqlValues

/** How far do frames reach beyond a stretch of rows that are next to one another?
  *
  * @param back   so many rows before it
  * @param on     so many rows after it
  * @param lowers where frames begin that go by the order key
  * @param uppers where they end
  */
final case class Reach(back: Long, on: Long, lowers: Seq[KeyAway], uppers: Seq[KeyAway]) {
  def text: String = {
    def far(rows: Long, keys: Seq[KeyAway]): String =
      (Seq(s"$rows rows") ++ keys.map(k => s"RANGE ${k.offset.sql}")).mkString(" and ")
    s"${far(back, lowers)} back, ${far(on, uppers)} on"
  }
}

object Reach {

  /** The reach of frames that end on both sides, at a constant distance; or why there is none. */
  def of(frames: Seq[FrameBounds], order: Seq[SortOrder]): Either[String, Reach] =
    order match {
      case Seq() => Left("there is no ORDER BY")
      case Seq(one) if KeyOf.of(one.child).isEmpty =>
        Left(s"no 64 bits sort as ${one.child.dataType.sql} does")
      case Seq(_) =>
        val lowers = frames.map(_.lower).distinct
        val uppers = frames.map(_.upper).distinct
        (lowers ++ uppers).collectFirst {
          case PartitionEnd => "a frame is UNBOUNDED"
          case key: KeyAway if !isConstant(key) => s"RANGE ${key.offset.sql} has no constant width"
        }.toLeft(
          Reach(
            lowers.collect { case RowsAway(offset) => -offset.toLong }.foldLeft(0L)(math.max),
            uppers.collect { case RowsAway(offset) => offset.toLong }.foldLeft(0L)(math.max),
            lowers.collect { case key: KeyAway => key },
            uppers.collect { case key: KeyAway => key }
          )
        )
      case _ => Left("ORDER BY has several columns")
    }

  /** Whether a greater key is never moved to before where a smaller one is. */
  private def isConstant(bound: KeyAway): Boolean =
    try
      (bound.dataType, bound.offset.eval(InternalRow.empty)) match {
        case (DoubleType, by: Double) => !by.isNaN && !by.isInfinite
        case (FloatType, by: Float) => !by.isNaN && !by.isInfinite
        case (_, null) => false
        case (_, by) => MovedKey.step(bound, by).nonEmpty
      }
    catch { case NonFatal(_) => false }

  /** The 64 bits that stand for NULL where rows are placed: it has the first place, or the last. */
  def nullKey(order: SortOrder): Long =
    if (order.nullOrdering == NullsFirst) Long.MinValue else Long.MaxValue

  /** Where the end of a frame is of a row with this key; `unknown` where it has none that is a key. */
  final class Mover(bound: KeyAway, unknown: Long) {
    private val moved = new MovedKey(bound)
    private val domain = SqlValues.of(bound.dataType).get.domain

    def of(key: Long): Long = {
      val plain = if (bound.isDescending) ~key else key
      // of NULL, which sees none but NULLs
      if (plain < domain.least || plain > domain.greatest) key
      else
        try moved.of(key)
        catch { case NonFatal(_) => unknown }
    }
  }
}
