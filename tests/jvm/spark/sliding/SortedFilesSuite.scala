package chronosketch.spark.sliding

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions.col

import chronosketch.spark.sliding.rows.{SortedByTable, Sorted, Unsorted}

/** Tests windows over bucketed and sorted tables, whose rows are not sorted again. */
class SortedFilesSuite extends SlidingSuite {
  private val table = "arranged"
  private val named = s"spark_catalog.default.$table"
  private val last5 = "ROWS BETWEEN 4 PRECEDING AND CURRENT ROW"

  private val keys = Seq(
    "k",
    "CAST(k AS STRING)",
    "IF(k = 3, NULL, k)",
    "date_add(DATE'2024-01-01', k)",
    "CAST(k AS DECIMAL(30,2))"
  )

  private def source(
      key: String,
      time: String = "IF(pmod(hash(id, 2), 9) = 0, NULL, pmod(hash(id, 3), 50))"
  ) =
    spark.range(0, 600, 1, 3).selectExpr("id", "CAST(pmod(hash(id, 1), 9) AS INT) AS k")
      .selectExpr(
        "id",
        s"$key AS k",
        s"$time AS t",
        "pmod(hash(id, 5), 30) AS v",
        "repeat('x', int(id % 9)) AS text"
      )

  private def written(key: String, sort: Seq[String])(body: => Unit): Unit = {
    // one file a bucket
    source(key).repartition(3, col("k")).write.bucketBy(3, "k").sortBy(sort.head, sort.tail: _*)
      .saveAsTable(table)
    try body
    finally { sql(s"DROP TABLE $table"); () }
  }

  private def query(
      columns: String = "*",
      window: String = "PARTITION BY k ORDER BY t",
      from: String = table
  ) =
    s"SELECT $columns, approx_quantile(v, 0.5) OVER ($window RANGE BETWEEN 4 PRECEDING AND CURRENT ROW) AS q FROM $from"

  private def arrivals(query: String) = {
    val answers = assertSame(query)
    assertEquals((answers.exchanges, answers.sorts), (0, 0), answers.plan.toString)
    answers.operators.map(_.arrival)
  }

  for (key <- keys) test(s"files of buckets are not sorted again: $key") {
    written(key, Seq("k", "t")) {
      assertEquals(arrivals(query()), Seq(SortedByTable(named)))
      assert(
        sql(s"EXPLAIN FORMATTED ${query()}").head().getString(0).contains("none if each bucket is one file")
      )
    }
  }

  test("filters, fewer columns, other names, a view, several windows, no ORDER BY, no generated code") {
    written("k", Seq("k", "t")) {
      sql(s"CREATE OR REPLACE TEMP VIEW renamed AS SELECT t AS time, k AS host, k, v FROM $table WHERE v > 3")
      val asked = Seq(
        query("k, t"),
        query("id", from = s"$table WHERE v < 20 AND text <> 'x' AND k > 2"),
        query("host", "PARTITION BY host ORDER BY time", "renamed"),
        query("*", "PARTITION BY k ORDER BY time", "renamed"),
        s"SELECT *, approx_quantile(v, 0.5) OVER (PARTITION BY k) AS q FROM $table",
        s"SELECT *, approx_quantile(v, 0.5) OVER (PARTITION BY k ORDER BY t $last5) IS NULL AS a, rank() OVER (PARTITION BY k ORDER BY t) AS r FROM $table"
      )
      for (codegen <- Seq("true", "false"))
        withConf("spark.sql.codegen.wholeStage" -> codegen)(asked.foreach { query =>
          assertEquals(arrivals(query), Seq(SortedByTable(named)), query)
        })
      withConf("spark.sql.legacy.bucketedTableScan.outputOrdering" -> "true") {
        assertEquals(arrivals(query()), Seq(Sorted))
      }
    }
  }

