package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation

import chronosketch.spark.hopping.stream.TaskPanes
import chronosketch.spark.sql.Conditions

/** Refuses hopping windows in real-time mode. A batch lasts for minutes there, and its rows flow through all operators meanwhile.
  *
  * Each task aggregates its rows into panes before they are exchanged, so their windows would wait for the end of the batch. Spark would
  * refuse the query too, but later: Spark 4.2 fails to read metadata of state that isn't there yet.
  */
private[hopping] object RealTimeMode {

  /** Looked up by name, because Spark 4.0 has neither this mode nor the parameter. */
  private val Duration = "realTimeModeDuration"

  /** Checks the panes when they are planned. Spark's own strategies plan the operator above them before it asks ours. */
  def refuse(plan: LogicalPlan): Unit = plan match {
    case panes: TaskPanes if panes.exists(isRealTime) =>
      throw Conditions.refusal("CHRONOSKETCH_HOPPING_REAL_TIME", "function" -> HoppingSketch.Name)
    case _ =>
  }

  private def isRealTime(node: LogicalPlan): Boolean = node match {
    case scan: StreamingDataSourceV2ScanRelation =>
      val source = scan.relation
      source.productElementNames.zip(source.productIterator).exists {
        case (Duration, Some(_)) => true
        case _ => false
      }
    case _ => false
  }
}
