package chronosketch.spark.aggregate.columns

import java.nio.file.Files

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.vectorized.ColumnarBatch

import chronosketch.Cases
import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.aggregate.operator.{Answers, OperatorSuite, ScarceMemory}
import chronosketch.spark.sql.SparkPrivates

/** Tests that reading input by columns gives the same answers as reading it by rows, to the last bit. */
class ColumnReadsSuite extends OperatorSuite {
  private lazy val folder = Files.createTempDirectory("columns").toString

  // few distinct values in some columns, so that Parquet writes a dictionary
  private def rows(n: Int): DataFrame = spark.range(1, n + 1L, 1, 2).selectExpr(
    Seq(
      "id",
      "CAST(id % 50 AS INT) AS k",
      "IF(id % 7 = 3, NULL, id % 300) AS n",
      "2 * id AS twice",
      "-id AS minus",
      "CAST(NULL AS INT) AS nothing"
    ) ++
      Seq("TINYINT", "SMALLINT", "BIGINT").map(t => s"CAST(id % 9 - 4 AS $t) AS k_$t") ++
      Seq(
        "date_add(DATE'1969-12-30', CAST(id % 5 AS INT)) AS k_date",
        "timestamp_micros(id % 6 - 3) AS k_time",
        """CASE id % 13 WHEN 0 THEN double('NaN') WHEN 1 THEN double('Infinity') WHEN 2 THEN double('-Infinity')
          |  WHEN 3 THEN double(-0.0) WHEN 4 THEN double(0.0) ELSE sin(id) END AS d""".stripMargin,
        "IF(id % 17 = 5, NULL, concat('s', id % 4)) AS word",
        "concat(repeat('long ', int(id % 5)), id % 90) AS words",
        "concat('name ', id) AS name",
        "CAST(id % 12 AS DECIMAL(9,2)) AS small",
        "IF(id % 23 = 9, NULL, CAST(id % 10 AS DECIMAL(18,2))) AS large",
        "IF(id % 19 = 5, NULL, id % 8 > 3) AS flag",
        "IF(id % 11 = 6, NULL, timestamp_micros(id * 1000)) AS large_time"
      ): _*
  )

  /** Enough rows to fill the staging area, and for several batches and pages. */
  private val many = 20000

  /** Enough rows for several batches, if these are small. */
  private val few = 2000
  private val smallBatches =
    Seq(
      "spark.sql.parquet.columnarReaderBatchSize" -> "300",
      "spark.sql.orc.columnarReaderBatchSize" -> "300"
    )

  private def stored(format: String, n: Int = many): Unit = {
    val path = s"$folder/$format$n"
    if (!Files.exists(java.nio.file.Path.of(path))) rows(n).write.format(format).save(path)
    spark.read.format(format).load(path).createOrReplaceTempView("stored")
  }

  private def byRows(query: => DataFrame): Answers =
    withConf(AggregateConf.Columns -> "false")(inOurs(query))

  private def isByColumns(answers: Answers): Boolean =
    answers.operators.exists(_.isInstanceOf[ColumnAggregateExec])

  private def assertByColumns(query: String): Answers = {
    val ours = inOurs(sql(query))
    assert(isByColumns(ours), s"not by columns: $query")
    val others = byRows(sql(query))
    assert(!isByColumns(others), s"by columns: $query")
    assertEqual(ours, others, query)
    ours
  }

  /** All for Parquet, and some for ORC, whose columns are read by the same code from other vectors. */
  private def turns[A](format: String, cases: Seq[A]): Seq[A] =
    if (format == "parquet") cases else Cases.some((cases.size + 2) / 3, cases)

  private val asked =
    "quantile_sketch_agg(d) AS a, approx_quantile(n, array(0, 0.3, 1)) AS b, ddsketch_agg(d) AS c, moments_agg(d) AS m"

  Seq("parquet", "orc").foreach { format =>
    test(s"groups and values of every kind, from $format") {
      stored(format, few)
      withConf(smallBatches: _*) {
        assertByColumns(s"SELECT $asked FROM stored")
        val keys = Seq(
          "k",
          "n",
          "nothing",
          "k_tinyint",
          "k_smallint",
          "k_bigint",
          "k_date",
          "k_time",
          "id",
          "flag",
          "small",
          "large",
          "word",
          "words",
          "name"
        )
        turns(format, keys).foreach(key => assertByColumns(s"SELECT $key, $asked FROM stored GROUP BY $key"))
      }
    }

    test(s"several keys, from $format") {
      stored(format, few)
      val keys = Seq(
        "k, k_tinyint",
        "nothing, n",
        "k_smallint, id",
        "large, flag, small",
        "words, k",
        "word, name, n, words",
        "k_time, n, k_date, k_bigint"
      )
      turns(format, keys).foreach { by =>
        withConf(smallBatches: _*) {
          val query = s"SELECT $by, $asked FROM stored GROUP BY $by"
          val ours = assertByColumns(query)
          // with a binary among the keys, all keys are compared as bytes
          assertEqual(ours, byRows(sql(s"$query, binary(concat_ws('', $by))")), query)
        }
      }
    }
  }

