package chronosketch.spark.memory

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import chronosketch.spark.SparkSuite
import chronosketch.spark.history.operator.HistoryAggregateExec
import chronosketch.spark.hopping.panes.HoppingWindowsExec
import chronosketch.spark.sliding.plan.SketchWindowExec

/** Tests that windows, hopping windows and histories hold as much memory at their peak as they have requested from Spark, by walking the
  * heap while rows are returned.
  */
class HeldMemorySuite extends SparkSuite {
  private def view(rows: Int): Unit = spark.range(0, rows.toLong, 1, 1).selectExpr(
    "id",
    "id % 7 AS k",
    "pmod(hash(id, 3), 1000000) AS v",
    "sin(id) AS x",
    "IF(id % 3 = 0, NULL, id) AS some",
    "timestamp_seconds(id) AS t"
  ).createOrReplaceTempView("held")

  private def operator(query: String)(isOurs: PartialFunction[SparkPlan, SparkPlan]): SparkPlan =
    withConf("spark.sql.adaptive.enabled" -> "false", "spark.sql.shuffle.partitions" -> "1")(
      sql(query).asInstanceOf[classic.DataFrame].queryExecution.executedPlan.collectFirst(isOurs).get
    )

  /** Asserts that both are alike when the most is held, and when the most is requested. */
  private def assertAlike(name: String, plan: SparkPlan, every: Int, constant: Long): Unit = {
    val walked = plan.withNewChildren(plan.children.map(WalkedExec(every, _)))
    val samples = walked.execute().mapPartitions(WalkedExec.samples(_, every)).collect()
    Seq(samples.maxBy(_.held), samples.maxBy(_.requested)).distinct.foreach { peak =>
      val difference = math.abs(peak.held - peak.requested)
      assert(
        difference <= constant + peak.requested / 10,
        s"$name: ${peak.held} bytes are held, ${peak.requested} requested"
      )
    }
  }

  private val calls = Seq(
    "approx_quantile(v, 0.5)",
    "approx_quantile(some, array(0.1, 0.5, 0.9))",
    "approx_quantile_bounds(x, 0.5)"
  )

  private val frames = Seq(
    "ORDER BY id ROWS 99 PRECEDING",
    "ORDER BY id ROWS 200000 PRECEDING",
    "ORDER BY id RANGE BETWEEN 1000 PRECEDING AND 1000 FOLLOWING",
    "PARTITION BY k ORDER BY id",
    "PARTITION BY k ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
  )

  for (call <- calls; frame <- frames)
    test(s"what a window holds is within a tenth of what it requests: $call OVER ($frame)") {
      for (rows <- Seq(50000, 600000)) {
        view(rows)
        val window = operator(s"SELECT id, $call OVER ($frame) AS q FROM held") { case w: SketchWindowExec =>
          w
        }
        assertAlike(s"$rows rows", window, rows / 20 + 1, HeldMemorySuite.WindowConstant)
      }
    }

  for ((structure, length) <- Seq("auto" -> 999, "two_stacks" -> 999, "daba" -> 99))
    test(s"what unions of stored sketches hold is requested: $structure, $length PRECEDING") {
      spark.range(0, 1500000, 1, 1).selectExpr(
        "id",
        "pmod(hash(id, 3), 1000000) AS v"
      ).createOrReplaceTempView("held")
      withConf("spark.chronosketch.sliding.structure" -> structure) {
        val window = operator(
          s"""SELECT part, sketch_merge_agg(s) OVER (ORDER BY part ROWS $length PRECEDING) AS u
             |FROM (SELECT id % 3000 AS part, quantile_sketch_agg(v, 0.001) AS s FROM held GROUP BY part)""".stripMargin
        ) { case w: SketchWindowExec => w }
        assertAlike(structure, window, 150, HeldMemorySuite.HoppingConstant)
      }
    }

  test("frames on disk") {
    withConf("spark.chronosketch.sliding.exactFrameRows" -> "1000") {
      for (rows <- Seq(50000, 400000)) {
        view(rows)
        val query =
          "SELECT id, approx_quantile(v, 0.5, 0.01) OVER (ORDER BY id ROWS 20000 PRECEDING) AS q FROM held"
        val window = operator(query) { case w: SketchWindowExec => w }
        assertAlike(s"$rows rows", window, rows / 20 + 1, HeldMemorySuite.WindowConstant)
      }
    }
  }

  private val panes = Seq(
    "'approx_quantile(v, 0.5) AS q'",
    "'quantile_sketch_agg(v, 0.001) AS s'",
    "'sum(v) AS a', 'count(*) AS n'"
  )

  for (call <- panes)
    test(s"what hopping windows hold is within a tenth of what they request: $call") {
      for ((rows, size) <- Seq(50000 -> "10 minutes", 100000 -> "3 hours")) {
        view(rows)
        val query =
          s"SELECT * FROM hopping(TABLE(held), event_time => 't', size => '$size', slide => '1 minute', aggs => array($call))"
        val windows = operator(query) { case w: HoppingWindowsExec => w }
        assertAlike(s"$rows rows, $size", windows, rows / 1000, HeldMemorySuite.HoppingConstant)
      }
    }

  private val histories = Seq(
    "history_sketch_agg(v, id)",
    "history_sketch_agg(v, id, epsilon => 0)",
    "history_sketch_agg(v, id, until => id + 1000)"
  )

  for (call <- histories)
    test(s"what a history holds is within a tenth of what it requests: $call") {
      for (rows <- Seq(2000, 200000)) {
        view(rows)
        val history = operator(s"SELECT $call FROM held") { case h: HistoryAggregateExec => h }
        assertAlike(s"$rows rows", history, rows / 20, HeldMemorySuite.Constant)
      }
    }
}

private object HeldMemorySuite {

  /** The most bytes of objects that exist once, however many rows there are. */
  val Constant = 65536L

  /** Frames use this much without a request, so that small windows ask for nothing. */
  val WindowConstant: Long = (16L << 20) + (1L << 20)

  val HoppingConstant: Long = 1L << 20
}

/** Returns the rows of its child. Walks the heap of the operator above at every n-th row, and after the last. */
private final case class WalkedExec(every: Int, child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output

  protected def doExecute(): RDD[InternalRow] = {
    val rowsBetween = every
    child.execute().mapPartitions { rows =>
      var n = 0
      new Iterator[InternalRow] {
        override def hasNext: Boolean = {
          val hasMore = rows.hasNext
          if (!hasMore || n % rowsBetween == 0) WalkedExec.walk()
          hasMore
        }
        override def next(): InternalRow = {
          n += 1
          rows.next()
        }
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): WalkedExec = copy(child = newChild)
}

private object WalkedExec {
  private var operator: AnyRef = null
  private val walks = new ArrayBuffer[HeldHeap]

  private def walk(): Unit = if (operator != null) walks += HeldHeap.of(operator)

  /** Reads all rows of an operator in one task. Returns what was held and requested meanwhile. */
  def samples(rows: Iterator[InternalRow], every: Int): Iterator[HeldHeap] = synchronized {
    operator = rows
    walks.clear()
    var n = 0
    while (rows.hasNext) {
      rows.next()
      if (n % every == 0) walk()
      n += 1
    }
    operator = null
    walks.toList.iterator
  }
}
