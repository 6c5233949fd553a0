package chronosketch.spark.sliding.keys

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.Block.BlockHelper
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.{Expression, NullsFirst, SortOrder}
import org.apache.spark.sql.types._

import chronosketch.spark.sql.SqlValues

/** Packs several columns into one order key: 64 bits that sort like the columns, including NULLs.
  *
  * Guarantee  sorts like ORDER BY; peers have equal keys; never NULL
  * Cost       a few operations for each column of a row
  *
  * @param children the keys of the columns
  */
final case class PackedKey(children: Seq[Expression], parts: Seq[KeyPart]) extends Expression {
  override def nullable: Boolean = false
  override def dataType: DataType = LongType

  @transient private lazy val keys: Array[Expression] = children.toArray
  @transient private lazy val each: Array[KeyPart] = parts.toArray

  override def eval(row: InternalRow): Any = {
    var packed = 0L
    var i = 0
    while (i < keys.length) {
      val key = keys(i).eval(row)
      val part = each(i)
      packed = packed << part.bits | (if (key == null) part.nullCode else part.code(key.asInstanceOf[Long]))
      i += 1
    }
    packed ^ Long.MinValue
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val codes = children.zip(parts).map { case (child, part) =>
      val key = child.genCode(ctx)
      val sum = if (part.isDescending) s"${part.base}L - ${key.value}" else s"${key.value} + ${part.base}L"
      code"""
        ${key.code}
        ${ev.value} = ${ev.value} << ${part.bits} | (${key.isNull} ? ${part.nullCode}L : $sum);"""
    }
    val all = codes.foldLeft(code"long ${ev.value} = 0L;")(_ + _) + code"${ev.value} ^= Long.MIN_VALUE;"
    ev.copy(code = all, isNull = FalseLiteral)
  }

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): PackedKey = copy(children = c)
}

object PackedKey {

  /** None if the columns do not fit 64 bits together, or if values of one have no keys. */
  def of(order: Seq[SortOrder]): Option[PackedKey] = {
    val parts = order.flatMap(KeyPart.of)
    Option.when(parts.size == order.size && parts.map(_.bits).sum <= 64)(
      PackedKey(order.flatMap(o => KeyOf.of(o.child)), parts)
    )
  }
}

/** Maps the keys of one column to numbers from 0 on, in the order of ORDER BY.
  *
  * @param base what is added to a key; in descending order, what the key is subtracted from
  */
final case class KeyPart(bits: Int, base: Long, isDescending: Boolean, nullCode: Long) {
  def code(key: Long): Long = if (isDescending) base - key else key + base
}

private[spark] object KeyPart {
  def of(order: SortOrder): Option[KeyPart] = ends(order.dataType).flatMap { case (least, greatest) =>
    val most = greatest - least
    // a column whose range has 64 bits leaves no room for another
    Option.when(most >= 0 && most < Long.MaxValue) {
      val isNullable = order.child.nullable
      val first = if (isNullable && order.nullOrdering == NullsFirst) 1L else 0L
      val base = if (order.isAscending) first - least else first + greatest
      KeyPart(
        64 - java.lang.Long.numberOfLeadingZeros(if (isNullable) most + 1 else most),
        base,
        !order.isAscending,
        if (order.nullOrdering == NullsFirst) 0L else most + 1
      )
    }
  }

  private def ends(dataType: DataType): Option[(Long, Long)] = dataType match {
    case BooleanType => Some((0L, 1L))
    case NullType => None
    case other => SqlValues.of(other).map(v => (v.domain.least, v.domain.greatest))
  }
}
