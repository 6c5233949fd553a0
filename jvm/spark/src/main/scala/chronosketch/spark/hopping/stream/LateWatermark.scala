package chronosketch.spark.hopping.stream

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/** Gives our processors the watermark by which Spark drops late rows. A processor needs it, because a late row may only change windows
  * that end after this watermark. Spark does not pass it to processors.
  *
  * It is a columnar rule because only such rules see the plan of a batch after Spark has filled in the watermarks.
  */
object LateWatermark extends ColumnarRule {
  override def preColumnarTransitions: Rule[SparkPlan] = withWatermark(_)

  private def withWatermark(plan: SparkPlan): SparkPlan = plan.transformUp {
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
