package chronosketch.spark.sliding

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
  SQLExecution,
  ShuffledRowRDD,
  SparkPlan,
  UnaryExecNode,
  UnsafeRowSerializer
}
import org.apache.spark.sql.types.LongType
import org.apache.spark.{Partitioner, ShuffleDependency, SparkException}

import chronosketch.codec.Envelope
import chronosketch.domain.Domain
import chronosketch.spark.SparkLine
import chronosketch.summary.GreenwaldKhanna

/** Cuts rows into ranges of an order key, one a partition, each with the rows beside it that frames reach: what slides over a range
  * needs no other.
  *
  * Guarantee  rows of one key are in one range, and have the same order in every halo; a halo that turns out too small is an error
  * Cost       the input is read twice: once to summarise its keys, with certain ranks, once to move its rows
  *
  * Its rows have one column more: their [[RowPlace]].
  */
final case class SketchRangesExec(
    order: SortOrder,
    cut: RangeCut,
    child: SparkPlan
) extends UnaryExecNode {
  private lazy val place = AttributeReference("place", LongType, nullable = false)()

  override def nodeName: String = "SketchRanges"
  override def output: Seq[Attribute] = child.output :+ place
  override def producedAttributes: AttributeSet = AttributeSet(place)
  override def outputPartitioning: Partitioning = UnknownPartitioning(cut.most)

  private lazy val readMetrics = SQLShuffleReadMetricsReporter.createShuffleReadMetrics(sparkContext)
  private lazy val writeMetrics = SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(sparkContext)
  override lazy val metrics = Map(
    "ranges" -> SQLMetrics.createMetric(sparkContext, "number of ranges"),
    "haloRows" -> SQLMetrics.createMetric(sparkContext, "rows of halos"),
    "rangeRows" -> SQLMetrics.createAverageMetric(sparkContext, "rows of a range"),
    "cutTime" -> SQLMetrics.createTimingMetric(sparkContext, "time to cut ranges"),
    "dataSize" -> SQLMetrics.createSizeMetric(sparkContext, "data size")
  ) ++ readMetrics ++ writeMetrics

  protected def doExecute(): RDD[InternalRow] = moved

  // plans are asked more than once: by LIMIT
  @transient private lazy val moved: RDD[InternalRow] = {
    val rows = child.execute()
    val key = BindReferences.bindReference(
      KeyOf.of(order.child, isDescending = !order.isAscending).get,
      child.output
    )
    val nullKey = Reach.nullKey(order)
    val ranges = rangesOf(rows, key, nullKey)
    val (input, places) =
      (child.output.map(BindReferences.bindReference[Expression](_, child.output)), child.output.length)
    val copies = !SketchRangesExec.writesAtOnce(sparkContext.getConf.get("spark.shuffle.manager", "sort"))
    val routed = SparkLine.numbered(rows) { (partition, rows: Iterator[InternalRow]) =>
      new RangeRouter(rows, partition, ranges, key, nullKey, input, copies)
    }
    val dependency = new ShuffleDependency[Int, InternalRow, InternalRow](
      routed,
      new SketchRangesExec.ByRange(ranges.count),
      serializer,
      None,
      None,
      false,
      ShuffleExchangeExec.createShuffleWriteProcessor(writeMetrics)
    )
    val (reached, halos, sizes) = (cut.reach, metrics("haloRows"), metrics("rangeRows"))
    new ShuffledRowRDD(dependency, readMetrics).mapPartitionsWithIndex { (range, rows) =>
      val counted = new HaloRows(rows, places)
      new Iterator[InternalRow] {
        private var isOpen = true
        override def hasNext: Boolean = counted.hasNext || {
          if (isOpen) {
            isOpen = false
            if (
              counted.own > 0 &&
              (counted.before < reached.back && ranges.isCutBefore(range) ||
                counted.after < reached.on && ranges.isCutAfter(range))
            ) throw new SparkException(SketchRangesExec.changed)
            halos.add(counted.before + counted.after)
            sizes.set(counted.own.toDouble)
          }
          false
        }
        override def next(): InternalRow = counted.next()
      }
    }
  }

  private def serializer: Serializer = new UnsafeRowSerializer(output.length, metrics("dataSize"))

  private def rangesOf(rows: RDD[InternalRow], key: Expression, nullKey: Long): Ranges = {
    val started = System.nanoTime()
    val sketches = rows.mapPartitionsWithIndex { (partition, rows) =>
      val keyOf = UnsafeProjection.create(Seq(key))
      keyOf.initialize(partition)
      val keys = SketchRangesExec.noKeys
      while (rows.hasNext) {
        val bits = keyOf(rows.next())
        keys.insert(if (bits.isNullAt(0)) nullKey else bits.getLong(0))
      }
      Iterator.single(Envelope.seal(keys))
    }
    // of many partitions the driver gets a few sketches, not all
    val depth = if (rows.getNumPartitions <= SketchRangesExec.FewPartitions) 1 else 2
    val union = sketches.treeAggregate(Envelope.seal(SketchRangesExec.noKeys))(
      SketchRangesExec.union,
      SketchRangesExec.union,
      depth
    )
    val ranges = Ranges.of(SketchRangesExec.opened(union).profile, cut)
    metrics("ranges").add(ranges.count.toLong)
    metrics("cutTime").add((System.nanoTime() - started) / 1000000L)
    SQLMetrics.postDriverMetricUpdates(
      sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
      Seq(metrics("ranges"), metrics("cutTime"))
    )
    ranges
  }

  // ---- EXPLAIN

  override def simpleString(maxFields: Int): String =
    s"$nodeName(order=$order, ranges=${cut.text}, halo=${cut.reach.text})"

  override def verboseString(maxFields: Int): String = simpleString(maxFields)

  override def verboseStringWithOperatorId(): String = Seq(
    formattedNodeName,
    s"Input [${child.output.length}]: ${child.output.mkString("[", ", ", "]")}",
    s"Order by: $order",
    s"Ranges: ${cut.text}",
    s"Halo: ${cut.reach.text}"
  ).mkString("\n", "\n", "\n")

  override protected def withNewChildInternal(newChild: SparkPlan): SketchRangesExec = copy(child = newChild)
}

private object SketchRangesExec {
  private val changed =
    s"The input of a window without PARTITION BY gave other rows when it was read again. Set ${SlidingConf.Ranges} to 1: then it is read once."

  /** Whether a row that is given to Spark's writers of shuffles can be changed when they return. */
  private def writesAtOnce(manager: String): Boolean =
    Seq("sort", "tungsten-sort", "org.apache.spark.shuffle.sort.SortShuffleManager").contains(manager)

  private final class ByRange(count: Int) extends Partitioner {
    override def numPartitions: Int = count
    override def getPartition(key: Any): Int = key.asInstanceOf[Int]
  }

  private val FewPartitions = 64

  private def noKeys: GreenwaldKhanna = new GreenwaldKhanna(Domain.BigInt, Ranges.RankError)

  private def opened(sketch: Array[Byte]): GreenwaldKhanna =
    Envelope.open(sketch).asInstanceOf[GreenwaldKhanna]

  private val union: (Array[Byte], Array[Byte]) => Array[Byte] = (left, right) => {
    val sketch = opened(left)
    sketch.merge(opened(right))
    Envelope.seal(sketch)
  }
}
