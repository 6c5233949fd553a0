package chronosketch.spark.aggregate

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.{ArrayType, DataType}

import chronosketch.counted.LeastKeys
import chronosketch.spark.sql.{Arguments, KeyCodec}

/** Collects the n least or the n greatest values of a group, in Spark's own operators. NULLs are skipped. Without values, the result is
  * an empty array.
  *
  * The greatest keys are found by collecting the least of their bitwise complements.
  */
final case class ExtremeValues(
    value: Expression,
    n: Expression,
    isGreatest: Boolean,
    planned: Planned = Planned()
) extends ChronosketchAggregate[LeastKeys](planned) {
  override def prettyName: String = if (isGreatest) ExtremeValues.Greatest else ExtremeValues.Least
  override def children: Seq[Expression] = Seq(value, n)
  override def dataType: DataType = ArrayType(value.dataType, containsNull = false)

  /** The number of values asked for. */
  @transient lazy val count: Int = Arguments.constant(n).asInstanceOf[Number].intValue

  @transient private lazy val values: KeyCodec = KeyCodec.of(value.dataType).get
  private val flip = if (isGreatest) -1L else 0L

  override def checkInputDataTypes(): TypeCheckResult = Arguments.all(
    () => Arguments.checkValue(prettyName, "value", value),
    () => Arguments.checkWhole("n", 1, ExtremeValues.Most, 2, n)
  )

  protected def withPlanned(planned: Planned): ExtremeValues = copy(planned = planned)

  override def createAggregationBuffer(): LeastKeys = new LeastKeys(count)

  override def update(kept: LeastKeys, row: InternalRow): LeastKeys = {
    val read = value.eval(row)
    if (read != null) kept.insert(values.key(read) ^ flip)
    kept
  }

  override def merge(kept: LeastKeys, other: LeastKeys): LeastKeys = {
    other.rising.foreach(kept.insert)
    kept
  }

  override def eval(kept: LeastKeys): Any =
    new GenericArrayData(kept.rising.map(key => values.value(key ^ flip)))

  override def serialize(kept: LeastKeys): Array[Byte] = {
    val keys = kept.rising
    val bytes = ByteBuffer.allocate(8 * keys.length)
    keys.foreach(bytes.putLong)
    bytes.array
  }

  override def deserialize(bytes: Array[Byte]): LeastKeys = {
    val kept = createAggregationBuffer()
    val keys = ByteBuffer.wrap(bytes).asLongBuffer
    while (keys.hasRemaining) kept.insert(keys.get())
    kept
  }

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): ExtremeValues =
    copy(value = c(0), n = SketchAggregate.constant(n, c(1)))
}

object ExtremeValues {
  val Least = "n_least"
  val Greatest = "n_greatest"

  /** The largest n allowed. */
  val Most = 1000
}
