package chronosketch.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.Block.BlockHelper
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.{
  BitwiseNot,
  Cast,
  Expression,
  Literal,
  NullsFirst,
  SortOrder,
  UnaryExpression
}
import org.apache.spark.sql.types._

import chronosketch.spark.sql.KeyCodec

/** The key of a value. Keys sort like their values. NULL for NULL. */
final case class KeyOf(child: Expression) extends UnaryExpression {
  @transient private lazy val values: KeyCodec = KeyCodec.of(child.dataType).get

  override def dataType: DataType = LongType
  override protected def nullSafeEval(value: Any): Any = values.key(value)
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, values.keyCode)
  override protected def withNewChildInternal(newChild: Expression): KeyOf = KeyOf(newChild)
}

object KeyOf {

  /** The key, or its complement for descending order. None if values of the type have no keys. */
  def of(e: Expression, isDescending: Boolean = false): Option[Expression] = {
    val key = e.dataType match {
      case NullType => Some(Literal(null, LongType))
      case BooleanType => Some(KeyOf(Cast(e, ByteType)))
      case other => KeyCodec.of(other).map(_ => KeyOf(e))
    }
    if (isDescending) key.map(BitwiseNot(_)) else key
  }
}

/** The raw bits of a double: NaNs and zeros are not normalised. NULL for NULL. */
final case class BitsOf(child: Expression) extends UnaryExpression {
  override def dataType: DataType = LongType
  override protected def nullSafeEval(value: Any): Any =
    java.lang.Double.doubleToRawLongBits(value.asInstanceOf[Double])
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, value => s"java.lang.Double.doubleToRawLongBits($value)")
  override protected def withNewChildInternal(newChild: Expression): BitsOf = BitsOf(newChild)
}

/** Encodes a row's ORDER BY columns in 64 bits. */
object OrderKey {

  /** 64 bits that sort like ORDER BY, except for the NULLs of a single column. None if the columns do not fit. */
  def of(order: Seq[SortOrder]): Option[Expression] = order match {
    case Seq() => None
    case Seq(one) => KeyOf.of(one.child, isDescending = !one.isAscending)
    case several => PackedKey.of(several)
  }

  /** The 64 bits of NULL when rows are assigned to ranges: the least or the greatest key. */
  def ofNull(order: SortOrder): Long =
    if (order.nullOrdering == NullsFirst) Long.MinValue else Long.MaxValue
}

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
    case other => KeyCodec.of(other).map(v => (v.domain.least, v.domain.greatest))
  }
}
