package chronosketch.spark.hopping.stream

import org.apache.spark.sql.catalyst.analysis.UnresolvedDeserializer
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction, Complete}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.{OutputMode, StatefulProcessor, TimeMode}
import org.apache.spark.sql.types.{Metadata, TimestampType}
import org.apache.spark.sql.{classic, SparkSession}

import chronosketch.spark.aggregate.QloveSketchAggregate
import chronosketch.spark.hopping.panes.{Deadline, PaneNumber, PartialPanes, WindowAssigner}
import chronosketch.spark.state.StateDescription

/** Plans a stream's windows from panes that are kept by key, in Spark's operator for user-defined state.
  *
  * Each task first aggregates its own rows by key and pane, so that panes, not rows, are exchanged and stored. Spark drops a late
  * pane once its last window has closed: the event-time column of a pane is the end of that window.
  */
private[spark] object StreamedWindows {
  private val RocksDb = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

  /** Whether a node is the operator of such a plan. */
  def isOurs(node: TransformWithState): Boolean = processorOf(node).nonEmpty

  private[stream] def processorOf(node: TransformWithState): Option[PanesProcessor] =
    (node.statefulProcessor: Any) match {
      case ours: PanesProcessor => Some(ours)
      case _ => None
    }

  /** The same windows with the answers of another spec. */
  private[stream] def answering(node: TransformWithState, spec: PanesSpec): TransformWithState =
    node.copy(statefulProcessor = operator(spec), outputObjAttr = spec.row)

  private def operator(spec: PanesSpec): StatefulProcessor[Any, Any, Any] =
    new PanesProcessor(spec, None).asInstanceOf[StatefulProcessor[Any, Any, Any]]

  /** Why the plan must be two aggregations of Spark's instead. */
  def whyNot(keys: Seq[Expression], time: Expression, functions: Seq[Expression]): Option[String] = {
    val session = SparkSession.active.asInstanceOf[classic.SparkSession]
    val provider = SQLConf.get.getConf(SQLConf.STATE_STORE_PROVIDER_CLASS)
    if (provider != RocksDb)
      Some(
        s"it needs Spark's RocksDB state store. Set ${SQLConf.STATE_STORE_PROVIDER_CLASS.key} to $RocksDb"
      )
    else if (!session.sessionState.columnarRules.contains(LateWatermark))
      Some(
        "the jar was added to a running session. Use spark.newSession(), or start Spark with the jar"
      )
    else if (time.dataType != TimestampType)
      Some(s"a watermark is a TIMESTAMP, but event_time is ${time.dataType.sql}")
    else if (functions.exists(_.isInstanceOf[QloveSketchAggregate]))
      Some(s"a pane of ${QloveSketchAggregate.Name} is finished only once, when all of its rows have arrived")
    else
      keys.find(k => !UnsafeRowUtils.isBinaryStable(k.dataType) || !RowOrdering.isOrderable(k.dataType))
        .map(k => s"equal values of ${k.sql} can have different bytes")
  }

  /** Creates a plan whose columns are the keys, the window and the merged parts, in this order.
    *
    * @param functions the aggregates of panes, under their aliases
    * @param filters   the filter of each function
    * @param merges    for each function, the function that merges the column of its name
    */
  def apply(
      keys: Seq[Alias],
      time: Expression,
      assigner: WindowAssigner,
      functions: Seq[Alias],
      filters: Seq[Expression],
      merges: Seq[Attribute => Expression],
      window: String,
      child: LogicalPlan
  ): LogicalPlan = {
    val event = time match {
      case column: Attribute if column.metadata.contains(EventTimeWatermark.delayKey) => Some(column.metadata)
      case _ => None
    }
    val groups = (if (keys.isEmpty) Seq(Alias(Literal(true), "all")()) else keys) :+ Alias(
      PaneNumber(time, assigner.pane),
      "pane"
    )()
    val parts = functions.map(_.toAttribute)
    val inTask = TaskPanes(
      groups.map(_.toAttribute),
      functions.map(_.child),
      filters,
      parts,
      Project(child.output ++ groups, child)
    )
    val (by, pane) = (inTask.keys.init, inTask.keys.last)
    val deadline = Alias(Deadline(pane, assigner), "deadline")(explicitMetadata = event)
    val panes = Project(by ++ Seq(pane, deadline) ++ parts, inTask)

    val bounds = Seq("start", "end").map(AttributeReference(_, TimestampType)())
    val merging = merges.zip(parts).map { case (merge, part) => merge(part) }
    val merged = merging.zip(parts).map { case (merge, part) =>
      AttributeReference(part.name, merge.dataType)()
    }
    val row = by ++ bounds ++ merged
    val layout = StateDescription.ofPanes(
      keys.map(_.child),
      time,
      assigner.size,
      assigner.slide,
      functions.map(_.child.asInstanceOf[AggregateFunction]),
      filters
    )
    val spec = PanesSpec(by, assigner, bounds, parts, merging, merged, row, event.nonEmpty, layout)
    val windows = keptByKey(spec, pane, panes)
    val columns = row.zipWithIndex.map { case (column, i) =>
      Alias(GetStructField(windows.outputObjAttr, i), column.name)()
    }
    val (ofKeys, others) = columns.splitAt(by.length)
    val (ends, ofParts) = others.splitAt(bounds.length)
    val windowColumn = Alias(
      CreateNamedStruct(ends.flatMap(end => Seq(Literal(end.name), end.child))),
      window
    )(explicitMetadata = event.orElse(Some(Metadata.empty)))
    Project((if (keys.isEmpty) Nil else ofKeys) ++ Seq(windowColumn) ++ ofParts, windows)
  }

  /** Spark's operator with our processor. It reads and returns rows as they are in memory, without conversion to user objects. */
  private def keptByKey(
      spec: PanesSpec,
      pane: Attribute,
      panes: LogicalPlan
  ): TransformWithState = {
    val encoder = ExpressionEncoder(spec.keySchema)
    def struct(columns: Seq[Attribute]) = CreateNamedStruct(columns.flatMap(c => Seq(Literal(c.name), c)))
    val key = UnresolvedDeserializer(encoder.deserializer, spec.keys)
    TransformWithState(
      keyDeserializer = key,
      valueDeserializer = CreateNamedStruct(Seq(Literal("pane"), pane, Literal("parts"), struct(spec.parts))),
      groupingAttributes = spec.keys,
      dataAttributes = panes.output,
      statefulProcessor = operator(spec),
      timeMode = if (spec.hasWatermark) TimeMode.EventTime() else TimeMode.None(),
      outputMode = OutputMode.Append(),
      keyEncoder = encoder.asInstanceOf[ExpressionEncoder[Any]],
      outputObjAttr = spec.row,
      child = panes,
      hasInitialState = false,
      initialStateGroupingAttrs = spec.keys,
      initialStateDataAttrs = panes.output,
      initialStateDeserializer = key,
      initialState = LocalRelation(encoder.schema)
    )
  }
}

