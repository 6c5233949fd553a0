package chronosketch.spark.hopping

import scala.util.Random

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite
import chronosketch.spark.aggregate.operator.OperatorSuite

/** Queries of hopping windows for our function and for Spark's GROUP BY, and their answers in a form that can be compared. */
trait HoppingQueries {

  /** Rows as text, so that sketches are compared by their bytes and NULL equals NULL. */
  def texts(rows: Iterable[Row]): Seq[String] = rows.map { r =>
    r.toSeq.map {
      case bytes: Array[Byte] => bytes.mkString(" ")
      case other => String.valueOf(other)
    }.mkString(" | ")
  }.toSeq.sorted

  def array(texts: Seq[String]): String =
    texts.map(t => s"'${t.replace("'", "\\'")}'").mkString("array(", ", ", ")")

  def hopping(
      table: String,
      size: String,
      slide: String,
      by: Seq[String],
      aggs: Seq[String]
  ): String =
    s"SELECT * FROM hopping_sketch(TABLE($table), event_time => 'ts', size => '$size', slide => '$slide', by => ${array(by)}, aggs => ${array(aggs)})"

  def sparks(table: String, size: String, slide: String, by: Seq[String], aggs: Seq[String]): String =
    s"SELECT ${(by :+ "window" :+ aggs.mkString(", ")).mkString(", ")} FROM $table GROUP BY ${(by :+ s"window(ts, '$size', '$slide')").mkString(", ")}"
}

/** Compares our windows with Spark's, of a table with bursts of rows. */
trait HoppingChecks extends SparkSuite with HoppingQueries {

  /** Unordered rows in bursts with gaps between them, also before the epoch. Some times, keys and values are NULL. */
  protected def bursts(name: String, rows: Int, seed: Long): Unit = {
    val random = new Random(seed)
    val data = Seq.fill(rows) {
      val burst = random.nextInt(6) - 3
      val micros = burst * 250000000000L + random.nextInt(900000000).toLong
      (
        if (random.nextInt(20) == 0) null else "host" + random.nextInt(4),
        if (random.nextInt(30) == 0) None else Some(micros),
        if (random.nextInt(10) == 0) None else Some(random.nextInt(1000).toLong),
        random.nextInt(4)
      )
    }
    spark.createDataFrame(data).toDF("host", "micros", "v", "n")
      .selectExpr("host", "timestamp_micros(micros) AS ts", "v", "n", "concat('n', v) AS name")
      .repartition(3)
      .createOrReplaceTempView(name)
  }

  override def beforeAll(): Unit = {
    super.beforeAll()
    bursts("bursts", 600, 1)
  }

  /** Asserts that our windows equal Spark's. Returns how many there are. */
  protected def check(table: String, size: String, slide: String, by: Seq[String], aggs: Seq[String]): Int = {
    val ours = sql(hopping(table, size, slide, by, aggs))
    val theirs = sql(sparks(table, size, slide, by, aggs))
    assertEquals(
      ours.schema.map(c => c.name -> c.dataType.sql),
      theirs.schema.map(c => c.name -> c.dataType.sql)
    )
    val answers = texts(ours.collect())
    val truth = withConf(OperatorSuite.notCompiled: _*)(texts(theirs.collect()))
    assertEquals(answers, truth, s"$size $slide $by")
    answers.length
  }
}
