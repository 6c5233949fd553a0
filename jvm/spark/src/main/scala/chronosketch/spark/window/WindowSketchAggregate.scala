package chronosketch.spark.window

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{CreateMap, Expression}
import org.apache.spark.sql.types.{BooleanType, StringType}

import chronosketch.spark.aggregate.{AsSketch, FunctionCall, Planned, SketchAggregate, TimedAggregate}
import chronosketch.spark.sql.{Arguments, Conditions, EventTime, Span, ValueTypes}
import chronosketch.summary.{Family, Recipe}
import chronosketch.window.moments.WindowMomentsSketches
import chronosketch.window.{WindowSketches, Windowed, WindowedFamily}

/** Builds a window sketch from columns of values and their times, and answers one question about it. */
abstract class WindowAggregate(planned: Planned) extends TimedAggregate(planned) {
  protected def family: Family[Windowed] with WindowedFamily[Windowed]
  protected def epsilon: Expression
  protected def filterNames: Vector[String]

  /** How far back windows may reach, in the units of the times. */
  protected def retentionLength: Long

  @transient protected lazy val recipe: Recipe[Windowed] = family.recipe(
    valueDomain,
    timeDomain,
    Seq(Arguments.parameter(epsilon)),
    retentionLength,
    filterNames
  )

  protected def checkRows(epsilonAt: Int): TypeCheckResult = Arguments.all(
    () => checkRows(ValueTypes.of(family)),
    () => checkTaken(),
    () => Arguments.checkParameter(family.parameters.head, epsilonAt, epsilon)
  )

  private def checkTaken(): TypeCheckResult =
    if (family.takes(valueDomain)) TypeCheckSuccess
    else Arguments.refuseType(prettyName, "value", value, ValueTypes.of(family))
}

/** Builds a sketch of any window family. Later, any window back from the newest row can be taken from the sketch.
  *
  * @param function the name in SQL
  * @param retention how far back windows may reach; if absent, to the first row
  * @param names the names of the filters, in the order of `conditions`
  */
final case class WindowSketchAggregate(
    function: String,
    family: Family[Windowed] with WindowedFamily[Windowed],
    value: Expression,
    time: Expression,
    epsilon: Expression,
    retention: Option[Expression],
    names: Seq[String],
    override val conditions: Seq[Expression],
    planned: Planned = Planned()
) extends WindowAggregate(planned) {
  override def prettyName: String = function
  override def children: Seq[Expression] = Seq(value, time, epsilon) ++ retention ++ conditions

  protected def filterNames: Vector[String] = names.toVector
  protected def retentionLength: Long =
    retention.fold(Windowed.KeepAll)(Span.of(prettyName, WindowSketchAggregate.Retention, _).in(timeDomain))

  def call(column: Int): FunctionCall = FunctionCall(prettyName, text, column, AsSketch, value.dataType)

  override def checkInputDataTypes(): TypeCheckResult = Arguments.all(
    () => checkRows(epsilonAt = 3),
    () =>
      retention.fold[TypeCheckResult](TypeCheckSuccess)(
        WithinLast.check(prettyName, WindowSketchAggregate.Retention, 4, _)
      ),
    () => checkRecipe()
  )

  protected def withPlanned(planned: Planned): WindowSketchAggregate = copy(planned = planned)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): WindowSketchAggregate = copy(
    value = c(0),
    time = c(1),
    epsilon = SketchAggregate.constant(epsilon, c(2)),
    retention = retention.map(SketchAggregate.constant(_, c(3))),
    conditions = c.takeRight(conditions.size)
  )
}

object WindowSketchAggregate {
  val Name = "window_sketch_agg"
  val MomentsName = "window_moments_agg"
  private val Retention = "retention"

  /** Builds the aggregate from the function's arguments. */
  def of(e: Seq[Expression]): WindowSketchAggregate = of(Name, WindowSketches, e)
  def ofMoments(e: Seq[Expression]): WindowSketchAggregate = of(MomentsName, WindowMomentsSketches, e)

  private def of(
      function: String,
      family: Family[Windowed] with WindowedFamily[Windowed],
      e: Seq[Expression]
  ): WindowSketchAggregate = {
    val (names, conditions) = NamedFilters.of(function, e(4))
    new WindowSketchAggregate(
      function,
      family,
      e(0),
      EventTime.typed(e(1)),
      SketchAggregate.asDouble(e(2)),
      Option.when(EventTime.isGiven(e(3)))(e(3)),
      names,
      conditions
    )
  }
}

/** Reads the argument `filters`: a map from names to conditions on rows. */
object NamedFilters {
  def of(function: String, e: Expression): (Seq[String], Seq[Expression]) = {
    def refuse(): Nothing = throw Conditions.analysisError(
      "CHRONOSKETCH_INVALID_FILTERS",
      e.origin,
      "function" -> function,
      "sql" -> Arguments.unqualified(e)
    )
    e match {
      case map: CreateMap =>
        val names = map.keys.map { key =>
          if (!key.foldable || !key.dataType.isInstanceOf[StringType]) refuse()
          Arguments.constant(key).toString
        }
        if (map.values.exists(_.dataType != BooleanType)) refuse()
        (names, map.values)
      case none if none.foldable && Arguments.constant(none) == null => (Nil, Nil)
      case _ => refuse()
    }
  }
}