  test("another order, or an order that a task cannot check, is sorted") {
    written("k", Seq("k", "t")) {
      val orders = Seq("t DESC", "t NULLS LAST", "v")
      for (order <- orders) {
        val window = s"PARTITION BY k ORDER BY $order"
        val same = assertSame(query("*", window))
        assertEquals(same.operators.map(_.arrival), Seq(Unsorted), order)
      }
      // Spark needs an exchange
      assertEquals(
        assertSame(query("*", "PARTITION BY v ORDER BY t")).operators.map(_.arrival),
        Seq(Unsorted)
      )
    }
    written("k", Seq("k", "text")) {
      val asked = s"SELECT *, approx_quantile(v, 0.5) OVER (PARTITION BY k ORDER BY text) AS q FROM $table"
      assertEquals(assertSame(asked).operators.map(_.arrival), Seq(Unsorted))
    }
    // Spark does not know that buckets by floating numbers hold all rows of a key, because -0.0 and 0.0 are one
    written(
      "CASE k WHEN 1 THEN NULL WHEN 2 THEN double('NaN') WHEN 3 THEN -0.0D WHEN 4 THEN 0.0D ELSE k / 2D END",
      Seq("k", "t")
    ) {
      assertEquals(assertSame(query()).operators.map(_.arrival), Seq(Unsorted))
    }
    written("k", Seq("t"))(assertEquals(arrivals(query()), Seq(Unsorted)))
  }

  test("buckets of more than one file are sorted") {
    written("k", Seq("k", "t")) {
      source("k").withColumn("id", col("id") + 1000).write.insertInto(table)
      assertEquals(arrivals(query()), Seq(Unsorted))
    }
  }

  test("joins of bucketed tables, windows of windows and unions") {
    written("k", Seq("k", "t")) {
      sql(s"CREATE OR REPLACE TEMP VIEW few AS SELECT id AS k FROM range(4)")
      assertSame(query("*", from = s"(SELECT /*+ BROADCAST(few) */ $table.* FROM $table JOIN few USING (k))"))
      assertSame(query(from = s"(SELECT k, t, a.v FROM $table a JOIN $table b USING (id, k, t))"))
      assertSame(
        s"SELECT p, approx_quantile(q, 0.5) OVER (PARTITION BY k ORDER BY t, q) AS q FROM (${query("k, t, v AS p")})"
      )
      assertSame(s"${query("k, t")} UNION ALL ${query("k, t")}")
      val over = query("k, t", from = s"(SELECT k, t, v FROM $table WHERE k IN (SELECT max(k) FROM few))")
      assertSame(over)
    }
  }

  for (
    (wrong, order, time) <- Seq(
      ("a key that comes back", "t", "id"),
      ("a time before the last one", "k, id", "-id"),
      ("a NULL after a time", "k, id", "IF(id > 550, NULL, id)")
    )
  ) test(s"a file that is not sorted ends the query: $wrong") {
    val folder = Files.createTempDirectory("arranged").resolve("files").toString
    source("k", time).repartition(1).sortWithinPartitions(order.split(", ").map(col).toSeq: _*).write.option(
      "path",
      folder
    ).bucketBy(1, "k").saveAsTable("arranged_files")
    sql("DROP TABLE arranged_files")
    sql(
      s"CREATE TABLE $table (id BIGINT, k INT, t BIGINT, v INT, text STRING) USING parquet LOCATION '$folder' CLUSTERED BY (k) SORTED BY (k, t) INTO 1 BUCKETS"
    )
    try {
      val error = intercept[Exception](sql(query()).collect())
      val causes =
        Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString
      assert(causes.contains("CHRONOSKETCH_BUCKET_NOT_SORTED] Bucket 0 of " + named), causes)
      withConf("spark.sql.sources.bucketing.enabled" -> "false")(assertSame(query()))
    } finally {
      sql(s"DROP TABLE $table")
      Files.walk(Path.of(folder)).sorted(java.util.Comparator.reverseOrder()).forEach(f => Files.delete(f))
    }
  }
}
