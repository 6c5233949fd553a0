package chronosketch.spark.hopping.panes

import org.apache.spark.TaskContext
import org.apache.spark.memory.MemoryMode
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import chronosketch.spark.memory.SlidingMemory
import chronosketch.spark.sql.{SparkPrivates, SparkVersion}

/** Merges the windows of each key from panes. A window shares nearly all its panes with its neighbours.
  *
  * Guarantee  returns every window that has a pane, once for each key, whether a pane has one row or several
  * Cost       a pane is aggregated once and sorted by key and time. A window costs a few merges or additions of ranks, however many panes
  *            it has
  * Memory     the panes of a window and some thousand more, requested from Spark; and the unions that
  *            [[chronosketch.sliding.fold.CellUnions]] keeps
  * Source     Li, Maier, Tufte, Papadimos and Tucker, No pane, no gain, SIGMOD Record 2005
  */
final case class HoppingWindowsExec(
    by: Seq[Attribute],
    pane: Attribute,
    block: Attribute,
    assigner: WindowAssigner,
    start: Attribute,
    end: Attribute,
    merges: Seq[Expression],
    merged: Seq[Attribute],
    answers: Seq[NamedExpression],
    child: SparkPlan
) extends UnaryExecNode {
  override def nodeName: String = "SketchHopping"

  override def output: Seq[Attribute] = answers.map(_.toAttribute)
  override def producedAttributes: AttributeSet =
    AttributeSet(Seq(start, end) ++ merged ++ output)

  override def requiredChildDistribution: Seq[Distribution] = Seq(SparkVersion.clustered(by :+ block))
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq((by :+ block :+ pane).map(SortOrder(_, Ascending)))

  override lazy val metrics = Map(
    "numInputRows" -> SQLMetrics.createMetric(sparkContext, "number of panes"),
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "peakMemory" -> SQLMetrics.createSizeMetric(sparkContext, "peak memory", -1)
  )

  protected def doExecute(): RDD[InternalRow] = {
    val merge = MergeSpec(child.output, by ++ Seq(start, end), merges, merged, answers)
    val spec = HoppingSpec(by, pane, block, assigner, merge)
    val panes = longMetric("numInputRows")
    val windows = longMetric("numOutputRows")
    val peak = longMetric("peakMemory")
    child.execute().mapPartitions { rows =>
      val task = TaskContext.get()
      // nothing can be released when Spark requests it, because later windows need the rows
      val memory = new SlidingMemory(SparkPrivates.memoryOf(task), MemoryMode.ON_HEAP, _ => 0L)
      task.addTaskCompletionListener[Unit] { _ =>
        peak.set(memory.peakBytes)
        memory.give(memory.getUsed)
      }
      new HoppingIterator(spec, rows.map { row => panes += 1; row }, memory).map { row =>
        windows += 1; row
      }
    }
  }

  private def windowText: String = s"$assigner, panes a window=${assigner.panes}"

  override def simpleString(maxFields: Int): String =
    s"$nodeName(by=${by.mkString("[", ", ", "]")}, $windowText, functions=${merges.mkString("[", ", ", "]")})"

  override def verboseString(maxFields: Int): String = simpleString(maxFields)

  override protected def withNewChildInternal(newChild: SparkPlan): HoppingWindowsExec =
    copy(child = newChild)
}

/** Merges panes into windows: every window that has a pane, once for each key.
  *
  * @param by     the keys
  * @param pane   the number of a row's pane; a key has one row for each pane
  * @param start  the start of a window in microseconds, like its end
  * @param merges aggregate functions without their aggregate expressions, which the optimizer allows in aggregations only
  * @param merged the result of each function; not aliases, because the optimizer removes these outside projections
  */
final case class HoppingWindows(
    by: Seq[Attribute],
    pane: Attribute,
    assigner: WindowAssigner,
    start: Attribute,
    end: Attribute,
    merges: Seq[Expression],
    merged: Seq[Attribute],
    child: LogicalPlan
) extends UnaryNode {
  override def output: Seq[Attribute] = by ++ Seq(start, end) ++ merged
  override def producedAttributes: AttributeSet =
    AttributeSet(Seq(start, end) ++ merged)

  // a constraint on each pane need not hold for an aggregate of panes
  override protected lazy val validConstraints: ExpressionSet = ExpressionSet(Seq.empty[Expression])

  override protected def withNewChildInternal(newChild: LogicalPlan): HoppingWindows = copy(child = newChild)
}

/** Sends each pane to the blocks of windows that need it. With blocks, several tasks can merge the windows of one key or of a whole table.
  *
  * Guarantee  a block receives every pane of its windows
  * Cost       most panes are returned once. Panes at the border of two blocks, 1 in [[WindowAssigner.BlockOverlaps]], are returned twice
  */
final case class PaneBlocksExec(
    columns: Seq[NamedExpression],
    pane: Attribute,
    assigner: WindowAssigner,
    block: AttributeReference,
    child: SparkPlan
) extends UnaryExecNode {
  override def nodeName: String = "SketchPaneBlocks"

  override def output: Seq[Attribute] = columns.map(_.toAttribute) :+ block
  override def producedAttributes: AttributeSet = AttributeSet(output)

  override lazy val metrics = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows")
  )

  protected def doExecute(): RDD[InternalRow] = {
    val rowsOut = longMetric("numOutputRows")
    val input = child.output
    val paneAt = columns.indexWhere(_.exprId == pane.exprId)
    val blockAt = columns.length
    // the block's number is set in the projected row
    val withBlock = columns :+ Literal(0L)
    val windows = assigner
    child.execute().mapPartitions { rows =>
      val project = UnsafeProjection.create(withBlock, input)
      new Iterator[InternalRow] {
        private var row: UnsafeRow = _
        private var coming = 1L
        private var last = 0L

        def hasNext: Boolean = coming <= last || rows.hasNext

        def next(): InternalRow = {
          if (coming > last) {
            row = project(rows.next())
            val n = row.getLong(paneAt)
            coming = windows.blockOf(windows.firstWith(n))
            last = windows.blockOf(windows.lastWith(n))
          }
          row.setLong(blockAt, coming)
          coming += 1
          rowsOut += 1
          row
        }
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): PaneBlocksExec = copy(child = newChild)
}
