package chronosketch.spark.window

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.sample.SampleFamily
import chronosketch.spark.aggregate.{AsSketch, FunctionCall, Planned, SketchAggregate, TimedAggregate}
import chronosketch.spark.sample.RowId
import chronosketch.spark.sql.{Arguments, EventTime, Span}
import chronosketch.summary.Recipe
import chronosketch.window.Windowed
import chronosketch.window.sample.{WindowSample, WindowSampleRecipe}

/** Builds a sketch from which a random sample of any window back from the newest row can be taken later.
  *
  * @param size the number of rows drawn from a window
  * @param retention how far back windows may reach; if absent, to the first row
  * @param seed the seed of the random numbers
  * @param id   the row's id; if absent, the random choice depends on the order of rows in their partition
  */
final case class WindowSampleAggregate(
    value: Expression,
    time: Expression,
    size: Expression,
    retention: Option[Expression],
    seed: Expression,
    override val id: Option[Expression],
    planned: Planned = Planned()
) extends TimedAggregate(planned) {
  import WindowSampleAggregate._

  override def prettyName: String = Name
  override def children: Seq[Expression] = Seq(value, time, size) ++ retention ++ Seq(seed) ++ id

  @transient protected lazy val recipe: Recipe[WindowSample] = WindowSampleRecipe.alone(
    valueDomain,
    timeDomain,
    Arguments.parameter(size).toInt,
    Arguments.parameter(seed).toLong,
    SampleFamily.Delta.default,
    retention.fold(Windowed.KeepAll)(Span.of(prettyName, Retention, _).in(timeDomain))
  )

  def call(column: Int): FunctionCall = FunctionCall(prettyName, text, column, AsSketch, value.dataType)

  override def checkInputDataTypes(): TypeCheckResult = {
    val checks = Seq(
      () => checkRows(),
      () => Arguments.checkParameter(SampleFamily.Size, 3, size)
    ) ++
      retention.map(e => () => WithinLast.check(prettyName, Retention, 4, e)) ++
      Seq(() => Arguments.checkParameter(SampleFamily.Seed, 5, seed)) ++
      id.map(e => () => RowId.check(prettyName, e)) ++
      Seq(() => checkRecipe())
    Arguments.all(checks: _*)
  }

  protected def withPlanned(planned: Planned): WindowSampleAggregate = copy(planned = planned)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): WindowSampleAggregate = {
    val rest = c.iterator
    def constant(before: Expression): Expression = SketchAggregate.constant(before, rest.next())
    // read the children in order
    copy(value = rest.next(), time = rest.next(), size = constant(size))
      .copy(retention = retention.map(constant), seed = constant(seed), id = id.map(_ => rest.next()))
  }
}

object WindowSampleAggregate {
  val Name = "window_sample_agg"
  private val Retention = "retention"

  /** Builds the aggregate from the function's arguments. */
  def of(e: Seq[Expression]): WindowSampleAggregate = {
    def ifGiven(i: Int): Option[Expression] = Option.when(EventTime.isGiven(e(i)))(e(i))
    new WindowSampleAggregate(e(0), EventTime.typed(e(1)), e(2), ifGiven(3), e(4), ifGiven(5))
  }
}
