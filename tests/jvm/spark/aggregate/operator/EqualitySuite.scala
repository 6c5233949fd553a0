package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.Row

import chronosketch.Cases
import chronosketch.spark.Exact
import chronosketch.spark.aggregate.AggregateConf

/** Runs our operator in every way that Spark can run it. The answers must equal those of Spark's own to the last bit. */
class EqualitySuite extends OperatorSuite {
  private def view(partitions: Int): Unit = spark
    .range(0, 1500, 1, partitions)
    .selectExpr(
      "id",
      "IF(id % 11 = 5, NULL, id % 6) AS k",
      "IF(id % 5 = 1, NULL, concat('s', id % 3)) AS s",
      "IF(id % 7 = 3, NULL, pmod(id * 7919, 1009)) AS v",
      """CASE id % 13 WHEN 0 THEN double('NaN') WHEN 1 THEN double('Infinity') WHEN 2 THEN double('-Infinity')
        |  WHEN 3 THEN double(-0.0) WHEN 4 THEN double(0.0) WHEN 5 THEN NULL ELSE id / 4 END AS d""".stripMargin,
      "CAST(NULL AS INT) AS nothing"
    )
    .createOrReplaceTempView("same")

  private val everything =
    """quantile_sketch_agg(v) AS s1, quantile_sketch_agg(d) AS s2, quantile_sketch_agg(nothing) AS s3,
      |approx_quantile(d, array(0, 0.25, 0.5, 1)) AS q, approx_quantile_bounds(v, 0.5) AS b,
      |approx_quantile(v, 0.5, frequency => k) FILTER (WHERE id % 2 = 0) AS f,
      |count(*) AS n, sum(v) AS total, avg(d) FILTER (WHERE id % 13 > 5) AS mean, max(d) AS most""".stripMargin
  // the planner can't see that it is empty
  private val none = "(SELECT * FROM same WHERE pmod(id * 3, 7) > 6)"

  private val shapes = Seq(
    "by a number" -> s"SELECT k, $everything FROM same GROUP BY k",
    "by two columns" -> s"SELECT s, k, $everything FROM same GROUP BY s, k",
    "one group" -> s"SELECT nothing, $everything FROM same GROUP BY nothing",
    "without keys" -> s"SELECT $everything FROM same",
    "no rows, by a number" -> s"SELECT k, $everything FROM $none GROUP BY k",
    "no rows, without keys" -> s"SELECT $everything FROM $none"
  )

  private lazy val sparks = {
    view(3)
    shapes.map { case (name, query) => name -> inSparks(sql(query)) }.toMap
  }

  private val settings: Seq[(String, Seq[(String, String)])] = Seq(
    "default" -> Nil,
    "whole-stage code off" -> Seq("spark.sql.codegen.wholeStage" -> "false"),
    "no generated code at all" -> OperatorSuite.notCompiled,
    "too large to compile" -> Seq("spark.sql.codegen.hugeMethodLimit" -> "1"),
    "too many fields" -> Seq("spark.sql.codegen.maxFields" -> "2"),
    "no shared subexpressions" -> Seq("spark.sql.subexpressionElimination.enabled" -> "false"),
    "AQE off" -> Seq("spark.sql.adaptive.enabled" -> "false"),
    "ANSI off" -> Seq("spark.sql.ansi.enabled" -> "false"),
    "one partition shuffled" -> Seq("spark.sql.shuffle.partitions" -> "1"),
    "more partitions than groups" -> Seq(
      "spark.sql.shuffle.partitions" -> "40",
      "spark.sql.adaptive.coalescePartitions.enabled" -> "false"
    )
  )

  settings.zipWithIndex.foreach { case ((setting, conf), i) =>
    test(s"equal answers: $setting") {
      sparks
      view(3)
      withConf(conf: _*) {
        Cases.turn(i, Seq(shapes.take(3), shapes.drop(3))).flatten.foreach { case (shape, query) =>
          assertEqual(inOurs(sql(query)), sparks(shape), s"$setting, $shape")
        }
      }
    }
  }

