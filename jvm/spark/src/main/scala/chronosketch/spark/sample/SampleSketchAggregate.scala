package chronosketch.spark.sample

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types._

import chronosketch.sample._
import chronosketch.spark.aggregate._
import chronosketch.spark.sql.{Arguments, Conditions, EventTime, KeyCodec}
import chronosketch.summary.Parameter

/** Builds a random sample of a column.
  *
  * @param method the [[SampleFamily]] that draws; if absent, by reservoir, or by priority if rows have an id
  * @param id     the row's id; if absent, the random choice depends on the order of rows in their partition
  * @param size   the number of rows in the sample; if absent, as many as `epsilon` needs, or the default
  */
final case class SampleSketchAggregate(
    value: Expression,
    size: Option[Expression],
    method: Option[Expression],
    seed: Expression,
    id: Option[Expression],
    epsilon: Option[Expression],
    delta: Expression,
    planned: Planned = Planned()
) extends SummaryAggregate(planned) {
  import SampleSketchAggregate._

  override def prettyName: String = Name
  override def children: Seq[Expression] =
    Seq(value, seed, delta) ++ size ++ method ++ id ++ epsilon

  private def family: SampleFamily[Sample] = method match {
    case None => if (id.isEmpty) ReservoirSamples else PrioritySamples
    case Some(e) =>
      val name = Arguments.constant(e).toString
      SampleFamily.all.find(_.method.equalsIgnoreCase(name)).getOrElse(
        throw Conditions.unknownChoice(prettyName, "method", name, SampleFamily.all.map(_.method), e.origin)
      )
  }

  private def rows: Double = (size, epsilon) match {
    case (Some(e), _) => Arguments.parameter(e)
    case (None, Some(e)) => SampleSize.of(Arguments.parameter(e), Arguments.parameter(delta)).toDouble
    case (None, None) => SampleFamily.Size.default
  }

  @transient private lazy val recipe: SampleRecipe[Sample] =
    family.recipe(
      KeyCodec.of(value.dataType).get.domain,
      Seq(rows, Arguments.parameter(seed), Arguments.parameter(delta))
    )

  private def identified: SampleRecipe[IdentifiedSample] = recipe.family match {
    case family: IdentifiedFamily[_] => family.recipe(recipe.domain, recipe.numbers)
    case family =>
      throw Conditions.analysisError(
        "CHRONOSKETCH_SAMPLE_TAKES_NO_ID",
        origin,
        "function" -> prettyName,
        "method" -> family.method
      )
  }

  @transient protected lazy val kind: RowInput =
    if (id.isEmpty) Values(recipe, value.dataType) else PairedValues(identified, value.dataType)

  def column(filter: Option[Expression]): SketchColumn =
    SketchColumn(kind, value, filter, Map("function" -> prettyName), second = id)

  def call(column: Int): FunctionCall = FunctionCall(prettyName, text, column, AsSketch, value.dataType)

  override def checkInputDataTypes(): TypeCheckResult = {
    def number(parameter: Parameter, position: Int)(e: Expression) =
      () => Arguments.checkParameter(parameter, position, e)
    val checks = Seq(() => Arguments.checkValue(prettyName, "value", value)) ++
      size.map(number(SampleFamily.Size, 2)) ++
      method.map(e => () => checkText(e)) ++
      Seq(number(SampleFamily.Seed, 4)(seed)) ++
      id.map(e => () => RowId.check(prettyName, e)) ++
      epsilon.map(number(Epsilon, 6)) ++
      Seq(number(SampleFamily.Delta, 7)(delta), () => checkSize(), () => checkRecipe())
    Arguments.all(checks: _*)
  }

  private def checkText(e: Expression): TypeCheckResult =
    Arguments.checkConstant("method", "STRING", e) {
      if (e.dataType.isInstanceOf[StringType]) TypeCheckSuccess
      else Arguments.unexpectedType(3, "STRING", e)
    }

  private def checkSize(): TypeCheckResult =
    if (size.isEmpty || epsilon.isEmpty) TypeCheckSuccess
    else
      throw Conditions.analysisError(
        "CHRONOSKETCH_SIZE_AND_EPSILON",
        origin,
        "function" -> prettyName,
        "size" -> Arguments.unqualified(size.get),
        "epsilon" -> Arguments.unqualified(epsilon.get)
      )

  /** Creates an empty sample, so that an invalid method or size is reported as an analysis error. */
  private def checkRecipe(): TypeCheckResult = {
    Conditions.analysing(prettyName, origin)(if (id.isEmpty) recipe.empty else identified.empty)
    TypeCheckSuccess
  }

  protected def withPlanned(planned: Planned): SampleSketchAggregate = copy(planned = planned)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): SampleSketchAggregate = {
    val rest = c.iterator
    def constant(before: Expression): Expression = SketchAggregate.constant(before, rest.next())
    // read the children in order
    copy(value = rest.next(), seed = constant(seed), delta = constant(delta))
      .copy(
        size = size.map(constant),
        method = method.map(constant),
        id = id.map(_ => rest.next()),
        epsilon = epsilon.map(constant)
      )
  }
}

object SampleSketchAggregate {
  val Name = "sample_sketch_agg"

  private val Epsilon = Parameter("epsilon", default = 0.01, least = 1e-6, greatest = 0.5)

  /** Builds the aggregate from the function's arguments. */
  def of(e: Seq[Expression]): SampleSketchAggregate = {
    def ifGiven(i: Int): Option[Expression] = Option.when(EventTime.isGiven(e(i)))(e(i))
    new SampleSketchAggregate(e(0), ifGiven(1), ifGiven(2), e(3), ifGiven(4), ifGiven(5), e(6))
  }
}

/** Checks the argument `id`: a whole-number column that identifies rows. */
private[spark] object RowId {
  def check(function: String, id: Expression): TypeCheckResult = id.dataType match {
    case ByteType | ShortType | IntegerType | LongType => TypeCheckSuccess
    case _ =>
      throw Conditions.analysisError(
        "CHRONOSKETCH_ID_NO_WHOLE_NUMBER",
        id.origin,
        "function" -> function,
        "type" -> id.dataType.sql,
        "sql" -> Arguments.unqualified(id)
      )
  }
}
