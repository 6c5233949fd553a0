package chronosketch.spark.sliding.ranges

import org.apache.spark.rdd.RDD
import org.apache.spark.serializer.Serializer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.metric.{
  SQLMetrics,
  SQLShuffleReadMetricsReporter,
  SQLShuffleWriteMetricsReporter
}
import org.apache.spark.sql.execution.{
  ShuffledRowRDD,
  SparkPlan,
  SQLExecution,
  UnaryExecNode,
  UnsafeRowSerializer
}
import org.apache.spark.sql.types.LongType
import org.apache.spark.{Partitioner, ShuffleDependency}

import chronosketch.Refusal
import chronosketch.spark.explain.ExplainedExec
import chronosketch.spark.rows.{KeyOf, OrderKey}
import chronosketch.spark.sliding.SlidingConf
import chronosketch.spark.sql.{Conditions, SparkVersion}

/** Cuts rows into ranges of an order key, one a task. Each range has its halo: the rows before and after it that are in its frames. So
  * it needs no other range. With PARTITION BY and few partitions, large partitions are cut, and the others are assigned by their hash.
  *
  * Guarantee  rows of one key are in one range, and have the same order in every halo. If a halo is too small, the query fails
  * Cost       the input is read twice: once to summarise its keys, with certain bounds on their ranks, and once to move its rows
  *
  * Output rows have one more column: their [[RowPlace]].
  */
