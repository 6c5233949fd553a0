package chronosketch.spark.window

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types.{BinaryType, DataType}

import chronosketch.sample.SampleFamily
import chronosketch.spark.aggregate.{Answer, AsSketch, Asked, SketchAggregate, TimedAggregate}
import chronosketch.spark.sample.RowId
import chronosketch.spark.sql.{Arguments, EventTime, Phis, Span}
import chronosketch.summary.Recipe
import chronosketch.window.Windowed
import chronosketch.window.sample.{WindowSample, WindowSampleRecipe}

/** Builds a sketch from which a random sample of any window back from the newest row can be taken later.
  *
  * @param size the number of rows drawn from a window
  * @param kept how far back windows may reach; if absent, to the first row
  * @param seed the seed of the random numbers
  * @param told the row's id; if absent, the random choice depends on the order of rows in their partition
  */
final case class WindowSampleAggregate(
    value: Expression,
    time: Expression,
    size: Expression,
    kept: Option[Expression],
    seed: Expression,
    told: Option[Expression],
    note: Option[String] = None,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TimedAggregate {
  import WindowSampleAggregate._

  override def prettyName: String = Name
  override def children: Seq[Expression] = Seq(value, time, size) ++ kept ++ Seq(seed) ++ told
  override def nullable: Boolean = false
  override def dataType: DataType = BinaryType
  override def defaultResult: Option[Literal] =
    Some(Literal.create(eval(createAggregationBuffer()), dataType))

  protected def conditions: Seq[Expression] = Nil
  protected def until: Option[Expression] = None
  override protected def id: Option[Expression] = told
  protected def answer: Answer = AsSketch
  protected def phis: Phis = Phis.none

  @transient protected lazy val recipe: Recipe[WindowSample] = WindowSampleRecipe.alone(
    values.domain,
    timeDomain,
    Arguments.parameter(size).toInt,
    Arguments.parameter(seed).toLong,
    SampleFamily.Delta.default,
    kept.fold(Windowed.KeepAll)(Span.of(prettyName, Retention, _).in(timeDomain))
  )

  def asked(column: Int): Asked = Asked(prettyName, text, column, AsSketch, value.dataType, None)

  def noted(why: String): WindowSampleAggregate = copy(note = Some(why))

  override def checkInputDataTypes(): TypeCheckResult = {
    val checks = Seq(
      () => checkRows(),
      () => Arguments.checkParameter(SampleFamily.Size, 3, size)
    ) ++
      kept.map(e => () => WithinLast.check(prettyName, Retention, 4, e)) ++
      Seq(() => Arguments.checkParameter(SampleFamily.Seed, 5, seed)) ++
      told.map(e => () => RowId.check(prettyName, e)) ++
      Seq(() => checkRecipe())
    Arguments.all(checks: _*)
  }

  override def withNewMutableAggBufferOffset(offset: Int): WindowSampleAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): WindowSampleAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): WindowSampleAggregate = {
    val rest = c.iterator
    def constant(before: Expression): Expression = SketchAggregate.constant(before, rest.next())
    // read the children in order
    copy(value = rest.next(), time = rest.next(), size = constant(size))
      .copy(kept = kept.map(constant), seed = constant(seed), told = told.map(_ => rest.next()))
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