  Seq("parquet", "orc").foreach { format =>
    test(s"values with times, from $format") {
      stored(format, few)
      val keys = Seq("k", "n", "nothing", "id", "flag", "k, k_tinyint")
      val calls = Seq(
        "window_sketch_agg(d, k_time) AS w",
        // either of the two, or both, may be NULL
        "window_sketch_agg(n, large_time, 0.2) AS w, approx_quantile(n, 0.5) AS q",
        "window_sketch_agg(d, n, 0.1, 100) AS w",
        "window_sketch_agg(d, id) AS w, window_moments_agg(n, n) AS m, window_sketch_agg(n, n) AS s",
        "approx_window_quantile(d, k_date, array(0.1, 0.9), '2 days') AS w",
        "window_sketch_agg(nothing, id) AS w, quantile_sketch_agg(d) AS q"
      )
      turns(format, calls.zipWithIndex).foreach { case (what, i) =>
        withConf(smallBatches: _*) {
          assertByColumns(s"SELECT $what FROM stored")
          // two of the keys in turn
          Cases.turn(i, keys.grouped(2).toSeq).flatten.foreach(key =>
            assertByColumns(s"SELECT $key, $what FROM stored GROUP BY $key")
          )
        }
      }
    }
  }

  test("decimals of either width, and floats as doubles") {
    stored("parquet", few)
    assertByColumns("SELECT k, approx_quantile(small, array(0, 0.5, 1)) FROM stored GROUP BY k")
  }

  test("a cached table and partition columns") {
    stored("parquet", few)
    sql("CACHE TABLE kept AS SELECT id, k, n, d FROM stored")
    try {
      assertByColumns(s"SELECT k, $asked FROM kept GROUP BY k")
      assertByColumns(s"SELECT k, n, $asked FROM kept GROUP BY k, n")
      assertByColumns("SELECT k, window_sketch_agg(d, n) FROM kept GROUP BY k")
    } finally sql("UNCACHE TABLE kept")
    rows(few).select("k_bigint", "word", "d", "n").write.partitionBy("k_bigint", "word")
      .parquet(s"$folder/partitioned")
    spark.read.parquet(s"$folder/partitioned").createOrReplaceTempView("partitioned")
    assertByColumns(s"SELECT k_bigint, $asked FROM partitioned GROUP BY k_bigint")
    assertByColumns(s"SELECT word, $asked FROM partitioned GROUP BY word")
    assertByColumns("SELECT approx_quantile(k_bigint, 0.5) FROM partitioned")
  }

  test("aliases, and columns in another order") {
    stored("parquet", few)
    assertByColumns(
      "SELECT key, approx_quantile(value, 0.5) FROM (SELECT d AS value, k AS key, n FROM stored) GROUP BY key"
    )
  }

  // Parquet begins a dictionary for each row group, and stops to use it when it is full
  for (
    (name, options) <- Seq(
      "in small row groups" -> Map("parquet.block.size" -> "20000"),
      "whose dictionary is soon full" -> Map("parquet.dictionary.page.size" -> "2000"),
      "without a dictionary" -> Map("parquet.enable.dictionary" -> "false")
    )
  ) test(s"texts of several files, $name") {
    val path = s"$folder/texts ${options.head._1}"
    rows(many).repartition(
      7,
      col("k")
    ).sortWithinPartitions(expr("hash(id)")).write.options(options).parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("stored")
    Seq("word", "words", "name", "words, word, k").foreach { by =>
      Seq("100", "4096").foreach { batch =>
        withConf("spark.sql.parquet.columnarReaderBatchSize" -> batch) {
          assertByColumns(s"SELECT $by, $asked FROM stored GROUP BY $by")
        }
      }
    }
  }

  test("the batches of a row group share a dictionary") {
    spark.range(0, 20000, 1, 1).selectExpr("concat('s', id % 40) AS word").write.parquet(s"$folder/shared")
    withConf("spark.sql.adaptive.enabled" -> "false", "spark.sql.parquet.columnarReaderBatchSize" -> "1000") {
      val scan = spark.read.parquet(s"$folder/shared").queryExecution.executedPlan
        .collectFirst { case scan: FileSourceScanExec => scan }.get
      val seen = scan.executeColumnar().map(ColumnReadsSuite.dictionary).collect()
      assertEquals((seen.length, seen.distinct.length), (20, 1))
      assertNotEquals(seen.head, ColumnReadsSuite.NoDictionary)
    }
  }

