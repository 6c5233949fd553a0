package chronosketch.spark.warehouse

import java.nio.file.{Files, Path}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

import chronosketch.rank.Phi
import chronosketch.spark.{TypedRows, tables}

/** Compares the answers of a warehouse with all of its rows. */
class WarehouseSuite extends WarehouseTests {

  /** The rows of a step, always the same for the same number. */
  private def step(n: Int, rows: Long = 3000): DataFrame = spark.range(rows).selectExpr(
    s"CAST(pow(abs(hash(id, $n)) % 100000, 1.5) AS BIGINT) AS v",
    s"IF(id % 5 = 0, NULL, concat('k', id % 5)) AS k",
    "CAST(id % 2 AS INT) AS b"
  )

  private def all(steps: Range): DataFrame = steps.map(step(_)).reduce(_ union _)

  test("quick answers are within their certified errors and accurate ones are exact, while runs are merged") {
    val path = folder()
    val w = Warehouse.create(spark, path, "v", epsilon = 0.02, kappa = 2)
    (1 to 12).foreach { n =>
      assertEquals(w.append(step(n)).step, n.toLong)
      val levels = w.state.runs.map(_.level)
      assert(levels.groupBy(identity).values.forall(_.size <= 2), levels.toString)
      if (n % 3 == 0) {
        val rows = truth(all(1 to n), Nil, "v")
        check(w.quantile(phis), rows, 0)
        check(w.quantile(phis, isAccurate = false), rows, 0)
      }
    }
    // another process reads the same from the files
    check(Warehouse.open(spark, path).quantile(phis), truth(all(1 to 12), Nil, "v"), 0)
  }

  test("accurate answers read few rows, and say how many") {
    val w = Warehouse.create(spark, folder(), "v", epsilon = 0.01)
    (1 to 3).foreach(n => w.append(step(n, 100000)))
    val quick = w.quantile(Seq(Phi(0.5)), isAccurate = false).head()
    assertEquals((quick.getAs[Long]("rows_read"), quick.getAs[Long]("bytes_read")), (0L, 0L))
    val accurate = w.quantile(Seq(Phi(0.5))).head()
    assertEquals(accurate.getAs[Long]("rows_total"), 300000L)
    assert(
      accurate.getAs[Long]("rows_read") > 0 && accurate.getAs[Long]("rows_read") <= 12000,
      accurate.toString
    )
    assert(accurate.getAs[Long]("bytes_read") < accurate.getAs[Long]("bytes_total") / 4, accurate.toString)
    // by the paper, a quarter of epsilon: the history uses half of it, and answers from the middle
    assert(quick.getAs[Long]("rank_error") <= 300000 * 0.01 / 4 + 3, quick.toString)
  }

  test("groups, including NULL, and one that begins in a later step") {
    val w = Warehouse.create(spark, folder(), "v", Seq("k", "b"), epsilon = 0.05, kappa = 2)
    val late = spark.range(500).selectExpr("id AS v", "'late' AS k", "CAST(NULL AS INT) AS b")
    val steps = Seq(step(1), step(2), late, step(3))
    steps.foreach(w.append(_))
    val rows = truth(steps.reduce(_ union _), Seq("k", "b"), "v")
    assertEquals(rows.size, 11)
    check(w.quantile(phis), rows, 2)
    check(w.quantile(phis, isAccurate = false), rows, 2)
    // a condition on groups is applied before anything is read
    val one = w.quantile(Seq(Phi(0.5))).where("k = 'late'")
    check(one, rows.filter(_._1.head == "late"), 2)
    val whole = w.quantile(Seq(Phi(0.5))).agg(max("rows_read")).head().getLong(0)
    assert(one.head().getAs[Long]("rows_read") < whole / 2)
    check(
      w.quantile(Seq(Phi(0.5))).where("k IS NULL AND value IS NOT NULL"),
      rows.filter(_._1.head == null),
      2
    )
  }

