package chronosketch.spark.cancel

import java.util.concurrent.atomic.AtomicLong

import scala.jdk.CollectionConverters._

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.{DataFrame, classic}

import chronosketch.spark.SparkSuite

/** Kills tasks at a known row, and counts how many rows the operator still returns or reads before it ends. No test measures time. */
abstract class CancelTests extends SparkSuite {
  import CancelTests._

  override def afterEach(context: AfterEach): Unit = {
    super.afterEach(context)
    assertEquals(KilledTask.taskFiles.asScala.toSeq, Nil, "files of tasks are left")
    val ours = Thread.getAllStackTraces.keySet.asScala.map(_.getName).filter(_.contains("chronosketch"))
    assertEquals(ours.toSeq, Nil, "threads are left")
  }

  /** Kills each task of a query after it has returned n rows. Returns the most rows that a task returned afterwards.
    *
    * The mark is taken back before the task ends, so that the task succeeds. Spark then checks that its memory was released.
    */
  protected def rowsAfterKill(query: DataFrame, n: Int): Long = {
    val rows = query.asInstanceOf[classic.DataFrame].queryExecution.toRdd
    refusingLeaks {
      val after = spark.sparkContext.runJob(
        rows,
        (task: TaskContext, rows: Iterator[InternalRow]) => CancelTests.countAfterKill(task, rows, n)
      )
      assert(after.exists(_ != TooFewRows), s"no task has more than $n rows")
      assert(!after.contains(NeverEnded), s"a task was not ended: ${after.mkString(", ")}")
      after.max
    }
  }

  /** Kills the task of a query when the function `kill_at` reads row n. Returns how many rows it has read afterwards.
    *
    * `query` gets the name of a view whose rows have a column id. All rows come from one row of input, so Spark itself does not check.
    */
  protected def rowsReadAfterKill(rows: Int, n: Int)(query: String => String): Long = {
    readAfter.set(0L)
    spark.udf.register("kill_at", (id: Long) => CancelTests.killAt(id, n.toLong))
    sql(
      s"SELECT kill_at(id) AS id FROM (SELECT explode(sequence(0L, id + ${rows - 1})) AS id FROM range(0, 1, 1, 1))"
    ).createOrReplaceTempView("one_task")
    val input = query("one_task")
    val all = sql(input).asInstanceOf[classic.DataFrame].queryExecution.toRdd
    refusingLeaks {
      val outcome = spark.sparkContext.runJob(
        all,
        (task: TaskContext, rows: Iterator[InternalRow]) => CancelTests.drain(task, rows)
      )
      assert(!outcome.contains(NeverEnded), "the task was not ended")
    }
    readAfter.get
  }

  private def refusingLeaks[A](body: => A): A = {
    val before = KilledTask.refuseLeaks("true")
    try body
    finally { KilledTask.refuseLeaks(before); () }
  }
}

object CancelTests {
  val NeverEnded: Long = -1L
  val TooFewRows: Long = -2L

  private val readAfter = new AtomicLong

  private def countAfterKill(task: TaskContext, rows: Iterator[InternalRow], n: Int): Long = {
    var before = 0
    while (before < n && rows.hasNext) {
      rows.next()
      before += 1
    }
    if (!rows.hasNext) TooFewRows
    else {
      KilledTask.kill(task)
      drain(task, rows)
    }
  }

  private def drain(task: TaskContext, rows: Iterator[InternalRow]): Long = {
    var after = 0L
    try {
      while (rows.hasNext) {
        rows.next()
        after += 1
      }
      NeverEnded
    } catch { case e: Throwable if KilledTask.isKill(e) => after }
    finally KilledTask.revive(task)
  }

  private def killAt(id: Long, n: Long): Long = {
    if (id == n) KilledTask.kill(TaskContext.get())
    else if (id > n) readAfter.incrementAndGet()
    id
  }
}