/** Aggregates each task's own rows. A group has one row for each task and batch that has rows of it. An
  * [[org.apache.spark.sql.catalyst.plans.logical.Aggregate]] can't say so: over a stream, Spark keeps its groups in state.
  *
  * @param functions aggregate functions without their aggregate expressions, which the optimizer allows in aggregations only
  * @param filters   the filter of each function; true if it has none
  * @param parts     the result of each function
  */
final case class TaskPanes(
    keys: Seq[Attribute],
    functions: Seq[Expression],
    filters: Seq[Expression],
    parts: Seq[Attribute],
    child: LogicalPlan
) extends UnaryNode {
  override def output: Seq[Attribute] = keys ++ parts
  override def producedAttributes: AttributeSet = AttributeSet(parts)

  // a constraint on each row need not hold for an aggregate of rows
  override protected lazy val validConstraints: ExpressionSet = ExpressionSet(Seq.empty[Expression])

  override protected def withNewChildInternal(newChild: LogicalPlan): TaskPanes = copy(child = newChild)
}

/** Plans the aggregation of each task's own rows: the half of an aggregation before the exchange. */
object TaskPanesStrategy extends SparkStrategy {
  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case TaskPanes(keys, functions, filters, parts, child) =>
      val answers = functions.zip(filters).zip(parts).map { case ((f, filter), part) =>
        val agg = f.asInstanceOf[AggregateFunction]
        val called =
          AggregateExpression(agg, Complete, isDistinct = false, Option.when(filter != TrueLiteral)(filter))
        Alias(called, part.name)(exprId = part.exprId)
      }
      PartialPanes.of(Aggregate(keys, keys ++ answers, child)).map(made =>
        ProjectExec(made.columns, made.plan)
      ).toSeq
    case _ => Nil
  }
}
