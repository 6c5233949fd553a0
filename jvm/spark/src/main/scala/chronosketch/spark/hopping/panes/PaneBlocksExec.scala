package chronosketch.spark.hopping.panes

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

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
