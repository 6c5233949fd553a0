package chronosketch.spark.sliding.exchange

import scala.concurrent.Future

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.memory.MemoryMode
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.catalyst.plans.physical.{
  CoalescedHashPartitioning,
  HashPartitioning,
  Partitioning,
  UnknownPartitioning
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.exchange.{
  ENSURE_REQUIREMENTS,
  ShuffleExchangeExec,
  ShuffleExchangeLike,
  ShuffleOrigin
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{ColumnarRule, ShufflePartitionSpec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, IntegerType}

import chronosketch.spark.explain.ExplainedExec
import chronosketch.spark.memory.SlidingMemory
import chronosketch.spark.sliding.SlidingConf
import chronosketch.spark.sliding.plan.SketchWindowExec
import chronosketch.spark.sql.SparkPrivates

/** Moves rows to a window in blocks. Spark's exchange writes, compresses and reads each row on its own, which takes longer than the window
  * itself. Here it gets blocks of rows that are packed by column ([[PackRowsExec]]), and rows are unpacked behind it
  * ([[UnpackRowsExec]]).
  *
  * Rows come to the same tasks as without. So joins and aggregates above the window that need the same keys need no other exchange.
  *
  * With adaptive execution it runs after each planning, otherwise once.
  */
object PackedExchange extends ColumnarRule {

  /** Rows are not packed if that takes more memory at least. */
  private[exchange] val MostMemory: Long = 8L << 20

  override def preColumnarTransitions: Rule[SparkPlan] = afterExchanges

  /** Packs the rows of exchanges below our windows. */
  val afterExchanges: Rule[SparkPlan] = plan =>
    if (
      !plan.exists(_.isInstanceOf[SketchWindowExec]) || !SlidingConf.packsRows ||
      // another plug-in may replace the exchange by its own, which counts blocks as rows
      !SlidingConf.hasSparksShuffle(SparkEnv.get.conf)
    ) plan
    else {
      val belowWindows = plan.collect { case window: SketchWindowExec => window.child }
      val others = plan.collect { case e: ShuffleExchangeExec if !belowWindows.exists(_ eq e) => e }
      plan.transformUp { case window: SketchWindowExec =>
        window.child match {
          // Spark sends rows once for two equal exchanges
          case exchange: ShuffleExchangeExec if !others.exists(_.sameResult(exchange)) =>
            packed(exchange).fold(window)(c => window.copy(child = c))
          case _ => window
        }
      }
    }

  private def packed(exchange: ShuffleExchangeExec): Option[SparkPlan] = exchange.outputPartitioning match {
    case hash: HashPartitioning
        if exchange.shuffleOrigin == ENSURE_REQUIREMENTS &&
          PackRowsExec.leastMemory(exchange.output, hash.numPartitions) <= MostMemory =>
      val packed = PackRowsExec(hash.expressions, hash.numPartitions, exchange.child)
      val target = HashPartitioning(Seq(PackRowsExec.Target), hash.numPartitions)
      // its only expression; Spark versions differ in the number of parameters of an exchange
      val moved = exchange.withNewChildren(Seq(packed)).mapExpressions(_ => target)
      val rows = UnpackRowsExec(
        exchange.output,
        hash.expressions,
        hash.numPartitions,
        BlockExchangeExec(moved.asInstanceOf[ShuffleExchangeExec])
      )
      // adaptive execution replaces the logical plan that was moved by all operators that have its link
      val moves = exchange.child.collectFirst { case p if p.logicalLink.nonEmpty => p.logicalLink.get }
      moves.foreach(rows.setLogicalLink)
      Some(rows)
    case _ => None
  }
}

/** Spark's exchange of blocks.
  *
  * It counts the rows in them: adaptive execution drops a LIMIT above an exchange of no more rows. And it has no checksum of rows. Spark
  * would fail a query if a repeated task sent other rows, and takes blocks for rows. But the blocks of a task depend on the order of its
  * rows, and on its memory.
  */
final case class BlockExchangeExec(sparks: ShuffleExchangeExec) extends ShuffleExchangeLike {
  override def nodeName: String = sparks.nodeName
  override def child: SparkPlan = sparks.child
  override def outputPartitioning: Partitioning = sparks.outputPartitioning
  override lazy val metrics: Map[String, SQLMetric] = sparks.metrics

  /** Spark's exchange after it has made its shuffle. It reads the settings of checksums then, and never again. */
  private lazy val unchecked: ShuffleExchangeExec = {
    // made first, so that it has the user's settings
    sparks.inputRDD
    val settings = SQLConf.get.clone()
    BlockExchangeExec.Checksums.foreach(settings.setConfString(_, "false"))
    SQLConf.withExistingConf(settings)(sparks.shuffleDependency)
    sparks
  }

  def numMappers: Int = unchecked.numMappers
  def numPartitions: Int = unchecked.numPartitions
  def advisoryPartitionSize: Option[Long] = sparks.advisoryPartitionSize
  def shuffleOrigin: ShuffleOrigin = sparks.shuffleOrigin
  def shuffleId: Int = unchecked.shuffleId
  def getShuffleRDD(specs: Array[ShufflePartitionSpec]): RDD[_] = unchecked.getShuffleRDD(specs)
  protected def mapOutputStatisticsFuture: Future[Nothing] = SparkPrivates.statisticsOf(unchecked)
  protected def doExecute(): RDD[InternalRow] = unchecked.execute()

  /** The statistics that the exchange would have without packing. */
  def runtimeStatistics: Statistics = {
    val rows = child.collectFirst { case pack: PackRowsExec => pack.metrics }.get
    Statistics(rows("dataSize").value, Some(rows("numInputRows").value))
  }

  override def stringArgs: Iterator[Any] = sparks.stringArgs
  override protected def doCanonicalize(): SparkPlan =
    BlockExchangeExec(sparks.canonicalized.asInstanceOf[ShuffleExchangeExec])
  override protected def withNewChildInternal(newChild: SparkPlan): BlockExchangeExec =
    BlockExchangeExec(sparks.withNewChildren(Seq(newChild)).asInstanceOf[ShuffleExchangeExec])
}

private object BlockExchangeExec {
  private val Checksums = Seq("enabled", "enableFullRetryOnMismatch")
    .map("spark.sql.shuffle.orderIndependentChecksum." + _)
}

/** Packs rows into blocks: one row each, with the number of its target and its bytes.
  *
  * Guarantee  a row is in a block of the target that Spark's hash of its keys gives
  * Memory     room for up to 1 024 rows of each target, about 8 MiB in all. It is requested from Spark. If Spark refuses it, blocks have 16
  *            rows. A larger row takes three times its bytes
  */
final case class PackRowsExec(keys: Seq[Expression], targets: Int, child: SparkPlan) extends UnaryExecNode
    with ExplainedExec {
  override def nodeName: String = "SketchPack"
  override def output: Seq[Attribute] = PackRowsExec.Output
  override def producedAttributes: AttributeSet = AttributeSet(PackRowsExec.Output)
  override lazy val metrics = Map(
    "numInputRows" -> SQLMetrics.createMetric(sparkContext, "number of input rows"),
    "dataSize" -> SQLMetrics.createSizeMetric(sparkContext, "data size"),
    "numBlocks" -> SQLMetrics.createMetric(sparkContext, "number of blocks")
  )

  protected def doExecute(): RDD[InternalRow] = {
    val input = child.output
    val target = HashPartitioning(keys, targets).partitionIdExpression
    val numbers = PackRowsExec.numbersOf(targets)
    val (rows, bytes, blocks) =
      (longMetric("numInputRows"), longMetric("dataSize"), longMetric("numBlocks"))
    child.execute().mapPartitionsWithIndex { (partition, in) =>
      val packer = new RowPacker(input, target, numbers, in)
      packer.initialize(partition)
      TaskContext.get().addTaskCompletionListener[Unit] { _ =>
        rows.add(packer.rows)
        bytes.add(packer.bytes)
        blocks.add(packer.blocks)
      }
      packer
    }
  }

  protected def inTree: String = s"(keys=${list(keys)}, targets=$targets)"
  protected def lines: Seq[String] =
    Seq(line("Input", child.output), line("Keys", keys), s"Targets: $targets")
  override protected def withNewChildInternal(newChild: SparkPlan): PackRowsExec = copy(child = newChild)
}

private[spark] object PackRowsExec {

  /** The number by which Spark's hash finds the target of a block. */
  val Target: Attribute = AttributeReference("target", IntegerType, nullable = false)()
  private[exchange] val Output: Seq[Attribute] =
    Seq(Target, AttributeReference("block", BinaryType, nullable = false)())

  /** The most rows of a block: the columns of as many are in a processor's cache. A block ends when it has this many bytes of variable
    * length.
    */
  private[exchange] val MostRows: Int = 1 << 10
  private[exchange] val MostBytes: Int = 1 << 16

  /** The rows of a block, and their bytes of variable length, if there is no memory for more. */
  private[exchange] val FewestRows = 16
  private[exchange] val FewestBytes: Int = 1 << 10

  /** The memory for the rows of all targets together, and for their bytes of variable length. */
  private[exchange] val Budget: Long = 4L << 20

  /** The words of a row: its NULL bits and its columns. */
  def words(columns: Int): Int = UnsafeRow.calculateBitSetWidthInBytes(columns) / 8 + columns

  /** The memory that rows are packed with at least. */
  private[exchange] def leastMemory(rows: Seq[Attribute], targets: Int): Long =
    BlockWriter.memory(words(rows.length), isVariable(rows), targets, FewestRows, FewestBytes)

  private[exchange] def isVariable(rows: Seq[Attribute]): Boolean =
    rows.exists(a => !UnsafeRow.isFixedLength(a.dataType))

  /** For each target, the least number from 0 on that Spark's hash maps to it. */
  private[exchange] def numbersOf(targets: Int): Array[Int] = {
    val found = Array.fill(targets)(-1)
    var (number, missing) = (0, targets)
    while (missing > 0) {
      val target = Math.floorMod(Murmur3HashFunction.hash(number, IntegerType, 42L).toInt, targets)
      if (found(target) < 0) {
        found(target) = number
        missing -= 1
      }
      number += 1
    }
    found
  }
}

/** Packs the rows of a task, and returns each block when it is full. */
private final class RowPacker(
    input: Seq[Attribute],
    target: Expression,
    numbers: Array[Int],
    in: Iterator[InternalRow]
) extends Iterator[InternalRow] {
  private val targets = numbers.length
  private val words = PackRowsExec.words(input.length)
  private val targetOf = UnsafeProjection.create(Seq(target), input)
  private val unsafe = UnsafeProjection.create(input, input)
  private val writer = {
    val memory = new SlidingMemory(SparkPrivates.memoryOf(TaskContext.get()), MemoryMode.ON_HEAP, _ => 0L)
    TaskContext.get().addTaskCompletionListener[Unit](_ => memory.give(memory.getUsed))
    def share(fewest: Int, most: Int, wanted: Long): Int =
      math.max(fewest.toLong, math.min(most.toLong, wanted)).toInt
    val (budget, isVariable) = (PackRowsExec.Budget, PackRowsExec.isVariable(input))
    val rows =
      share(PackRowsExec.FewestRows, PackRowsExec.MostRows, budget / (8L * targets * (words + 1)))
    val bytes = share(PackRowsExec.FewestBytes, PackRowsExec.MostBytes, budget / targets)
    if (memory.take(BlockWriter.memory(words, isVariable, targets, rows, bytes)))
      new BlockWriter(words, isVariable, targets, rows, bytes)
    else new BlockWriter(words, isVariable, targets, PackRowsExec.FewestRows, PackRowsExec.FewestBytes)
  }
  private var hasEnded = false
  private var full = -1 // the target whose block is full
  private var last = 0 // the next target to look at when there is no row left

  /** How many rows were packed, their bytes before, and how many blocks they are in. */
  var rows, bytes, blocks = 0L

  def initialize(partition: Int): Unit = {
    targetOf.initialize(partition)
    unsafe.initialize(partition)
  }

  def hasNext: Boolean = {
    while (full < 0 && !hasEnded) if (in.hasNext) add(in.next()) else hasEnded = true
    while (full < 0 && last < targets) {
      if (writer.count(last) > 0) full = last
      last += 1
    }
    full >= 0
  }

  private def add(row: InternalRow): Unit = {
    val whole = row match {
      case ready: UnsafeRow => ready
      case other => unsafe(other)
    }
    val to = targetOf(whole).getInt(0)
    if (writer.add(whole, to)) full = to
    rows += 1
    bytes += whole.getSizeInBytes
  }

  def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no block is left")
    val block = writer.encode(full, numbers(full))
    full = -1
    blocks += 1
    block
  }
}

/** Unpacks the rows of [[PackRowsExec]] behind an exchange.
  *
  * @param targets how many targets rows were packed for
  */
final case class UnpackRowsExec(
    output: Seq[Attribute],
    keys: Seq[Expression],
    targets: Int,
    child: SparkPlan
) extends UnaryExecNode
    with ExplainedExec {
  override def nodeName: String = "SketchUnpack"
  override def producedAttributes: AttributeSet = AttributeSet(output)
  override lazy val metrics =
    Map("numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"))

  /** The partitioning that the exchange would have without packing. */
  override def outputPartitioning: Partitioning = child.outputPartitioning match {
    case hash: HashPartitioning if hash.numPartitions == targets => HashPartitioning(keys, targets)
    case joined: CoalescedHashPartitioning if joined.from.numPartitions == targets =>
      CoalescedHashPartitioning(HashPartitioning(keys, targets), joined.partitions)
    case other => UnknownPartitioning(other.numPartitions)
  }

  // the output is not that of the child, so that Spark cannot see that the outputs of two such operators are the same
  override protected def doCanonicalize(): SparkPlan = UnpackRowsExec(
    output.zipWithIndex.map { case (a, i) =>
      a.canonicalized.asInstanceOf[Attribute].withExprId(ExprId(i.toLong))
    },
    keys.map(QueryPlan.normalizeExpressions(_, output)),
    targets,
    child.canonicalized
  )

  protected def doExecute(): RDD[InternalRow] = {
    val (columns, isVariable) = (output.length, output.exists(a => !UnsafeRow.isFixedLength(a.dataType)))
    val unpacked = longMetric("numOutputRows")
    child.execute().mapPartitions { blocks =>
      val reader = new BlockReader(columns, isVariable)
      new Iterator[InternalRow] {
        private var rows = 0L
        TaskContext.get().addTaskCompletionListener[Unit](_ => unpacked.add(rows))

        def hasNext: Boolean = reader.hasNext || blocks.hasNext
        def next(): InternalRow = {
          if (!reader.hasNext) begin(blocks.next().asInstanceOf[UnsafeRow])
          rows += 1
          reader.read()
        }

        private def begin(row: UnsafeRow): Unit =
          reader.begin(row.getBaseObject, row.getBaseOffset + (row.getLong(1) >>> 32))
      }
    }
  }

  protected def inTree: String = s"(targets=$targets)"
  protected def lines: Seq[String] = Seq(line("Output", output), s"Targets: $targets")
  override protected def withNewChildInternal(newChild: SparkPlan): UnpackRowsExec = copy(child = newChild)
}
