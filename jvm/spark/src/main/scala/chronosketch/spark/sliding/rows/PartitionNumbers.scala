package chronosketch.spark.sliding.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression, UnsafeProjection}
import org.apache.spark.sql.types.{DataType, LongType}

import chronosketch.memory.Meter
import chronosketch.spark.aggregate.operator.{GroupKeys, KeyTuples, LongKey, LongKeys, OneGroup, RowKeys}

/** Numbers the partitions of a window by their keys. */
final class PartitionNumbers(keys: Seq[Expression]) {
  val meter = new Meter
  private val types = keys.map(_.dataType)
  private val project = UnsafeProjection.create(keys)
  private val groups: GroupKeys =
    if (keys.isEmpty) OneGroup
    else if (keys.length == 1 && KeyTuples.fit(types)) new KeyTuples(types, meter)
    else new RowKeys(types.length, meter)
  private val longKeys: LongKeys = groups match {
    case one: KeyTuples => one.groups
    case _ => null
  }
  private val longKey: UnsafeProjection =
    if (longKeys == null) null else UnsafeProjection.create(Seq(PartitionKeyBits(keys.head)))

  def of(row: InternalRow): Int =
    if (longKeys != null) {
      val key = longKey(row)
      if (key.isNullAt(0)) longKeys.findNull() else longKeys.find(key.getLong(0))
    } else groups.find(project(row))

  def order: Array[Int] = PartitionOrder.of(groups, types)

  def clear(): Unit = groups.clear()
}

/** A partition key as 64 bits, for types that fit. The number of a partition is looked up by these. */
final case class PartitionKeyBits(child: Expression) extends UnaryExpression {
  @transient private lazy val key: LongKey = LongKey.of(child.dataType).get

  override def dataType: DataType = LongType
  override protected def nullSafeEval(value: Any): Any = key.key(InternalRow(value), 0)
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, key.keyCode)
  override protected def withNewChildInternal(newChild: Expression): PartitionKeyBits =
    PartitionKeyBits(newChild)
}
