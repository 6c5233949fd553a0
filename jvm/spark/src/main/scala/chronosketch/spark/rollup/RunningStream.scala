package chronosketch.spark.rollup

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.LogicalRDD
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery}
import org.apache.spark.sql.{DataFrame, SparkSession, classic}

import chronosketch.spark.sql.SparkPrivates

/** A streaming query that runs.
  *
  * @param id
  *   the id that its checkpoint keeps
  */
private[rollup] final case class RunningStream(id: String, mode: OutputMode)

private[rollup] object RunningStream {

  /** Finds the running query whose batch a frame is of. Returns None if the frame is of none, or of several.
    *
    * Each query runs its batches in a session of its own, which the batch's plan refers to. So the answer does not depend on the thread
    * or the session that asks: with Spark Connect, both are others than those of the query.
    */
  def of(batch: DataFrame): Option[RunningStream] = {
    val sessions = batch.queryExecution.analyzed.collect { case rows: LogicalRDD => sessionOf(rows) }.flatten
    val queries =
      SparkPrivates.runningStreams(batch.sparkSession.asInstanceOf[classic.SparkSession]).asScala.toSeq
    val found = queries.collect {
      case query: StreamingQuery if sessionFor(query).exists(own => sessions.exists(_ eq own)) => query
    }
    found match {
      case Seq(query) => attribute[OutputMode](query, "outputMode").map(RunningStream(query.id.toString, _))
      case _ => None
    }
  }

  private def sessionOf(rows: LogicalPlan): Option[SparkSession] =
    attribute[Seq[AnyRef]](rows, "otherCopyArgs").flatMap(_.collectFirst { case session: SparkSession =>
      session
    })

  private def sessionFor(query: AnyRef): Option[SparkSession] =
    attribute[SparkSession](query, "sparkSessionForStream")

  /** Calls a method that Spark hides. The class of queries has moved between versions of Spark. */
  private def attribute[A](target: AnyRef, name: String): Option[A] =
    try Option(target.getClass.getMethod(name).invoke(target).asInstanceOf[A])
    catch { case NonFatal(_) => None }
}
