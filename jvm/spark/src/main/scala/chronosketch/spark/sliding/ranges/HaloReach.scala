package chronosketch.spark.sliding.ranges

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.types.{DoubleType, FloatType}

import chronosketch.spark.rows.KeyOf
import chronosketch.spark.sliding.frames.{FrameBounds, RangeBound, RangeOffset, RowsBound, Unbounded}
import chronosketch.spark.sql.KeyCodec

/** Describes how far frames reach beyond a range of rows, and so which rows its halo must contain.
  *
  * @param rowsBefore the number of rows before the range
  * @param rowsAfter  the number of rows after the range
  * @param lowers     the lower ends of frames that are given by the order key
  * @param uppers     the upper ends of frames that are given by the order key
  */
final case class HaloReach(
    rowsBefore: Long,
    rowsAfter: Long,
    lowers: Seq[RangeBound],
    uppers: Seq[RangeBound]
) {
  def text: String = {
    def far(rows: Long, keys: Seq[RangeBound]): String =
      (Seq(s"$rows rows") ++ keys.map(k => s"RANGE ${k.offset.sql}")).mkString(" and ")
    s"${far(rowsBefore, lowers)} before, ${far(rowsAfter, uppers)} after"
  }
}

object HaloReach {

  /** The reach of frames with two ends at a constant distance, or why a frame is not like this. */
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

  /** Whether adding the offset keeps the order of keys: a greater key never moves before a smaller one. */
  private def isConstant(bound: RangeBound): Boolean =
    try
      (bound.dataType, bound.offset.eval(InternalRow.empty)) match {
        case (DoubleType, offset: Double) => !offset.isNaN && !offset.isInfinite
        case (FloatType, offset: Float) => !offset.isNaN && !offset.isInfinite
        case (_, null) => false
        case (_, offset) => RangeOffset.step(bound, offset).nonEmpty
      }
    catch { case NonFatal(_) => false }

  /** Finds the key at which the frame of a row with a given key ends. Returns `unknown` if the offset can't be added to the key. */
  final class FrameEnd(bound: RangeBound, unknown: Long) {
    private val offset = new RangeOffset(bound)
    private val domain = KeyCodec.of(bound.dataType).get.domain

    def endFor(key: Long): Long = {
      val plain = if (bound.isDescending) ~key else key
      // the row's key is NULL: its frame only contains NULLs
      if (plain < domain.least || plain > domain.greatest) key
      else
        try offset.plus(key)
        catch { case NonFatal(_) => unknown }
    }
  }
}
