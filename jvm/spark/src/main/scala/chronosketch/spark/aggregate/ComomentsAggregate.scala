package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types.{BinaryType, DataType}

import chronosketch.Refusal
import chronosketch.families.Families
import chronosketch.moments.{ComomentsRecipe, ComomentsSketch, ComomentsSketches}
import chronosketch.spark.sql.{Arguments, Conditions, SqlValues, ValueTypes}
import chronosketch.summary.Envelope

/** Builds a sketch of pairs of two columns, in Spark's own operators: ours collect one column.
  *
  * A row with a NULL on either side is left out, as in Spark's `corr` and `regr_` functions.
  */
final case class ComomentsAggregate(
    y: Expression,
    x: Expression,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[ComomentsSketch] {
  override def prettyName: String = ComomentsAggregate.Name
  override def children: Seq[Expression] = Seq(y, x)
  override def nullable: Boolean = false
  override def dataType: DataType = BinaryType
  override def defaultResult: Option[Literal] =
    Some(Literal.create(eval(createAggregationBuffer()), dataType))

  @transient private lazy val ys: SqlValues = SqlValues.of(y.dataType).get
  @transient private lazy val xs: SqlValues = SqlValues.of(x.dataType).get
  @transient private lazy val context: Map[String, String] = Map("function" -> prettyName)

  override def checkInputDataTypes(): TypeCheckResult =
    Arguments.all(() => checkNumber("y", y), () => checkNumber("x", x))

  private def checkNumber(argument: String, e: Expression): TypeCheckResult =
    if (SqlValues.of(e.dataType).exists(values => ComomentsSketches.takes(values.domain))) TypeCheckSuccess
    else Arguments.refuseType(prettyName, argument, e, e.dataType, ValueTypes.of(ComomentsSketches))

  override def createAggregationBuffer(): ComomentsSketch = ComomentsRecipe(ys.domain, xs.domain).empty

  override def update(sketch: ComomentsSketch, row: InternalRow): ComomentsSketch = {
    val ofY = y.eval(row)
    if (ofY != null) {
      val ofX = x.eval(row)
      // once a row: a try costs nothing, a closure would be an object
      if (ofX != null)
        try sketch.insert(ys.key(ofY), xs.key(ofX))
        catch { case refusal: Refusal => throw Conditions.runtimeError(refusal, context) }
    }
    sketch
  }

  override def merge(sketch: ComomentsSketch, other: ComomentsSketch): ComomentsSketch = {
    Conditions.answering(context)(sketch.merge(other))
    sketch
  }

  override def eval(sketch: ComomentsSketch): Any = serialize(sketch)

  override def serialize(sketch: ComomentsSketch): Array[Byte] =
    Conditions.answering(context)(Envelope.seal(sketch))

  override def deserialize(bytes: Array[Byte]): ComomentsSketch = ComomentsSketches.own(Families.open(bytes))

  override def withNewMutableAggBufferOffset(offset: Int): ComomentsAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ComomentsAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): ComomentsAggregate =
    copy(y = c(0), x = c(1))
}

object ComomentsAggregate {
  val Name = "comoments_agg"
}
