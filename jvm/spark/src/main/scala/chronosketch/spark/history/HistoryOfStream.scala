package chronosketch.spark.history

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}

import chronosketch.spark.sql.Conditions

/** Refuses histories of streams: a history needs the rows of a group in order of version, and a stream never has all rows. */
object HistoryOfStream extends (LogicalPlan => Unit) {
  def apply(plan: LogicalPlan): Unit = plan.foreach {
    case aggregate: Aggregate if aggregate.isStreaming =>
      aggregate.aggregateExpressions.foreach(_.foreach {
        case f: HistoryAggregate => throw Conditions.analysisError(
            "CHRONOSKETCH_HISTORY_OF_STREAM",
            f.origin,
            "function" -> f.prettyName
          )
        case _ =>
      })
    case _ =>
  }
}
