package chronosketch.spark.sliding.ranges

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.types.{DoubleType, FloatType}

import chronosketch.spark.sliding.frames.{FrameBounds, RangeBound, RangeOffset, RowsBound, Unbounded}
import chronosketch.spark.sliding.keys.KeyOf
import chronosketch.spark.sql.SqlValues

/** How far frames reach beyond a range of rows: what its halo must hold.
  *
  * @param back   so many rows before it
  * @param on     so many rows after it
  * @param lowers where frames begin that go by the order key
  * @param uppers where they end
  */
final case class HaloReach(back: Long, on: Long, lowers: Seq[RangeBound], uppers: Seq[RangeBound]) {
  def text: String = {
    def far(rows: Long, keys: Seq[RangeBound]): String =
      (Seq(s"$rows rows") ++ keys.map(k => s"RANGE ${k.offset.sql}")).mkString(" and ")
    s"${far(back, lowers)} before, ${far(on, uppers)} after"
  }
}

object HaloReach {

  /** The reach of frames that end on both sides, at a constant distance; or why there is none. */
  def of(frames: Seq[FrameBounds], order: Seq[SortOrder]): Either[String, HaloReach] =
    order match {
      case Seq() => Left("there is no ORDER BY")
      case Seq(one) if KeyOf.of(one.child).isEmpty =>
        Left(s"${one.child.dataType.sql} values don't fit into a sort key of 64 bits")
      case Seq(_) =>
        val lowers = frames.map(_.lower).distinct
        val uppers = frames.map(_.upper).distinct
        (lowers ++ uppers).collectFirst {
          case Unbounded => "a frame is UNBOUNDED"
          case key: RangeBound if !isConstant(key) => s"RANGE ${key.offset.sql} has no constant width"
        }.toLeft(
          HaloReach(
            lowers.collect { case RowsBound(offset) => -offset.toLong }.foldLeft(0L)(math.max),
            uppers.collect { case RowsBound(offset) => offset.toLong }.foldLeft(0L)(math.max),
            lowers.collect { case key: RangeBound => key },
            uppers.collect { case key: RangeBound => key }
          )
        )
      case _ => Left("ORDER BY has several columns")
    }

  /** Whether a greater key is never moved to before where a smaller one is. */
  private def isConstant(bound: RangeBound): Boolean =
    try
      (bound.dataType, bound.offset.eval(InternalRow.empty)) match {
        case (DoubleType, by: Double) => !by.isNaN && !by.isInfinite
        case (FloatType, by: Float) => !by.isNaN && !by.isInfinite
        case (_, null) => false
        case (_, by) => RangeOffset.step(bound, by).nonEmpty
      }
    catch { case NonFatal(_) => false }

  /** Where the end of a frame is of a row with this key; `unknown` where it has none that is a key. */
  final class FrameEnd(bound: RangeBound, unknown: Long) {
    private val offset = new RangeOffset(bound)
    private val domain = SqlValues.of(bound.dataType).get.domain

    def of(key: Long): Long = {
      val plain = if (bound.isDescending) ~key else key
      // of NULL, which sees none but NULLs
      if (plain < domain.least || plain > domain.greatest) key
      else
        try offset.plus(key)
        catch { case NonFatal(_) => unknown }
    }
  }
}
