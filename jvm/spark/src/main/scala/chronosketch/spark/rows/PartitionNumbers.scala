package chronosketch.spark.rows

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  RowOrdering,
  UnaryExpression,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType, LongType}

import chronosketch.domain.DoubleKeys
import chronosketch.memory.Meter
import chronosketch.sort.PairSort
import chronosketch.spark.sql.SparkPrivates

/** Numbers the partitions of a window by their keys. */
final class PartitionNumbers(keys: Seq[Expression]) {
  val meter = new Meter
  private val types = keys.map(_.dataType)
  private val project = UnsafeProjection.create(keys)
  private val groups: GroupKeys =
    if (keys.isEmpty) OneGroup
    else if (PartitionKeyBits.fit(types)) new KeyTuples(types, meter)
    else new RowKeys(types.length, meter)
  private val longKeys: LongKeys = groups match {
    case one: KeyTuples => one.groups.asInstanceOf[LongKeys]
    case _ => null
  }
  private val longKey: UnsafeProjection =
    if (longKeys == null) null else UnsafeProjection.create(Seq(PartitionKeyBits(keys.head)))

  /** Returns the number of a row's partition. A new partition gets the next number. */
  def numberOf(row: InternalRow): Int =
    if (longKeys != null) {
      val key = longKey(row)
      if (key.isNullAt(0)) longKeys.findNull() else longKeys.find(key.getLong(0))
    } else groups.find(project(row))

  def order: Array[Int] = PartitionOrder.of(groups, types)

  def clear(): Unit = groups.clear()
}

/** Tells where the next partition of a window begins. Rows come partition after partition. */
final class PartitionChanges(keys: Seq[Expression]) {
  private val isPartitioned = keys.nonEmpty
  private val isLong = PartitionKeyBits.fit(keys.map(_.dataType))
  private val keysOf = UnsafeProjection.create(if (isLong) Seq(PartitionKeyBits(keys.head)) else keys)
  private var key = 0L
  private var isNull = false
  private var current: UnsafeRow = null // the keys of the partition, unless they fit 64 bits
  private var isStarted = false

  /** Whether a row is the first of its partition. */
  def begins(row: InternalRow): Boolean =
    if (!isStarted || isPartitioned) differs(row)
    else false

  private def differs(row: InternalRow): Boolean = {
    val keys = keysOf(row)
    if (isLong) {
      val (bits, missing) = (keys.getLong(0), keys.isNullAt(0))
      val isOther = !isStarted || bits != key || missing != isNull
      key = bits
      isNull = missing
      isStarted = true
      isOther
    } else if (isStarted && keys == current) false
    else {
      isStarted = true
      current = keys.copy()
      true
    }
  }
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

private object PartitionKeyBits {

  /** Whether there is a single key, and it fits 64 bits. */
  def fit(types: Seq[DataType]): Boolean = types.length == 1 && LongKey.of(types.head).nonEmpty
}

/** Orders partitions for output by their keys, NULL first, as Spark would sort them. Then Spark's own window operator above needs no
  * sort.
  */
object PartitionOrder {

  /** The partition numbers in this order. */
  def of(groups: GroupKeys, types: Seq[DataType]): Array[Int] = {
    val order = Array.range(0, groups.size)
    groups match {
      case one: KeyTuples => byNumber(one.groups.asInstanceOf[LongKeys], types.head, order)
      case keys: RowKeys => byRow(keys, types, order)
      case _ =>
    }
    order
  }

  private def byNumber(keys: LongKeys, dataType: DataType, order: Array[Int]): Unit = {
    val sorted = new Array[Long](order.length)
    var nullGroup = -1
    var i = 0
    while (i < order.length) {
      if (keys.isNull(i)) nullGroup = i
      sorted(i) = dataType match {
        case DoubleType => DoubleKeys.key(java.lang.Double.longBitsToDouble(keys.key(i)))
        case FloatType => DoubleKeys.key(java.lang.Float.intBitsToFloat(keys.key(i).toInt).toDouble)
        case _ => keys.key(i)
      }
      i += 1
    }
    new PairSort().sort(sorted, order, 0, order.length)
    if (nullGroup >= 0) {
      var at = order.indexOf(nullGroup)
      while (at > 0) { order(at) = order(at - 1); at -= 1 }
      order(0) = nullGroup
    }
  }

  private def byRow(keys: RowKeys, types: Seq[DataType], order: Array[Int]): Unit = {
    val ordering: Ordering[InternalRow] = RowOrdering.createNaturalAscendingOrdering(types)
    val (a, b) = (new UnsafeRow(types.length), new UnsafeRow(types.length))
    val task = TaskContext.get()
    var compared = 0L
    merge(order, order.clone(), 0, order.length) { (x, y) =>
      // comparing the keys of 10⁷ partitions takes many seconds
      SparkPrivates.endIfKilled(task, compared)
      compared += 1
      keys.point(a, x)
      keys.point(b, y)
      ordering.compare(a, b)
    }
  }

  /** Merge sort of `to`. `from` must be a copy of it. */
  private def merge(
      to: Array[Int],
      from: Array[Int],
      start: Int,
      end: Int
  )(compare: (Int, Int) => Int): Unit =
    if (end - start > 1) {
      val middle = (start + end) >>> 1
      merge(from, to, start, middle)(compare)
      merge(from, to, middle, end)(compare)
      var (left, right, at) = (start, middle, start)
      while (at < end) {
        if (left < middle && (right == end || compare(from(left), from(right)) <= 0)) {
          to(at) = from(left)
          left += 1
        } else {
          to(at) = from(right)
          right += 1
        }
        at += 1
      }
    }
}
