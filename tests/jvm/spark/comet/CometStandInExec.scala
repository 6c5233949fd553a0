package org.apache.spark.sql.comet

import org.apache.spark.sql.execution.SparkPlan

import chronosketch.spark.aggregate.columns.ForeignBatches

/** Stands for Comet's operators, which are not on our class path: it is in their package, and its vectors are not Spark's own. */
final case class CometStandInExec(child: SparkPlan) extends ForeignBatches {
  override protected def withNewChildInternal(newChild: SparkPlan): CometStandInExec = copy(child = newChild)
}
