package chronosketch.spark.aggregate.columns

import java.nio.file.Files

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.comet.CometStandInExec
import org.apache.spark.sql.execution._
import org.apache.spark.sql.types.Decimal
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarBatch, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.aggregate.operator.{Answers, OperatorSuite}
import chronosketch.spark.{BareSession, ChronosketchExtensions}

/** Tests that the columns of another plug-in's operators are read if these are Comet's. If they are not, their rows are read. */
class ForeignColumnsSuite extends OperatorSuite {
  import ForeignColumnsSuite._

  private lazy val folder = Files.createTempDirectory("foreign").toString

  private lazy val comets = session(new Foreign(CometStandInExec(_)))
  private lazy val others = session(new Foreign(OtherExec(_)))
  private lazy val reverting = session(new Foreign(CometStandInExec(_), isReverted = true))

  /** A session with a plug-in's rules at the places where Comet has them, and then ours. */
  private def session(plugin: Foreign): SparkSession = {
    val extensions = new SparkSessionExtensions
    extensions.injectQueryStagePrepRule(_ => plugin.replacing)
    extensions.injectColumnar(_ => plugin)
    new ChronosketchExtensions().apply(extensions)
    val started = BareSession.beside(spark, extensions)
    started.read.parquet(folder).createOrReplaceTempView("stored")
    started
  }

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.range(1, 2001, 1, 2).selectExpr(
      "CAST(id % 50 AS INT) AS k",
      "IF(id % 7 = 3, NULL, id % 300) AS n",
      "IF(id % 5 = 0, double('NaN'), sin(id)) AS d",
      "CAST(sin(id) AS FLOAT) AS f",
      "CAST(id % 9 AS SMALLINT) AS s",
      "CAST(id % 9 AS TINYINT) AS b",
      "IF(id % 19 = 5, NULL, id % 8 > 3) AS flag",
      "IF(id % 17 = 5, NULL, concat('s', id % 4)) AS word",
      "timestamp_micros(id * 1000) AS t",
      "IF(id % 23 = 9, NULL, CAST(id % 10 AS DECIMAL(18,2))) AS m"
    ).write.mode("overwrite").parquet(folder)
  }

  private def ask(session: SparkSession, query: String, conf: (String, String)*): Answers = {
    conf.foreach { case (key, value) => session.conf.set(key, value) }
    try {
      val asked = session.sql(query)
      val rows = asked.collect().toSeq.map(OperatorSuite.text).sorted
      Answers(asked.schema, rows, operators(asked))
    } finally conf.foreach { case (key, _) => session.conf.unset(key) }
  }

  /** The operator whose columns the partial aggregation reads. */
  private def source(answers: Answers): Option[SparkPlan] =
    answers.operators.collectFirst { case a: ColumnAggregateExec => a.child }

  private val queries = Seq(
    "SELECT quantile_sketch_agg(d), approx_quantile(n, array(0, 0.3, 1)), ddsketch_agg(f), moments_agg(m) FROM stored",
    "SELECT k, quantile_sketch_agg(d), approx_quantile(n, 0.5) FROM stored GROUP BY k",
    "SELECT n, b, approx_quantile(d, 0.5), approx_quantile(s, 0.5) FROM stored GROUP BY n, b",
    "SELECT word, approx_quantile(d, 0.5) FROM stored GROUP BY word",
    "SELECT flag, m, window_sketch_agg(d, t) FROM stored GROUP BY flag, m",
    "SELECT t, approx_quantile(value, 0.5) FROM (SELECT d AS value, t FROM stored) GROUP BY t"
  )

  for (adaptive <- Seq("true", "false"))
    test(s"vectors that are not Spark's own are read, AQE $adaptive") {
      val aqe = "spark.sql.adaptive.enabled" -> adaptive
      queries.foreach { query =>
        val ours = ask(comets, query, aqe)
        assert(source(ours).exists(_.isInstanceOf[CometStandInExec]), query)
        val rows = ask(comets, query, aqe, AggregateConf.Columns -> "false")
        assertEquals(source(rows), None, query)
        assertEqual(ours, rows, query)
        assertEqual(ours, ask(spark.asInstanceOf[SparkSession], read(query), aqe), query)
      }
    }

  private def read(query: String): String = query.replace("stored", s"parquet.`$folder`")

  test("columns are read from operators above a scan, too") {
    val query = "SELECT k, quantile_sketch_agg(d) FROM stored WHERE k < 20 GROUP BY k"
    val ours = ask(comets, query)
    assert(source(ours).exists(_.exists(_.isInstanceOf[FilterExec])), ours.operators)
    assertEqual(ours, inOurs(sql(read(query))), query)
  }

  test("rows are read from operators of another plug-in") {
    val query = queries(1)
    val answers = ask(others, query)
    assertEquals(source(answers), None)
    assertEqual(answers, inOurs(sql(read(query))), query)
  }

  test("rows are read if later rules replace the columns with them") {
    queries.foreach { query =>
      val answers = ask(reverting, query)
      assert(source(answers).exists(_.exists(_.isInstanceOf[ColumnarToRowExec])), query)
      assertEqual(answers, inOurs(sql(read(query))), query)
    }
  }
}

