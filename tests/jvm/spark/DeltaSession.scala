package chronosketch.spark

import io.delta.sql.DeltaSparkSessionExtension
import org.apache.logging.log4j.Level
import org.apache.logging.log4j.core.config.Configurator
import org.apache.spark.sql.SparkSession

/** A session with Delta's catalog, its SQL and our functions, over the Spark context that all suites share. */
object DeltaSession {
  lazy val session: SparkSession = {
    // Delta logs an error for each read of a file with deletion vectors
    Configurator.setLevel("org.apache.spark.sql.delta.DeltaParquetFileFormat", Level.OFF)
    val shared = SparkSuite.session
    val session = SparkSession.builder().withExtensions(new DeltaSparkSessionExtension().apply(_))
      .config(settings).create()
    // the builder may have made it the session of this thread and of new threads
    SparkSession.setActiveSession(shared)
    SparkSession.setDefaultSession(shared)
    session
  }

  private lazy val settings: Map[String, Any] = Map(
    "spark.sql.catalog.spark_catalog" -> "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone" -> "UTC",
    "spark.sql.shuffle.partitions" -> "2",
    // compiling code that runs only once takes longer than running it
    "spark.sql.codegen.wholeStage" -> "false",
    "spark.sql.codegen.factoryMode" -> "NO_CODEGEN",
    "spark.sql.adaptive.enabled" -> "false",
    "spark.databricks.delta.snapshotPartitions" -> "1",
    "spark.databricks.delta.writeChecksumFile.enabled" -> "false",
    // VACUUM lists files with 10 000 tasks
    "spark.sql.sources.parallelPartitionDiscovery.parallelism" -> "1"
  )
}
