package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.moments.{ComomentsRecipe, ComomentsSketches}
import chronosketch.spark.sql.{Arguments, KeyCodec, ValueTypes}

/** Builds a sketch of the pairs of two columns. A row with a NULL on either side is ignored, as by Spark's `corr` and `regr_` functions. */
final case class ComomentsAggregate(
    y: Expression,
    x: Expression,
    planned: Planned = Planned()
) extends SummaryAggregate(planned) {
  override def prettyName: String = ComomentsAggregate.Name
  override def children: Seq[Expression] = Seq(y, x)

  @transient protected lazy val kind: PairedValues = PairedValues(
    ComomentsRecipe(KeyCodec.of(y.dataType).get.domain, KeyCodec.of(x.dataType).get.domain),
    y.dataType
  )

  def column(filter: Option[Expression]): SketchColumn =
    SketchColumn(kind, y, filter, Map("function" -> prettyName), second = Some(x))

  def call(column: Int): FunctionCall = FunctionCall(prettyName, text, column, AsSketch, y.dataType)

  override def checkInputDataTypes(): TypeCheckResult =
    Arguments.all(() => checkNumber("y", y), () => checkNumber("x", x))

  private def checkNumber(argument: String, e: Expression): TypeCheckResult =
    if (KeyCodec.of(e.dataType).exists(values => ComomentsSketches.takes(values.domain))) TypeCheckSuccess
    else Arguments.refuseType(prettyName, argument, e, ValueTypes.of(ComomentsSketches))

  protected def withPlanned(planned: Planned): ComomentsAggregate = copy(planned = planned)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): ComomentsAggregate =
    copy(y = c(0), x = c(1))
}

object ComomentsAggregate {
  val Name = "comoments_agg"
}
