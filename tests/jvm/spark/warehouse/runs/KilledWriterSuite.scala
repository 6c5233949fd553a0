package chronosketch.spark.warehouse.runs

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag
import scala.util.Using

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{LongType, StructType}

import chronosketch.spark.SparkSuite
import chronosketch.spark.cancel.KilledTask
import chronosketch.spark.warehouse.Warehouse
import chronosketch.spark.warehouse.manifest.MaxError

/** Tests that a run whose tasks fail or are killed leaves no file. */
class KilledWriterSuite extends SparkSuite {
  private def filesAfter(isKilled: Boolean): (Throwable, Seq[Path]) = {
    val folder = Files.createTempDirectory("warehouse").toString
    val folders = new EntryFolders(new HadoopPath(folder), Warehouse.hadoop(spark))
    val failure = intercept[Exception](
      new RunWriter(spark, folders).write(new EndingRows(spark, isKilled), MaxError(0.1), 0, 1L, 1L, 1L)
    )
    (
      failure,
      Using.resource(Files.walk(Path.of(folder)))(_.iterator.asScala.filter(Files.isRegularFile(_)).toList)
    )
  }

  test("a task that fails deletes its file") {
    val (failure, files) = filesAfter(isKilled = false)
    assert(failure.getMessage.contains("asked to fail"), failure.getMessage)
    assertEquals(files, Nil)
  }

  test("a killed task stops within a block, and deletes its file") {
    val (failure, files) = filesAfter(isKilled = true)
    assert(failure.getMessage.contains("asked to end"), failure.getMessage)
    assertEquals(files, Nil)
  }
}

/** A part of two blocks. Its task fails before the second, or is killed. */
private final class EndingRows(session: SparkSession, isKilled: Boolean) extends SortedRows {
  def schema: StructType = new StructType().add("v", LongType)

  def mapParts[A: ClassTag](make: (TaskContext, Iterator[KeyBlock]) => A): SortedParts[A] = {
    val isEnded = isKilled
    val parts = session.sparkContext.runJob(
      session.sparkContext.parallelize(Seq(1), 1),
      (task: TaskContext, _: Iterator[Int]) => {
        val noGroup = UnsafeProjection.create(new StructType())(InternalRow.empty).copy()
        val blocks = Iterator.range(0, 3).map { block =>
          if (block == 2) throw new IllegalStateException("read on after the kill")
          if (block == 1) {
            if (!isEnded) throw new IllegalStateException("asked to fail")
            KilledTask.kill(task)
          }
          KeyBlock(noGroup, Array.tabulate(100000)(i => block * 100000L + i), 100000)
        }
        try make(task, blocks)
        catch { case e: Throwable if KilledTask.isKill(e) => throw new IllegalStateException("asked to end") }
        finally if (isEnded) KilledTask.revive(task)
      }
    )
    SortedParts(parts.toSeq, 0L)
  }
}
