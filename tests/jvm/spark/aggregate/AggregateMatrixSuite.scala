package chronosketch.spark.aggregate

import org.apache.spark.sql.Row

import chronosketch.Cases
import chronosketch.spark.{Exact, SparkSuite}

/** Runs every aggregate in every way that Spark can run it, and compares the answers of each group with sorted values. */
class AggregateMatrixSuite extends SparkSuite {
  private val phis = Seq("0", "0.01", "0.5", "0.99", "1")
  private val epsilon = 0.05 // not exact; the default would be, with so few rows per group
  private val groups = 7

  // 6 000 rows in seven groups of very different sizes; one value in seven is NULL
  private lazy val values: Map[Long, IndexedSeq[Long]] = {
    table("matrix", partitions = 2)
    val all = rows("SELECT k, v FROM matrix WHERE v IS NOT NULL")
    all.groupMap(_.getLong(0))(_.getLong(1)).map { case (k, v) => k -> v.sorted.toIndexedSeq }
  }
  private def table(name: String, partitions: Int): Unit = spark
    .range(0, 6000, 1, partitions)
    .selectExpr(
      "id",
      "CAST(floor(sqrt(id % 49)) AS BIGINT) AS k",
      "IF(id % 7 = 3, NULL, pmod(id * 7919, 1009)) AS v"
    )
    .createOrReplaceTempView(name)

  private lazy val whole: IndexedSeq[Long] = values.values.flatten.toIndexedSeq.sorted

  private val plain = Seq("spark.sql.adaptive.enabled" -> "false")
  private val settings: Seq[(String, Seq[(String, String)])] = Seq(
    "default" -> Nil,
    "AQE off" -> plain,
    "whole-stage codegen off" -> Seq("spark.sql.codegen.wholeStage" -> "false"),
    "no codegen" -> Seq(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    ),
    "sort fallback from the second key" -> Seq(
      "spark.sql.objectHashAggregate.sortBased.fallbackThreshold" -> "1"
    ),
    "sort aggregate" -> Seq("spark.sql.execution.useObjectHashAggregateExec" -> "false"),
    "ANSI off" -> Seq("spark.sql.ansi.enabled" -> "false"),
    "ANSI on" -> Seq("spark.sql.ansi.enabled" -> "true"),
    "no codegen and sort fallback" -> Seq(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN",
      "spark.sql.objectHashAggregate.sortBased.fallbackThreshold" -> "1"
    )
  )

  private val list = phis.mkString("array(", ", ", ")")
  private val everything =
    s"""approx_quantile(v, $list) AS q,
       |approx_quantile(v, $list, epsilon => $epsilon) AS aq,
       |approx_quantile_bounds(v, $list, epsilon => $epsilon) AS b,
       |quantile_sketch_agg(v, $epsilon) AS s,
       |count(v) AS n, max(v) AS m""".stripMargin

  private def check(sorted: IndexedSeq[Long], row: Row): Unit = {
    assertEquals(row.getSeq[Long](row.fieldIndex("q")), phis.map(Exact.quantile(sorted, _)))
    val approximate = row.getSeq[Long](row.fieldIndex("aq"))
    val bounds = row.getSeq[Row](row.fieldIndex("b"))
    val stored = row.getSeq[Row](row.fieldIndex("sb"))
    val error = row.getAs[Double]("error")
    assert(error <= epsilon, s"certified error $error")
    phis.indices.foreach { i =>
      val truth = Exact.quantile(sorted, phis(i))
      assert(Exact.rankError(sorted, phis(i), approximate(i)) <= epsilon * sorted.size, s"phi ${phis(i)}")
      Seq(bounds(i), stored(i)).foreach { b =>
        assert(b.getLong(0) <= truth && truth <= b.getLong(1), s"phi ${phis(i)}: $truth in $b")
      }
    }
    assertEquals(row.getAs[Long]("n"), sorted.size.toLong)
    assertEquals(row.getAs[Long]("stored_n"), sorted.size.toLong)
    assertEquals(row.getAs[Long]("m"), sorted.last)
  }

  private val questions =
    s"sketch_quantile_bounds(s, $list, 'bigint') AS sb, sketch_rank_error(s) AS error, sketch_count(s) AS stored_n"

  for {
    (name, conf) <- Cases.some(4, settings)
    partitions <- if (name == "default" || name == "no codegen and sort fallback") Seq(1, 40) else Seq(3)
  } test(s"answers agree with sorted values: $name, partitions: $partitions") {
    assertEquals(values.size, groups)
    table("parts", partitions)
    withConf(conf: _*) {
      val answers = rows(s"SELECT *, $questions FROM (SELECT k, $everything FROM parts GROUP BY ROLLUP(k))")
      assertEquals(answers.size, groups + 1)
      answers.foreach(r => check(if (r.isNullAt(0)) whole else values(r.getLong(0)), r))
      val union = rows(
        s"""SELECT k, $questions FROM (SELECT k, sketch_merge_agg(s) AS s
           |  FROM (SELECT k, quantile_sketch_agg(v, $epsilon) AS s FROM parts GROUP BY k, id % 11) GROUP BY ROLLUP(k))""".stripMargin
      )
      assertEquals(union.size, groups + 1)
      union.foreach { r =>
        val sorted = if (r.isNullAt(0)) whole else values(r.getLong(0))
        assertEquals(r.getAs[Long]("stored_n"), sorted.size.toLong)
        assert(r.getAs[Double]("error") <= epsilon)
        phis.zip(r.getSeq[Row](r.fieldIndex("sb"))).foreach { case (phi, b) =>
          val truth = Exact.quantile(sorted, phi)
          assert(b.getLong(0) <= truth && truth <= b.getLong(1), s"phi $phi: $truth in $b")
        }
      }
    }
  }

  test("not all of the tested sketches are exact") {
    assert(values.nonEmpty)
    assert(
      one(s"SELECT sketch_rank_error(quantile_sketch_agg(v, $epsilon)) FROM matrix").asInstanceOf[Double] > 0
    )
  }

  test("many groups: every answer is right, whatever the threshold of Spark's sort-based fallback") {
    values
    val sql =
      "SELECT pmod(id, 1000) AS k, approx_quantile(id, array(0.5, 1.0)), sketch_count(quantile_sketch_agg(id)) FROM matrix GROUP BY 1"
    Seq("1", "128", "100000").foreach { threshold =>
      withConf("spark.sql.objectHashAggregate.sortBased.fallbackThreshold" -> threshold) {
        val answers = rows(sql)
        assertEquals(answers.size, 1000)
        answers.foreach { r =>
          val k = r.getLong(0)
          // six rows per group: k, k + 1000, ..., k + 5000
          assertEquals(r.getSeq[Long](1), Seq(k + 2000, k + 5000))
          assertEquals(r.getLong(2), 6L)
        }
      }
    }
  }

  test("together with functions in generated code, and with DISTINCT functions") {
    values
    rows(
      "SELECT k, approx_quantile(v, 0.5), sum(v), avg(v), count(DISTINCT v), approx_quantile(DISTINCT v, 0.5) FROM matrix GROUP BY k"
    ).foreach { r =>
      val sorted = values(r.getLong(0))
      assertEquals(r.getLong(1), Exact.quantile(sorted, "0.5"))
      assertEquals(r.getLong(2), sorted.sum)
      assertEquals(r.getLong(4), sorted.distinct.size.toLong)
      assertEquals(r.getLong(5), Exact.quantile(sorted.distinct, "0.5"))
    }
  }
}
