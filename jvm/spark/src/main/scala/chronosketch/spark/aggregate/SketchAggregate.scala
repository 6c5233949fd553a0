package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Cast.{toSQLExpr, toSQLType}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, SupportsOrderingWithinGroup}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{
  Descending,
  Expression,
  If,
  Literal,
  SortOrder,
  UnaryExpression
}
import org.apache.spark.sql.types._

import chronosketch.Refusal
import chronosketch.ddsketch.DDSketches
import chronosketch.domain.Domain
import chronosketch.quantile.{QuantileBased, QuantileFamily}
import chronosketch.rank.Tail
import chronosketch.spark.sql.{Arguments, Conditions, KeyCodec, Phis, TailArgument, ValueTypes, WrittenCall}
import chronosketch.summary.{InsertingFamily, Inserts}

/** The generic aggregate: builds a summary of any family from a column of values and answers one question about it.
  *
  * @param function  the name in SQL
  * @param value     the measured value; NULLs are skipped
  * @param phi       the quantile level, if the answer takes one
  * @param tuning    a constant for each of the family's parameters
  * @param frequency the number of copies that each value counts for; one if absent. Whether it is present is decided when the
  *                  function is built: a column that the optimizer later finds to be NULL is still present
  * @param isDescending whether phi counts down from the greatest value: WITHIN GROUP (ORDER BY value DESC)
  * @param frequencySql the frequency as the user wrote it, for messages. It is kept because Spark replaces the frequency of a call
  *                     with OVER by a column of its own
  */
final case class SketchAggregate(
    function: String,
    family: InsertingFamily[Inserts],
    answer: Answer,
    value: Expression,
    phi: Option[Expression],
    tuning: Seq[Expression],
    frequency: Option[Expression],
    isDescending: Boolean = false,
    planned: Planned = Planned()
)(val frequencySql: String)
    extends SummaryAggregate(planned)
    with SupportsOrderingWithinGroup {

  override def prettyName: String = function
  override protected def otherCopyArgs: Seq[AnyRef] = Seq(frequencySql)
  override def children: Seq[Expression] = value +: (phi.toSeq ++ tuning ++ frequency)
  override def nullable: Boolean = answer.nullable
  override def dataType: DataType = answer.dataType(values, phi)

  @transient private lazy val values: KeyCodec = KeyCodec.of(value.dataType).get
  @transient protected lazy val kind: Values =
    Values(family.recipe(values.domain, tuning.map(Arguments.parameter)), value.dataType)
  @transient protected[spark] lazy val phis: Phis =
    phi.fold(Phis.none)(e => Phis.of(Arguments.constant(e), e.dataType, isDescending))

  /** The rank error that a quantile sketch is allowed. */
  def epsilon: Double = kind.recipe.numbers.head

  /** The tail towards which the rank error of a quantile sketch falls. */
  def tail: Option[Tail] = family match {
    case based: QuantileBased => based.quantiles.tail
    case _ => None
  }

  /** The same quantile call with a tail, or without one. */
  private[spark] def withTail(tail: Option[Tail]): SketchAggregate =
    copy(family = QuantileFamily.of(tail))(frequencySql)

  def column(filter: Option[Expression]): SketchColumn =
    SketchColumn(kind, value, filter, Map("function" -> function, "sql" -> frequencySql), frequency)

  def call(column: Int): FunctionCall = {
    val constantPhi = phi.map(e => Literal.create(Arguments.constant(e), e.dataType))
    FunctionCall(function, text, column, answer, value.dataType, constantPhi, isDescending)
  }

  /** The aggregate that returns the sketch itself instead of an answer from it. */
  def sketched: SketchAggregate = copy(answer = AsSketch, phi = None, isDescending = false)(frequencySql)

  protected def withPlanned(planned: Planned): SketchAggregate = copy(planned = planned)(frequencySql)

  override def orderingFilled: Boolean = false
  override def isOrderingMandatory: Boolean = WithinGroup.isAwaited(value)
  override def isDistinctSupported: Boolean = true
  override def withOrderingWithinGroup(order: Seq[SortOrder]): AggregateFunction = {
    val by = WithinGroup.order(this, order)
    val isDescending = by.direction == Descending
    val ordered = copy(value = by.child, isDescending = isDescending)(frequencySql)
    WrittenCall.rememberOrdered(this, ordered, by.child, isDescending)
  }

  /** The arguments that choose among the families of quantile sketches. */
  private[aggregate] def variantTexts: Seq[String] = family match {
    case _: QuantileBased => family.aggregate.drop(2)
    case _ => Nil
  }

  override protected def fullSql(isDistinct: Boolean): String =
    written(if (isDistinct) "DISTINCT " else "")(_.sql)
  override def text: String = written()(Arguments.unqualified)
  override def toAggString(isDistinct: Boolean): String =
    written(if (isDistinct) "distinct " else "")(_.toString) + noteText

  private def written(distinct: String = "")(show: Expression => String): String = {
    def call(arguments: Seq[Expression]) =
      (arguments.map(show) ++ variantTexts).mkString(s"$function($distinct", ", ", ")")
    // a descending call can only be written with WITHIN GROUP
    if (isDescending) s"${call(children.tail)} WITHIN GROUP (ORDER BY ${show(value)} DESC)"
    else call(children)
  }

  override def checkInputDataTypes(): TypeCheckResult = {
    val tuningFrom = 2 + phi.size
    val checks = Seq(
      () => Arguments.checkValue(function, "value", value, ValueTypes.of(family)),
      () => checkTaken()
    ) ++
      phi.map(e => () => Arguments.checkConstantPhi(2, e)) ++
      family.parameters.zip(tuning).zipWithIndex.map { case ((p, e), i) =>
        () => Arguments.checkParameter(p, tuningFrom + i, e)
      } ++
      frequency.map(e =>
        () => {
          if (family.isInstanceOf[QuantileBased]) TailArgument.refuseAsFrequency(function, e)
          Arguments.checkFrequency(
            function,
            tuningFrom + tuning.size,
            e,
            Arguments.unqualified(e) == frequencySql,
            takesDecimals = answer != AsSketch
          )
        }
      )
    Arguments.all(checks: _*)
  }

  private def checkTaken(): TypeCheckResult = {
    if (answer.isInstanceOf[OnLine] && !values.domain.isNumeric)
      Arguments.refuseType(function, "value", value, ValueTypes.Interpolated)
    else if (family.takes(values.domain)) TypeCheckSuccess
    else if (family eq DDSketches)
      throw Conditions.analysisError(
        "CHRONOSKETCH_NO_RELATIVE_ERROR",
        value.origin,
        "function" -> function,
        "sql" -> toSQLExpr(value),
        "type" -> toSQLType(value.dataType)
      )
    else Arguments.refuseType(function, "value", value, ValueTypes.of(family))
  }

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): SketchAggregate = {
    val tuningFrom = 1 + phi.size
    copy(
      value = c.head,
      phi = phi.map(SketchAggregate.constant(_, c(1))),
      tuning = tuning.zip(c.drop(tuningFrom)).map { case (before, after) =>
        SketchAggregate.constant(before, after)
      },
      frequency = frequency.map(_ => c.last)
    )(frequencySql)
  }
}

