package chronosketch.spark.warehouse

import java.nio.file.{Files, Path}
import java.util.concurrent.{Callable, ConcurrentLinkedQueue, Executors}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.SparkThrowable
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
import org.apache.spark.sql.{DataFrame, Row}

import chronosketch.rank.Phi
import chronosketch.spark.{SparkSuite, TestLog}
import chronosketch.spark.warehouse.manifest.{FileStore, ManifestStore, State}

/** The base of suites about warehouses: creates folders, and computes exact answers. */
abstract class WarehouseTests extends SparkSuite {
  protected val phis: Seq[Phi] = Seq("0", "0.07", "0.5", "0.9", "0.999", "1").map(phi)
  protected def phi(text: String): Phi = Phi(new java.math.BigDecimal(text))

  protected def folder(): String = Files.createTempDirectory("warehouse").toString

  protected def files(folder: String): Seq[Path] =
    Using.resource(Files.walk(Path.of(folder)))(_.iterator.asScala.filter(Files.isRegularFile(_)).toList)

  protected def log(folder: String): ManifestStore =
    new FileStore(new HadoopPath(folder, "manifest"), Warehouse.hadoop(spark))

  /** The distinct descriptions of the Spark jobs that `body` starts. */
  protected def described(body: => Any): Seq[String] = {
    val texts = new ConcurrentLinkedQueue[String]
    val listener = new SparkListener {
      override def onJobStart(start: SparkListenerJobStart): Unit =
        Option(start.properties.getProperty(WarehouseTests.Description)).foreach(texts.add)
    }
    spark.sparkContext.addSparkListener(listener)
    try {
      body
      // events arrive in order, so all have arrived when the last job's has
      spark.sparkContext.setLocalProperty(WarehouseTests.Description, "last")
      spark.sparkContext.runJob(spark.sparkContext.parallelize(Seq(1), 1), (all: Iterator[Int]) => all.size)
      spark.sparkContext.setLocalProperty(WarehouseTests.Description, null)
      while (!texts.contains("last")) Thread.`yield`()
    } finally spark.sparkContext.removeSparkListener(listener)
    texts.asScala.toSeq.distinct.filter(_ != "last")
  }

  /** The warehouse in a folder, with a store that does something unusual, or with another clock. */
  protected def over(folder: String, store: ManifestStore, clock: Clock = new Clock): Warehouse =
    new Warehouse(spark, new HadoopPath(s"file:$folder"), store, () => clock.millis)

  /** The values of each group, sorted by Spark. */
  protected def truth(rows: DataFrame, by: Seq[String], value: String): Map[Seq[Any], IndexedSeq[Any]] =
    rows.where(s"$value IS NOT NULL").select((by :+ value).map(rows(_)): _*)
      .coalesce(1).sort(value).collect().toSeq
      .groupMap(_.toSeq.init)(_.toSeq.last).map { case (group, values) => group -> values.toIndexedSeq }

  /** Checks that each answer is within its own bounds. An accurate answer must be exact, except for the ranks that live rows of its group
    * leave uncertain.
    */
  protected def check(
      answers: DataFrame,
      truth: Map[Seq[Any], IndexedSeq[Any]],
      by: Int,
      doubt: Seq[Any] => Long = exact
  ): Unit = {
    val rows = answers.collect().toSeq
    assertEquals(rows.map(_.toSeq.take(by)).toSet, truth.keySet)
    rows.foreach(row => checkRow(row, truth, by, doubt(row.toSeq.take(by))))
  }

  protected val exact: Seq[Any] => Long = _ => 0

  private def checkRow(row: Row, truth: Map[Seq[Any], IndexedSeq[Any]], by: Int, doubt: Long): Unit = {
    val values = truth(row.toSeq.take(by))
    val phi = Phi(row.getAs[Double]("phi"))
    val rank = phi.rank(values.size.toLong)
    val exact = values(rank.toInt - 1)
    assertEquals(row.getAs[Long]("count_low"), values.size.toLong, row.toString)
    assertEquals(row.getAs[Long]("count_high"), values.size.toLong, row.toString)
    def first(answer: Any): Long = values.indexWhere(same(_, answer)) + 1L
    def last(answer: Any): Long = values.lastIndexWhere(same(_, answer)) + 1L
    assert(first(row.getAs[Any]("low")) <= rank && last(row.getAs[Any]("high")) >= rank, row.toString)
    val value = row.getAs[Any]("value")
    val off = math.max(0L, math.max(first(value) - rank, rank - last(value)))
    assert(off <= row.getAs[Long]("rank_error"), s"$off ranks off: $row")
    if (row.getAs[String]("accuracy") == "accurate") {
      assert(row.getAs[Long]("rank_error") <= doubt, s"more than $doubt: $row")
      if (doubt == 0) Seq("value", "low", "high").foreach(c =>
        assert(same(row.getAs[Any](c), exact), s"$c is not $exact: $row")
      )
    }
  }

  private def same(a: Any, b: Any): Boolean = (a, b) match {
    case (x: Double, y: Double) => x == y || (x.isNaN && y.isNaN)
    case (x: Float, y: Float) => x == y || (x.isNaN && y.isNaN)
    case _ => a == b
  }

  /** Runs each task in a thread of its own. */
  protected def atOnce[A](tasks: Seq[() => A]): Seq[A] = {
    val pool = Executors.newFixedThreadPool(tasks.size)
    try pool.invokeAll(tasks.map(t => (() => t()): Callable[A]).asJava).asScala.map(_.get).toSeq
    finally pool.shutdown()
  }

  protected def condition(body: => Any): String =
    try { val answer = TestLog.expectingFailure(body); fail(s"not refused: $answer") }
    catch { case e: SparkThrowable => e.getCondition }

  protected def message(body: => Any): String =
    try { val answer = TestLog.expectingFailure(body); fail(s"not refused: $answer") }
    catch { case e: Exception with SparkThrowable => e.getMessage }
}

/** A clock that only changes when a test sets it. */
final class Clock {
  @volatile var millis = 0L
}

/** A store that fails before or after its commit, like a killed process. */
final class StoppingStore(store: ManifestStore, after: Boolean) extends ManifestStore {
  def current(): Option[State] = store.current()
  def commit(next: State): Boolean = {
    if (after) store.commit(next)
    throw new IllegalStateException("stopped")
  }
  def storedStates(): Seq[State] = store.storedStates()
  def deleteBefore(version: Long): Unit = store.deleteBefore(version)
  def description: String = store.description
}

/** A store that runs `happens` just before its first commit. */
final class OvertakenStore(store: ManifestStore, happens: () => Unit) extends ManifestStore {
  private var isFirst = true
  def current(): Option[State] = store.current()
  def commit(next: State): Boolean = {
    if (isFirst) { isFirst = false; happens() }
    store.commit(next)
  }
  def storedStates(): Seq[State] = store.storedStates()
  def deleteBefore(version: Long): Unit = store.deleteBefore(version)
  def description: String = store.description
}

/** A store that fails before or after its second commit, which is the merge that follows an append. */
final class StoppingAtMerge(store: ManifestStore, after: Boolean) extends ManifestStore {
  private var commits = 0
  def current(): Option[State] = store.current()
  def commit(next: State): Boolean = {
    commits += 1
    if (commits == 2) {
      if (after) store.commit(next)
      throw new IllegalStateException("stopped")
    }
    store.commit(next)
  }
  def storedStates(): Seq[State] = store.storedStates()
  def deleteBefore(version: Long): Unit = store.deleteBefore(version)
  def description: String = store.description
}

private object WarehouseTests {
  val Description = "spark.job.description"
}
