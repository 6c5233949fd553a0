package chronosketch.spark.hopping.stream

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/** Tells our processors by which watermark Spark drops late rows. It does not say so to any, and a window that this watermark has passed
  * is no longer changed by a row that has others still open.
  *
  * The one place where a batch's plan can be changed after Spark has filled in its watermarks is where columnar operators go in.
  */
object LateWatermark extends ColumnarRule {
  override def preColumnarTransitions: Rule[SparkPlan] = told(_)

  private def told(plan: SparkPlan): SparkPlan = plan.transformUp {
    case node if node.productIterator.exists(_.isInstanceOf[PanesProcessor]) =>
      // the node's class is in another package on 4.0
      val watermark =
        node.getClass.getMethod("eventTimeWatermarkForLateEvents").invoke(node).asInstanceOf[Option[Long]]
      node.makeCopy(node.productIterator.map {
        case processor: PanesProcessor => processor.at(watermark)
        case other => other.asInstanceOf[AnyRef]
      }.toArray)
  }
}