object SketchAggregate {

  /** Builds the aggregate from a function's arguments. A constant NULL means that there is no frequency. */
  def apply(
      function: String,
      family: InsertingFamily[Inserts],
      answer: Answer,
      value: Expression,
      phi: Option[Expression],
      tuning: Seq[Expression],
      frequency: Expression
  ): SketchAggregate = {
    val isGiven = !(frequency.resolved && frequency.foldable && Arguments.constant(frequency) == null)
    new SketchAggregate(
      function,
      family,
      answer,
      value,
      phi,
      tuning.map(asDouble),
      Option.when(isGiven)(if (answer == AsSketch) frequency else DecimalCopies.of(function, frequency))
    )(if (isGiven) Arguments.unqualified(frequency) else "")
  }

  /** Converts a DECIMAL literal to a double. SQL reads 0.001 as a DECIMAL; converted, the call shares its summary with calls that use
    * the default.
    */
  private[spark] def asDouble(tuning: Expression): Expression = tuning match {
    case Literal(value: Decimal, _) => Literal(value.toDouble)
    case _ => tuning
  }

  /** Restores a constant argument that PIVOT has wrapped. PIVOT rewrites every argument of an aggregate to
    * IF(pivot column <=> value, argument, NULL). If the condition is false, the measured value is already NULL, so a constant argument
    * can stay constant, as it must.
    */
  private[spark] def constant(before: Expression, after: Expression): Expression = after match {
    case If(_, e, Literal(null, _)) if before.foldable && (e fastEquals before) => before
    case _ => after
  }
}

/** Converts a decimal weight to a number of copies: its unscaled value. All weights of a column have the same scale, and quantiles
  * depend only on the ratios of weights.
  */
final case class DecimalCopies(child: Expression, function: String, written: String) extends UnaryExpression {
  override def dataType: DataType = LongType
  override def nullIntolerant: Boolean = true
  override def prettyName: String = "copies"
  override def toString: String = child.toString
  override def sql: String = child.sql

  def copies(weight: Decimal): Long = {
    val unscaled = KeyCodec.decimalKey(weight, scale)
    if (unscaled >= 0) unscaled
    else {
      throw Conditions.runtimeError(
        Refusal("CHRONOSKETCH_INVALID_FREQUENCY", "frequency" -> weight.toJavaBigDecimal.toPlainString),
        Map("function" -> function, "sql" -> written)
      )
    }
  }

  @transient private lazy val scale = child.dataType.asInstanceOf[DecimalType].scale

  override protected def nullSafeEval(weight: Any): Any = copies(weight.asInstanceOf[Decimal])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj("copies", this)
    defineCodeGen(ctx, ev, weight => s"$self.copies($weight)")
  }

  override protected def withNewChildInternal(c: Expression): DecimalCopies = copy(child = c)
}

object DecimalCopies {

  /** Converts a decimal frequency; any other is returned unchanged. */
  def of(function: String, frequency: Expression): Expression = frequency.dataType match {
    case d: DecimalType if d.precision <= Domain.MaxDecimalPrecision =>
      DecimalCopies(frequency, function, Arguments.unqualified(frequency))
    case _ => frequency
  }
}
