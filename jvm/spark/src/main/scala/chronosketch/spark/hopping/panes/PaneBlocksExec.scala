package chronosketch.spark.hopping.panes

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.LongType

/** Which blocks of windows does each pane go to? Blocks let several tasks make the windows of one key, or of a table without keys.
  *
  * Guarantee  a block gets every pane of its windows
  * Cost       most panes go out once, and those where two blocks meet twice: 1 in [[WindowAssigner.BlockOverlaps]] of them
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
    val input = child.output :+ block
    val number =
      BindReferences.bindReference(columns.find(_.exprId == pane.exprId).get: Expression, child.output)
    val made = columns :+ block
    val windows = assigner
    child.execute().mapPartitions { rows =>
      val project = UnsafeProjection.create(made, input)
      val blockRow = new SpecificInternalRow(Seq(LongType))
      val both = new JoinedRow
      new Iterator[InternalRow] {
        private var row: InternalRow = _
        private var coming = 1L
        private var last = 0L

        def hasNext: Boolean = coming <= last || rows.hasNext

        def next(): InternalRow = {
          if (coming > last) {
            row = rows.next()
            val n = number.eval(row).asInstanceOf[Long]
            coming = windows.blockOf(windows.firstWith(n))
            last = windows.blockOf(windows.lastWith(n))
          }
          blockRow.setLong(0, coming)
          coming += 1
          rowsOut += 1
          project(both(row, blockRow))
        }
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): PaneBlocksExec = copy(child = newChild)
}