/** Returns the batches of its child in vectors that Spark does not know. */
trait ForeignBatches extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output
  override def supportsColumnar: Boolean = true
  protected def doExecute(): RDD[InternalRow] = throw new IllegalStateException("only columnar")
  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = child.executeColumnar().map { batch =>
    val vectors = Array.tabulate[ColumnVector](batch.numCols)(i => new ForeignVector(batch.column(i)))
    new ColumnarBatch(vectors, batch.numRows)
  }
}

/** Reads one value at a time, as Comet's vectors do. */
private final class ForeignVector(vector: ColumnVector) extends ColumnVector(vector.dataType) {
  def close(): Unit = vector.close()
  override def closeIfFreeable(): Unit = vector.closeIfFreeable()
  def hasNull: Boolean = vector.hasNull
  def numNulls: Int = vector.numNulls
  def isNullAt(row: Int): Boolean = vector.isNullAt(row)
  def getBoolean(row: Int): Boolean = vector.getBoolean(row)
  def getByte(row: Int): Byte = vector.getByte(row)
  def getShort(row: Int): Short = vector.getShort(row)
  def getInt(row: Int): Int = vector.getInt(row)
  def getLong(row: Int): Long = vector.getLong(row)
  def getFloat(row: Int): Float = vector.getFloat(row)
  def getDouble(row: Int): Double = vector.getDouble(row)
  def getDecimal(row: Int, precision: Int, scale: Int): Decimal = vector.getDecimal(row, precision, scale)
  def getUTF8String(row: Int): UTF8String = vector.getUTF8String(row)
  def getBinary(row: Int): Array[Byte] = vector.getBinary(row)
  def getArray(row: Int): ColumnarArray = throw new UnsupportedOperationException
  def getMap(row: Int): ColumnarMap = throw new UnsupportedOperationException
  def getChild(ordinal: Int): ColumnVector = throw new UnsupportedOperationException
}

private object ForeignColumnsSuite {
  final case class OtherExec(child: SparkPlan) extends ForeignBatches {
    override protected def withNewChildInternal(newChild: SparkPlan): OtherExec = copy(child = newChild)
  }

  /** Replaces scans, and the filters above them.
    *
    * @param isReverted whether the scans are put back after Spark has inserted transitions
    */
  final class Foreign(foreign: SparkPlan => ForeignBatches, isReverted: Boolean = false)
      extends ColumnarRule {
    val replacing: Rule[SparkPlan] = new Rule[SparkPlan] {
      def apply(plan: SparkPlan): SparkPlan =
        if (plan.exists(_.isInstanceOf[ForeignBatches])) plan
        else
          plan.transformUp {
            case scan: FileSourceScanExec => foreign(scan)
            case filter @ FilterExec(_, scan: ForeignBatches) => foreign(filter.copy(child = scan.child))
          }
    }

    override def preColumnarTransitions: Rule[SparkPlan] = replacing

    override def postColumnarTransitions: Rule[SparkPlan] = plan =>
      if (!isReverted) plan
      else plan.transformUp { case scan: ForeignBatches => ColumnarToRowExec(scan.child) }
  }
}