final case class SketchRangesExec(
    partitionSpec: Seq[Expression],
    order: SortOrder,
    cut: RangeCut,
    child: SparkPlan
) extends UnaryExecNode
    with ExplainedExec {
  private lazy val place = AttributeReference("place", LongType, nullable = false)()

  override def nodeName: String = "SketchRanges"
  override def output: Seq[Attribute] = child.output :+ place
  override def producedAttributes: AttributeSet = AttributeSet(place)
  override def outputPartitioning: Partitioning = UnknownPartitioning(cut.most)

  private lazy val readMetrics = SQLShuffleReadMetricsReporter.createShuffleReadMetrics(sparkContext)
  private lazy val writeMetrics = SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(sparkContext)
  override lazy val metrics = Map(
    "ranges" -> SQLMetrics.createMetric(sparkContext, "number of ranges"),
    "haloRows" -> SQLMetrics.createMetric(sparkContext, "rows copied from neighbouring ranges"),
    "rangeRows" -> SQLMetrics.createAverageMetric(sparkContext, "rows per range"),
    "cutTime" -> SQLMetrics.createTimingMetric(sparkContext, "time to cut ranges"),
    "dataSize" -> SQLMetrics.createSizeMetric(sparkContext, "data size")
  ) ++ readMetrics ++ writeMetrics

  protected def doExecute(): RDD[InternalRow] = moved

  // lazy, because LIMIT calls doExecute more than once
  @transient private lazy val moved: RDD[InternalRow] = {
    val rows = child.execute()
    val key = BindReferences.bindReference(
      KeyOf.of(order.child, isDescending = !order.isAscending).get,
      child.output
    )
    val nullKey = OrderKey.ofNull(order)
    val groupKeys = partitionSpec.map(BindReferences.bindReference(_, child.output))
    val table = tableOf(rows, groupKeys, key, nullKey)
    val (input, places) =
      (child.output.map(BindReferences.bindReference[Expression](_, child.output)), child.output.length)
    val copies = !SlidingConf.hasSparksShuffle(sparkContext.getConf)
    val routed = SparkVersion.numbered(rows) { (partition, rows: Iterator[InternalRow]) =>
      new RangeRouter(rows, partition, table, groupKeys, key, nullKey, input, copies)
    }
    val dependency = new ShuffleDependency[Int, InternalRow, InternalRow](
      routed,
      new SketchRangesExec.ByRange(table.targets),
      serializer,
      None,
      None,
      false,
      ShuffleExchangeExec.createShuffleWriteProcessor(writeMetrics)
    )
    val (reach, halos, sizes) = (cut.reach, metrics("haloRows"), metrics("rangeRows"))
    new ShuffledRowRDD(dependency, readMetrics).mapPartitionsWithIndex { (target, rows) =>
      val cut = table.cutOf(target)
      val counted = new HaloRows(rows, places)
      new Iterator[InternalRow] {
        private var isOpen = true
        override def hasNext: Boolean = counted.hasNext || {
          if (isOpen) {
            isOpen = false
            if (cut >= 0) {
              val (ranges, range) = (table.rangesOf(cut), target - table.firstTarget(cut))
              if (
                counted.inRange > 0 &&
                (counted.before < reach.rowsBefore && ranges.isCutBefore(range) ||
                  counted.after < reach.rowsAfter && ranges.isCutAfter(range))
              ) throw SketchRangesExec.changed
              sizes.set(counted.inRange.toDouble)
            }
            halos.add(counted.before + counted.after)
          }
          false
        }
        override def next(): InternalRow = counted.next()
      }
    }
  }

  private def serializer: Serializer = new UnsafeRowSerializer(output.length, metrics("dataSize"))

  private def tableOf(
      rows: RDD[InternalRow],
      groupKeys: Seq[Expression],
      key: Expression,
      nullKey: Long
  ): RangeTable = {
    val started = System.nanoTime()
    val rankError = if (groupKeys.isEmpty) Ranges.RankError else RangeTable.GroupRankError
    val summaries = rows.mapPartitionsWithIndex { (partition, rows) =>
      val keyOf = UnsafeProjection.create(Seq(key))
      val groupOf = UnsafeProjection.create(groupKeys)
      keyOf.initialize(partition)
      groupOf.initialize(partition)
      val keys = new OrderKeySketch.Collector(rankError)
      var areFew = true
      while (areFew && rows.hasNext) {
        val row = rows.next()
        val bits = keyOf(row)
        areFew = keys.add(groupOf(row), if (bits.isNullAt(0)) nullKey else bits.getLong(0))
      }
      Iterator.single(if (areFew) keys.result else None)
    }
    // if there are many partitions, executors merge most sketches before the driver gets them
    val depth = if (rows.getNumPartitions <= SketchRangesExec.FewPartitions) 1 else 2
    val groups =
      summaries.treeAggregate(OrderKeySketch.none)(OrderKeySketch.union, OrderKeySketch.union, depth)
    val table = RangeTable.of(groupKeys.length, groups, cut)
    metrics("ranges").add(table.rangeCount.toLong)
    metrics("cutTime").add((System.nanoTime() - started) / 1000000L)
    SQLMetrics.postDriverMetricUpdates(
      sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
      Seq(metrics("ranges"), metrics("cutTime"))
    )
    table
  }

  // ---- EXPLAIN

  protected def inTree: String = {
    val keys = if (partitionSpec.isEmpty) "" else s"keys=${list(partitionSpec)}, "
    s"(${keys}order=$order, ranges=${cut.text}, halo=${cut.reach.text})"
  }

  protected def lines: Seq[String] =
    Seq(line("Input", child.output)) ++
      Option.when(partitionSpec.nonEmpty)(line("Partition by", partitionSpec)) ++
      Seq(s"Order by: $order", s"Ranges: ${cut.text}", s"Halo: ${cut.reach.text}")

  override protected def withNewChildInternal(newChild: SparkPlan): SketchRangesExec = copy(child = newChild)
}

private[spark] object SketchRangesExec {
  def changed: Throwable =
    Conditions.runtimeError(Refusal("CHRONOSKETCH_INPUT_CHANGED", "setting" -> SlidingConf.Ranges), Map.empty)

  private final class ByRange(count: Int) extends Partitioner {
    override def numPartitions: Int = count
    override def getPartition(key: Any): Int = key.asInstanceOf[Int]
  }

  private val FewPartitions = 64
}
