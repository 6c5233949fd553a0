package chronosketch.spark

import org.apache.spark.sql.Row

import chronosketch.Cases

/** Tests which results may depend on the layout of the rows in partitions, and which must not. */
class DeterminismSuite extends SparkSuite {
  private val n = 60000
  private val phis = Seq("0", "0.001", "0.25", "0.5", "0.9", "0.999", "1")
  private val list = phis.mkString("array(", ", ", ")")

  // lognormal by Box–Muller from a multiplicative sequence: the same numbers on every machine with IEEE rounding
  private lazy val values: IndexedSeq[Double] = {
    spark
      .range(n.toLong)
      .selectExpr(
        "id",
        "(pmod(id * 1103515245 + 12345, 2147483647) + 1) / 2147483649D AS a",
        "(pmod(id * 48271 + 7, 2147483647) + 1) / 2147483649D AS b"
      )
      .selectExpr("id", "exp(sqrt(-2 * ln(a)) * cos(2 * pi() * b)) AS v")
      .createOrReplaceTempView("lognormal")
    spark.table("lognormal").persist()
    rows("SELECT v FROM lognormal").map(_.getDouble(0)).sorted.toIndexedSeq
  }

  private val layouts = Seq(
    "as generated" -> "lognormal",
    "one partition" -> "(SELECT /*+ COALESCE(1) */ * FROM lognormal)",
    "three partitions by hash" -> "(SELECT /*+ REPARTITION(3, id) */ * FROM lognormal)",
    "17 partitions by range of the value" -> "(SELECT /*+ REPARTITION_BY_RANGE(17, v) */ * FROM lognormal)",
    "sorted" -> "(SELECT * FROM lognormal SORT BY v)",
    "reversed" -> "(SELECT * FROM lognormal SORT BY v DESC)",
    "64 partitions" -> "(SELECT /*+ REPARTITION(64) */ * FROM lognormal)"
  )

  Cases.some(3, layouts).foreach { case (layout, from) =>
    test(s"summarised: every layout keeps the certified error: $layout") {
      assertEquals(values.size, n)
      Seq("0.01", "0.001").foreach { epsilon =>
        val r = rows(
          s"""SELECT q, b, sketch_rank_error(s) AS e, sketch_quantile_bounds(s, $list) AS sb, sketch_describe(s).exact AS exact
             |FROM (SELECT approx_quantile(v, $list, $epsilon) AS q, approx_quantile_bounds(v, $list, $epsilon) AS b, quantile_sketch_agg(v, $epsilon) AS s FROM $from)""".stripMargin
        ).head
        val certified = r.getDouble(2)
        assert(certified <= epsilon.toDouble, s"certified $certified")
        assertEquals(r.getBoolean(4), false)
        phis.indices.foreach { i =>
          val truth = Exact.quantile(values, phis(i))
          val answer = r.getSeq[Double](0)(i)
          assert(Exact.rankError(values, phis(i), answer) <= certified * n, s"phi ${phis(i)}: $answer")
          Seq(r.getSeq[Row](1)(i), r.getSeq[Row](3)(i)).foreach { b =>
            assert(b.getDouble(0) <= truth && truth <= b.getDouble(1), s"phi ${phis(i)}: $truth in $b")
            // each bound is at most twice the certified error away
            val (from, to) = (
              Exact.rankError(values, phis(i), b.getDouble(0)),
              Exact.rankError(values, phis(i), b.getDouble(1))
            )
            assert(
              from <= 2 * epsilon.toDouble * n + 1 && to <= 2 * epsilon.toDouble * n + 1,
              s"phi ${phis(i)}: $from and $to ranks off"
            )
          }
        }
      }
    }

    test(s"exact results do not depend on the layout: $layout") {
      assertEquals(values.size, n)
      val r = rows(
        s"""SELECT approx_quantile(v, $list, epsilon => 0) AS q, approx_quantile(id % 97, $list) AS few,
           |  sketch_quantile(quantile_sketch_agg(id % 97), $list, 'bigint') AS stored FROM $from""".stripMargin
      ).head
      assertEquals(r.getSeq[Double](0), phis.map(Exact.quantile(values, _)))
      // few distinct values are exact at any epsilon, however many copies there are
      assertEquals(r.getSeq[Long](1), phis.map(Exact.quantile(few, _)))
      assertEquals(r.getSeq[Long](2), phis.map(Exact.quantile(few, _)))
    }
  }

  private lazy val few: IndexedSeq[Long] = (0L until n.toLong).map(_ % 97).sorted

  test("running a query twice gives the same bytes if its tasks see the same rows") {
    assertEquals(values.size, n)
    def bytes: Seq[Byte] = one(
      "SELECT quantile_sketch_agg(v, 0.001) FROM (SELECT /*+ COALESCE(1) */ * FROM lognormal)"
    ).asInstanceOf[Array[Byte]].toSeq
    assertEquals(bytes, bytes)
  }

  test("bytes of exact sketches are the same for every layout") {
    assertEquals(values.size, n)
    spark.table("lognormal").where("id < 3000").createOrReplaceTempView("first_rows")
    val all = layouts.map { case (_, from) =>
      one(
        s"SELECT quantile_sketch_agg(v, 0) FROM ${from.replace("lognormal", "first_rows")}"
      ).asInstanceOf[Array[Byte]].toSeq
    }
    assertEquals(all.distinct.size, 1)
  }
}
