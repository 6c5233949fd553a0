package chronosketch.spark.cancel

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{DataType, LongType}

import chronosketch.spark.aggregate.operator.{OperatorSuite, ScarceMemory}
import chronosketch.spark.rows.RowFile

/** Tests that each operator ends soon after Spark has killed its task, and leaves nothing behind. */
class CancelSuite extends CancelTests {
  private val groups = 20000

  // Spark checks for kills when a task reads from a shuffle or a sort; an operator reads all of a group or segment before
  // it returns rows, so that the first rows after the kill come from its own memory
  private def view(rows: Int = 2 * groups): Unit =
    spark.range(0, rows.toLong, 1, 2)
      .selectExpr("id", s"id % $groups AS k", "pmod(id * 7919, 4999) AS v", "timestamp_seconds(id) AS ts")
      .createOrReplaceTempView("rows")

  private def inTwoWays(name: String)(body: => Unit): Unit =
    for ((way, conf) <- Seq("compiled" -> Nil, "not compiled" -> OperatorSuite.notCompiled))
      test(s"$name: $way") {
        view()
        withConf("spark.sql.shuffle.partitions" -> "1")(withConf(conf: _*)(body))
      }

  // an iterator has one row ready when it is asked whether there is one
  private def assertEnds(query: String, n: Int, most: Long = 1L): Unit = {
    val after = rowsAfterKill(sql(query), n)
    assert(after <= most, s"$after rows followed: $query")
  }

  inTwoWays("the groups of an aggregation end with the next one") {
    assertEnds("SELECT k, approx_quantile(v, 0.5) FROM rows GROUP BY k", 10)
    assertEnds("SELECT k, quantile_sketch_agg(v) AS s FROM rows GROUP BY k", 10)
    assertEnds("SELECT k, approx_quantile(v, 0.5), count(*) FROM rows GROUP BY k, concat('k', k)", 10)
  }

  inTwoWays("the groups of grouping sets end with the next one") {
    // the rows of the finest set come first, while the input is read
    assertEnds("SELECT k, id % 3, approx_quantile(v, 0.5) FROM rows GROUP BY CUBE(k, id % 3)", 45000)
  }

  inTwoWays("the groups of histories end with the next one") {
    assertEnds("SELECT k, history_sketch_agg(v, id) FROM rows GROUP BY k", 10)
  }

  inTwoWays("the windows of panes end with the next one") {
    val hopping =
      "hopping_sketch(TABLE(rows), event_time => 'ts', size => '10 minutes', slide => '1 minute', aggs => array('approx_quantile(v, 0.5) AS q', 'count(*) AS n'))"
    assertEnds(s"SELECT q, n FROM $hopping", 10)
  }

  inTwoWays("the groups of merged sketches end with the next one") {
    val sketches = "(SELECT k, id % 2 AS half, quantile_sketch_agg(v) AS s FROM rows GROUP BY k, id % 2)"
    assertEnds(s"SELECT k, sketch_merge_agg(s) AS s FROM $sketches GROUP BY k", 10)
    assertEnds(s"SELECT k, sketch_quantile(sketch_merge_agg(s), 0.5) FROM $sketches GROUP BY k", 10)
  }

  inTwoWays("the hopping windows of a table end with the next one") {
    assertEnds(
      "SELECT window, approx_quantile(v, 0.5) FROM rows GROUP BY window(ts, '10 minutes', '1 minute')",
      10
    )
    // with a key, a window has few rows
    assertEnds(
      "SELECT window, k % 50, approx_quantile(v, 0.5) FROM rows GROUP BY window(ts, '10 minutes', '1 minute'), k % 50",
      10
    )
  }

  inTwoWays("the rows of a window end within 256") {
    assertEnds(
      "SELECT id, approx_quantile(v, 0.5) OVER (ORDER BY id ROWS 99 PRECEDING) AS q FROM rows",
      10,
      257
    )
    assertEnds(
      "SELECT id, approx_quantile(v, 0.5) OVER (ORDER BY ts RANGE INTERVAL 1 MINUTE PRECEDING) AS q FROM rows",
      10,
      257
    )
  }

  test("rows that come from one row of input end with their batch") {
    val after =
      rowsReadAfterKill(400000, 1000)(t =>
        s"SELECT id % 100 AS k, approx_quantile(id, 0.5) FROM $t GROUP BY 1"
      )
    assert(after <= (1 << 16), after.toString)
  }

  test("a stored sketch is the last that a killed task merges") {
    val sketch = "(SELECT quantile_sketch_agg(id) FROM range(100))"
    val after =
      rowsReadAfterKill(5000, 100)(t => s"SELECT sketch_merge_agg(IF(id < 0, NULL, $sketch)) FROM $t")
    assert(after <= 1, after.toString)
  }

  test("the files of spilled groups are deleted") {
    view()
    withConf("spark.sql.shuffle.partitions" -> "1") {
      val scarce = new ScarceMemory(2L << 20)
      try assertEnds("SELECT k, quantile_sketch_agg(v), approx_quantile(v, 0.5) FROM rows GROUP BY k", 10)
      finally scarce.close()
    }
  }

  test("the file of a task that is killed while it writes is deleted") {
    val project = UnsafeProjection.create(Array[DataType](LongType))
    for (rows <- Seq(0, 1, 300000)) {
      val file = new RowFile(1000000)
      (0 until rows).foreach(i => file.write(project(InternalRow(i.toLong))))
      file.delete()
      assertEquals(KilledTask.taskFiles.asScala.toSeq, Nil, s"$rows rows")
    }
  }
}