  Seq(1, 16).foreach { partitions =>
    test(s"equal answers with $partitions input partitions") {
      sparks
      view(partitions)
      // exact answers do not depend on how the rows were distributed
      shapes.foreach { case (shape, query) =>
        assertEqual(inOurs(sql(query)), sparks(shape), s"$partitions partitions, $shape")
      }
    }
  }

  test("empty input: one row without GROUP BY, no rows with it") {
    sparks
    assertEquals(sparks("no rows, without keys").rows.size, 1)
    assertEquals(sparks("no rows, by a number").rows.size, 0)
    assertEquals(sparks("by a number").rows.size, 7)
  }

  test("the operator is on by default") {
    view(2)
    assertEquals(spark.conf.getOption(AggregateConf.Enabled).getOrElse("true"), "true")
    val asked = sql("SELECT k, approx_quantile(v, 0.5), sum(v) FROM same GROUP BY k")
    asked.collect()
    assertEquals(operators(asked).size, 2)
    // a star marks generated code
    val lines = asked.queryExecution.executedPlan.toString.linesIterator
      .takeWhile(!_.contains("Initial Plan")).filter(_.contains("SketchAggregate")).toSeq
    assert(lines.nonEmpty && lines.forall(_.contains("*(")), lines)
  }

  for (conf <- Seq(Nil, OperatorSuite.notCompiled); partitions <- Seq(1, 7))
    test(
      s"summarised: within the bounds, ${if (conf.isEmpty) "" else "not "}compiled, partitions: $partitions"
    ) {
      spark.range(0, 30000, 1, partitions)
        .selectExpr("id % 3 AS k", "pmod(id * 7919, 20011) AS v").createOrReplaceTempView("many")
      val phis = Seq("0", "0.1", "0.5", "0.999", "1")
      val list = phis.mkString("array(", ", ", ")")
      val query =
        s"""SELECT k, q, b, sketch_rank_error(s) AS error, sketch_quantile(s, $list, 'bigint') AS stored FROM (
           |  SELECT k, approx_quantile(v, $list, 0.01) AS q, approx_quantile_bounds(v, $list, 0.01) AS b,
           |    quantile_sketch_agg(v, 0.01) AS s FROM many GROUP BY k)""".stripMargin
      val truth = rows("SELECT k, v FROM many").groupMap(_.getLong(0))(_.getLong(1))
        .map { case (k, v) => k -> v.sorted.toIndexedSeq }
      Seq(true, false).foreach { on =>
        withConf(conf :+ (AggregateConf.Enabled -> on.toString): _*) {
          val asked = sql(query)
          val answers = asked.collect()
          assertEquals(operators(asked).nonEmpty, on)
          assertEquals(answers.length, 3)
          answers.foreach(row => withinCertificate(truth(row.getLong(0)), phis, row))
        }
      }
    }

  private def withinCertificate(sorted: IndexedSeq[Long], phis: Seq[String], row: Row): Unit = {
    val error = row.getAs[Double]("error")
    assert(error > 0, "small enough to be exact: says nothing")
    assert(error <= 0.01, s"certified: $error")
    phis.indices.foreach { i =>
      val exact = Exact.quantile(sorted, phis(i))
      val bounds = row.getSeq[Row](row.fieldIndex("b"))(i)
      assert(bounds.getLong(0) <= exact && exact <= bounds.getLong(1), s"${phis(i)}: $exact in $bounds")
      Seq("q", "stored").foreach { name =>
        val answer = row.getSeq[Long](row.fieldIndex(name))(i)
        assert(Exact.rankError(sorted, phis(i), answer) <= error * sorted.size, s"$name ${phis(i)}: $answer")
      }
    }
  }

  test("running a query twice gives the same answers, also summarised ones") {
    spark.range(0, 30000, 1, 7)
      .selectExpr("id % 3 AS k", "pmod(id * 7919, 20011) AS v").createOrReplaceTempView("many")
    val query = "SELECT k, quantile_sketch_agg(v, 0.01) FROM many GROUP BY k"
    assertEqual(inOurs(sql(query)), inOurs(sql(query)), query)
  }
}
