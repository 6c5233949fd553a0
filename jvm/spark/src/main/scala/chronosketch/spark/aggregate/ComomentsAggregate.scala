package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types.{BinaryType, DataType}

import chronosketch.moments.{ComomentsRecipe, ComomentsSketch, ComomentsSketches}
import chronosketch.spark.sql.{Arguments, Phis, SqlValues, ValueTypes}

/** Builds a sketch of the pairs of two columns. A row with a NULL on either side is ignored, as by Spark's `corr` and `regr_` functions. */
final case class ComomentsAggregate(
    y: Expression,
    x: Expression,
    note: Option[String] = None,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends SummaryAggregate[ComomentsSketch] {
  override def prettyName: String = ComomentsAggregate.Name
  override def children: Seq[Expression] = Seq(y, x)
  override def nullable: Boolean = false
  override def dataType: DataType = BinaryType
  override def defaultResult: Option[Literal] =
    Some(Literal.create(eval(createAggregationBuffer()), dataType))

  @transient protected lazy val values: SqlValues = SqlValues.of(y.dataType).get
  @transient protected lazy val recipe: ComomentsRecipe =
    ComomentsRecipe(values.domain, SqlValues.of(x.dataType).get.domain)
  @transient protected lazy val context: Map[String, String] = Map("function" -> prettyName)
  protected def answer: Answer = AsSketch
  protected def phis: Phis = Phis.none

  def column(filter: Option[Expression]): SketchColumn =
    SketchColumn(PairedValues(recipe, y.dataType), y, None, Some(x), Nil, filter, context)

  def asked(column: Int): Asked = Asked(prettyName, text, column, AsSketch, y.dataType, None)

  def noted(why: String): ComomentsAggregate = copy(note = Some(why))

  override def checkInputDataTypes(): TypeCheckResult =
    Arguments.all(() => checkNumber("y", y), () => checkNumber("x", x))

  private def checkNumber(argument: String, e: Expression): TypeCheckResult =
    if (SqlValues.of(e.dataType).exists(values => ComomentsSketches.takes(values.domain))) TypeCheckSuccess
    else Arguments.refuseType(prettyName, argument, e, ValueTypes.of(ComomentsSketches))

  protected def insert(sketch: ComomentsSketch, row: RowReader): Unit = sketch.insertPair(row.key, row.other)

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