  (TypedRows.values ++ Seq(
    "DOUBLE" -> "CASE id % 10 WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN double('-Infinity') ELSE id / 7D END",
    "FLOAT" -> "CASE id % 10 WHEN 0 THEN float('NaN') WHEN 1 THEN CAST(-0.0 AS FLOAT) ELSE CAST(id AS FLOAT) END",
    "DATE" -> "date_add(DATE'0001-01-01', CAST(id AS INT))",
    "TIMESTAMP" -> "timestamp_micros(id - 62135596800000000)"
  )).foreach { case (sqlType, value) =>
    test(s"$sqlType: $value")(withConf(TypedRows.TimeType) {
      val rows = spark.range(1, 2001).selectExpr(
        s"CAST(${value.replace("id", "(id % 100 + 1)")} AS $sqlType) AS v",
        "CAST(id % 3 AS SMALLINT) AS k"
      )
      val nulls = rows.selectExpr("IF(k = 1, NULL, v) AS v", "k")
      val w = Warehouse.create(spark, folder(), "v", Seq("k"), epsilon = 0.1, kappa = 1)
      val appended = Seq(rows, nulls, rows).map(w.append(_))
      assertEquals(appended.map(_.nulls), Seq(0L, 667L, 0L))
      val expected = truth(rows.union(nulls).union(rows), Seq("k"), "v")
      val plain = Seq(
        "spark.sql.parquet.outputTimestampType" -> "INT96",
        "spark.sql.parquet.datetimeRebaseModeInWrite" -> "LEGACY"
      )
      check(w.quantile(phis), expected, 1)
      check(w.quantile(phis, isAccurate = false), expected, 1)
      // the meaning of files does not depend on the session's settings
      val other = Warehouse.create(spark, folder(), "v", Seq("k"), epsilon = 0.1, kappa = 1)
      withConf(plain: _*) {
        other.append(rows)
        val stream = new ManualStream(spark, other, rows)
        stream.take(0, nulls)
        stream.take(1, rows)
      }
      // epsilon / 4 is a fortieth, and a group has at most 667 live rows in each batch
      check(other.quantile(phis), expected, 1, _ => 33)
      check(other.quantile(phis, isAccurate = false), expected, 1)
      other.endStep()
      check(other.quantile(phis), expected, 1)
    })
  }

  test("ties, one element, empty steps, and a column with only NULLs") {
    val w = Warehouse.create(spark, folder(), "v", kappa = 1)
    val parts = Seq(
      "SELECT 7 AS v FROM range(5000)",
      "SELECT 7 AS v WHERE false",
      "SELECT 3 AS v",
      "SELECT CAST(NULL AS INT) AS v FROM range(3)",
      "SELECT CAST(id % 3 AS INT) AS v FROM range(900)"
    )
    parts.foreach(part => w.append(sql(part)))
    assertEquals(w.state.runs.map(_.steps).sum, 5L)
    assertEquals(w.state.runs.map(_.nulls).sum, 3L)
    check(w.quantile(phis), truth(parts.map(sql).reduce(_ union _), Nil, "v"), 0)
    val none = Warehouse.create(spark, folder(), "v")
    none.append(sql("SELECT CAST(NULL AS DOUBLE) AS v"))
    val empty = none.quantile(Seq(Phi(0.5))).head()
    assert(
      Seq("value", "low", "high", "rank_error").forall(c => empty.isNullAt(empty.fieldIndex(c))),
      empty.toString
    )
    assertEquals(empty.getAs[Long]("count_high"), 0L)
  }

  test("windows whose start is the start of a run are exact, and others have bounds for the rows in doubt") {
    val w = Warehouse.create(spark, folder(), "v", epsilon = 0.02, kappa = 3)
    (1 to 6).foreach(n => w.append(step(n)))
    // four steps were merged, and two followed
    assertEquals(
      w.windows.map(x => (x.steps, x.firstStep, x.lastStep, x.rows)),
      Seq((1L, 6L, 6L, 3000L), (2L, 5L, 6L, 6000L), (6L, 1L, 6L, 18000L))
    )
    Seq(1, 2, 6, 9).foreach { k =>
      val rows = truth(all(math.max(1, 7 - k) to 6), Nil, "v")
      check(w.quantile(phis, window = Some(k.toLong)), rows, 0)
      check(w.quantile(phis, isAccurate = false, window = Some(k.toLong)), rows, 0)
    }
    val values = truth(all(4 to 6), Nil, "v")(Nil).map(_.asInstanceOf[Long])
    w.quantile(phis, window = Some(3L)).collect().foreach { row =>
      val exact = values(Phi(row.getAs[Double]("phi")).rank(values.size.toLong).toInt - 1)
      assert(row.getAs[Long]("low") <= exact && exact <= row.getAs[Long]("high"), row.toString)
      assertEquals((row.getAs[Long]("count_low"), row.getAs[Long]("count_high")), (6000L, 18000L))
    }
  }

  test("the files of a run are sorted, and any reader can read them") {
    val path = folder()
    val w = Warehouse.create(spark, path, "v", Seq("k"), epsilon = 0.1)
    w.append(step(1))
    val run = w.state.runs.head
    val plain = spark.read.parquet(s"$path/runs/${run.id}")
    assertEquals(plain.columns.toSeq, Seq("k", "v"))
    assertEquals(plain.exceptAll(step(1).select("k", "v")).count(), 0L)
    assertEquals(plain.count(), 3000L)
    val inOrder = run.files.flatMap { f =>
      spark.read.parquet(s"$path/runs/${run.id}/${f.name}").collect().map(r => (r.getString(0), r.getLong(1)))
    }
    assertEquals(inOrder, inOrder.sortBy { case (k, v) => (Option(k), v) })
    val summaries = spark.read.parquet(s"$path/runs/${run.id}/_summary/${run.summary.get.name}")
    assertEquals(
      summaries.selectExpr("sum(sketch_count(sketch))", "max(sketch_rank_error(sketch))").head().getLong(0),
      3000L
    )
  }