  test("AQE off, and one row group in many batches") {
    stored("parquet")
    withConf("spark.sql.adaptive.enabled" -> "false", "spark.sql.parquet.columnarReaderBatchSize" -> "100") {
      assertByColumns(s"SELECT n, $asked FROM stored GROUP BY n")
      assertByColumns(s"SELECT n, k_date, flag, $asked FROM stored GROUP BY n, k_date, flag")
      assertByColumns(s"SELECT words, $asked FROM stored GROUP BY words")
    }
  }

  test("more groups than fit the staging area") {
    stored("parquet")
    assertByColumns("SELECT id, approx_quantile(d, 0.5), quantile_sketch_agg(n) FROM stored GROUP BY id")
  }

  test("queries that need more than whole columns are read by rows") {
    stored("parquet", few)
    Seq(
      "SELECT approx_quantile(d, 0.5) FROM stored WHERE k < 20",
      "SELECT approx_quantile(d + 1, 0.5) FROM stored",
      "SELECT approx_quantile(d, 0.5) FILTER (WHERE k < 20) FROM stored",
      "SELECT approx_quantile(d, 0.5, frequency => k) FROM stored",
      "SELECT binary(word), approx_quantile(d, 0.5) FROM stored GROUP BY binary(word)",
      "SELECT upper(word), approx_quantile(d, 0.5) FROM stored GROUP BY upper(word)",
      "SELECT k, k_tinyint, k_date, k_time, flag, approx_quantile(d, 0.5) FROM stored GROUP BY k, k_tinyint, k_date, k_time, flag",
      "SELECT k, d, approx_quantile(n, 0.5) FROM stored GROUP BY k, d",
      "SELECT d, approx_quantile(n, 0.5) FROM stored GROUP BY d",
      "SELECT approx_quantile(d, 0.5), max(d) FROM stored",
      "SELECT window_sketch_agg(d, k_time) FROM stored WHERE k < 20",
      "SELECT k, window_sketch_agg(d, k_time + INTERVAL 1 DAY) FROM stored GROUP BY k",
      "SELECT k, window_sketch_agg(d, k_time, filters => map('f', flag)) FROM stored GROUP BY k",
      "SELECT k, window_sketch_agg(d, k_time), moments_agg(d, frequency => k) FROM stored GROUP BY k"
    ).foreach { query =>
      // the answers are those of the operator that reads rows, which other suites test
      assert(!isByColumns(inOurs(sql(query))), query)
    }
  }

  test("if Spark has no memory left, groups are flushed downstream in the middle of a batch") {
    stored("parquet")
    // if each key column has many values, the keys take most of the memory: it runs out while rows are staged
    Seq(
      "id" -> 1,
      "id, k" -> 1,
      "flag, id, n" -> 1,
      "id, twice, minus" -> 3,
      "id, twice, minus" -> 4,
      "name" -> 1,
      "word, name" -> 1
    ).foreach { case (by, mebibytes) =>
      val query =
        s"SELECT $by, approx_quantile(n, 0.5) AS q, quantile_sketch_agg(n) AS s FROM stored GROUP BY $by"
      val taken = new ScarceMemory(mebibytes.toLong << 20)
      val scarce =
        try inOurs(sql(query))
        finally taken.close()
      assert(isByColumns(scarce))
      val flushes = scarce.operators.filterNot(_.isFinal).map(_.metrics("partialFlushes").value).sum
      assert(flushes > 0, "nothing was flushed")
      assertEqual(scarce, byRows(sql(query)), query)
    }
  }

  test("rows and batches are counted, and EXPLAIN says how they are read") {
    stored("parquet")
    val ran = sql("SELECT k, approx_quantile(d, 0.5) FROM stored GROUP BY k")
    ran.collect()
    val partial = operators(ran).collectFirst { case a: ColumnAggregateExec => a }.get
    assertEquals(partial.metrics("numInputRows").value, many.toLong)
    assertEquals(partial.metrics("numOutputRows").value, 100L)
    assert(partial.metrics("sketchBytes").value > 0)
    val text = ran.queryExecution.toString
    assert(text.contains("SketchAggregateByColumns(keys=[k"), text)
  }
}

private object ColumnReadsSuite {
  val NoDictionary: Int = System.identityHashCode(null)

  /** The identity of the dictionary of the first column. */
  def dictionary(batch: ColumnarBatch): Int =
    System.identityHashCode(SparkPrivates.dictionaryOf(batch.column(0).asInstanceOf[WritableColumnVector]))
}
