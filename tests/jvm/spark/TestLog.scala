package chronosketch.spark

import scala.jdk.CollectionConverters._

import org.apache.logging.log4j.Level
import org.apache.logging.log4j.core.config.Configurator

/** Keeps expected failures out of the log, so that `make test` can refuse a log with an error. */
object TestLog {

  /**
   * The loggers that report why a task or a stream failed. Afterwards Spark throws the same error to the one who runs the query.
   * The block writer reports files that other tasks of that query had open when Spark interrupted them.
   */
  private val reporters = Seq(
    "org.apache.spark.executor.Executor",
    "org.apache.spark.scheduler.TaskSetManager",
    "org.apache.spark.storage.DiskBlockObjectWriter",
    "org.apache.spark.util.Utils",
    "org.apache.spark.sql.delta.files.DeltaFileFormatWriter",
    "org.apache.spark.sql.execution.datasources.v2.DataWritingSparkTask",
    "org.apache.spark.sql.execution.datasources.v2.WriteToDataSourceV2Exec",
    "org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution",
    "org.apache.spark.sql.execution.streaming.continuous.ContinuousExecution"
  )

  private val TaskRunner = "org.apache.spark.executor.Executor$TaskRunner"

  private var failing = 0

  /** Runs a query that may fail. Its caller must check what it throws, since it is not logged. */
  def expectingFailure[A](body: => A): A = {
    count(1)
    try body
    finally {
      // other tasks of the query may fail later than the first one
      while (isTaskRunning) Thread.sleep(1)
      count(-1)
    }
  }

  /** Looks at the threads: Spark's own counts of running tasks come from events, which are late if the machine is busy. */
  private def isTaskRunning: Boolean =
    Thread.getAllStackTraces.values.asScala.exists(_.exists(_.getClassName == TaskRunner))

  /** Tests may run queries in several threads, and one such call in another. */
  private def count(change: Int): Unit = synchronized {
    failing += change
    reporters.foreach(Configurator.setLevel(_, if (failing > 0) Level.OFF else Level.ERROR))
  }
}