  test("EXPLAIN reads no files, and shows what will be queried") {
    val path = folder()
    val w = Warehouse.create(spark, path, "v")
    (1 to 2).foreach(n => w.append(step(n)))
    val asked = w.quantile(Seq(Phi(0.5), Phi(0.99)))
    files(path).filter(_.toString.contains("/runs/")).foreach(Files.delete(_))
    val plan = asked.queryExecution.executedPlan.toString
    assert(plan.contains("version 2, 2 runs with 6000 rows, phi 0.5, 0.99, accurate"), plan)
  }

  test("a query keeps the version that was newest when it was analysed") {
    val w = Warehouse.create(spark, folder(), "v", kappa = 1)
    w.append(step(1))
    val before = w.quantile(phis)
    (2 to 4).foreach(n => w.append(step(n)))
    check(before, truth(step(1), Nil, "v"), 0)
    assertEquals(before.head().getAs[Long]("version"), 1L)
  }

  test("a path may be relative, and a missing warehouse is refused") {
    val relative = Path.of("").toAbsolutePath.relativize(Path.of(folder()))
    Warehouse.create(spark, relative.toString, "v").append(step(1))
    check(Warehouse.open(spark, relative.toString).quantile(phis), truth(step(1), Nil, "v"), 0)
    assertEquals(condition(Warehouse.open(spark, s"$relative/nothing")), "CHRONOSKETCH_WAREHOUSE_NOT_FOUND")
  }

  test("ranks equal the counts, for values of any comparable type") {
    val path = folder()
    val w = Warehouse.create(spark, path, "v", Seq("k"), epsilon = 0.05, kappa = 2)
    (1 to 4).foreach(n => w.append(step(n)))
    val asked = Seq(
      "-1",
      "0",
      "4711",
      "4711.5",
      "double('NaN')",
      "double('-Infinity')",
      "31622776",
      "CAST(1e6 AS FLOAT)"
    )
    val rows = all(1 to 4)
    asked.foreach { value =>
      val expected = rows.groupBy("k").agg(sum(expr(s"IF(v <= $value, 1L, 0L)"))).collect()
        .map(r => (Option(r.getString(0)), r.getLong(1))).toSet
      def ranks(accuracy: String) =
        sql(s"SELECT * FROM warehouse_rank('$path', $value, '$accuracy')").collect()
      val accurate = ranks("accurate")
      assertEquals(
        accurate.map(r => (Option(r.getString(0)), r.getAs[Long]("rank_low"))).toSet,
        expected,
        value
      )
      assertEquals(
        accurate.map(r => (Option(r.getString(0)), r.getAs[Long]("rank_high"))).toSet,
        expected,
        value
      )
      ranks("quick").foreach { r =>
        val exact = expected.find(_._1 == Option(r.getString(0))).get._2
        assert(r.getAs[Long]("rank_low") <= exact && exact <= r.getAs[Long]("rank_high"), r.toString)
        assertEquals(r.getAs[Long]("rows_read"), 0L)
      }
    }
    val several = sql(
      s"SELECT value, rank_low FROM warehouse_rank('$path', array(4711, 8000), window => 1) WHERE k = 'k1'"
    )
    assertEquals(several.collect().map(_.getInt(0)).toSeq, Seq(4711, 8000))
    assertEquals(
      several.collect().map(_.getLong(1)).toSeq,
      Seq(4711, 8000).map(x => step(4).where(s"k = 'k1' AND v <= $x").count())
    )
    val inScala = tables.warehouse_rank(spark, path, array(lit(4711), lit(8000)), window = lit(1))
    assertEquals(
      inScala.where("k = 'k1'").select("value", "rank_low").collect().toSeq,
      several.collect().toSeq
    )
    assertEquals(
      tables.warehouse_quantile(spark, path, Seq(0.1, 0.9), "quick").collect().toSet,
      sql(s"SELECT * FROM warehouse_quantile('$path', array(0.1, 0.9), 'quick')").collect().toSet
    )
    assertEquals(
      condition(sql(s"SELECT * FROM warehouse_rank('$path', DATE'2026-01-01')")),
      "CHRONOSKETCH_VALUE_NOT_COMPARABLE"
    )
    assertEquals(
      condition(sql(s"SELECT * FROM warehouse_rank('$path', array(1, NULL))")),
      "CHRONOSKETCH_WAREHOUSE_ARGUMENT"
    )
    assertEquals(
      condition(sql(s"SELECT * FROM warehouse_rank('$path', 'x')")),
      "CHRONOSKETCH_WAREHOUSE_ARGUMENT"
    )
  }
}
