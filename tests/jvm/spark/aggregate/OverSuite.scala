package chronosketch.spark.aggregate

import org.apache.spark.sql.Row

import chronosketch.spark.sliding.SlidingConf
import chronosketch.spark.{Exact, SparkSuite}

/** Tests aggregates OVER frames. Each row evaluates the buffer, so evaluation must not change it. */
class OverSuite extends SparkSuite {
  private val n = 60
  private lazy val values: IndexedSeq[Long] = {
    spark
      .range(n.toLong)
      .selectExpr("id", "id % 2 AS k", "IF(id % 10 = 9, NULL, pmod(id * 37, 41)) AS v")
      .createOrReplaceTempView("over_rows")
    (0 until n).map(i => if (i % 10 == 9) Long.MinValue else (i * 37L) % 41)
  }

  private def frame(rows: Seq[Int]): IndexedSeq[Long] =
    rows.map(values).filter(_ != Long.MinValue).sorted.toIndexedSeq

  private val frames: Seq[(String, Int => Seq[Int])] = Seq(
    "ORDER BY id ROWS BETWEEN 6 PRECEDING AND CURRENT ROW" -> (i => math.max(0, i - 6) to i),
    "ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING" -> (i =>
      math.max(0, i - 3) to math.min(n - 1, i + 2)
    ),
    "ORDER BY id RANGE BETWEEN 4 PRECEDING AND 1 PRECEDING" -> (i => math.max(0, i - 4) until i),
    "ORDER BY id" -> (i => 0 to i),
    "ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW" -> (i => 0 to i),
    "ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING" -> (i => i until n),
    "" -> (_ => 0 until n)
  )

  for {
    (over, of) <- frames
    (way, conf) <- Seq(
      "generated code" -> Nil,
      "no codegen" -> Seq(
        "spark.sql.codegen.wholeStage" -> "false",
        "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
      ),
      "Spark's own operator" -> Seq(SlidingConf.Enabled -> "false")
    )
  } test(s"OVER ($over): $way") {
    values
    withConf(conf: _*) {
      val answers = rows(
        s"""SELECT id, approx_quantile(v, array(0.1, 0.5, 0.9)) OVER w AS q, approx_quantile_bounds(v, 0.5) OVER w AS b,
           |  sketch_count(quantile_sketch_agg(v) OVER w) AS n,
           |  sketch_quantile(quantile_sketch_agg(v, epsilon => 0) OVER w, 0.5, 'bigint') AS sq
           |FROM over_rows WINDOW w AS ($over) ORDER BY id""".stripMargin
      )
      assertEquals(answers.size, n)
      answers.zipWithIndex.foreach { case (r, i) =>
        val exact = frame(of(i))
        assertEquals(r.getAs[Long]("n"), exact.size.toLong, s"row $i")
        if (exact.isEmpty) Seq("q", "b", "sq").foreach(c => assert(r.isNullAt(r.fieldIndex(c)), s"row $i"))
        else {
          val median = Exact.quantile(exact, "0.5")
          assertEquals(r.getSeq[Long](1), Seq("0.1", "0.5", "0.9").map(Exact.quantile(exact, _)), s"row $i")
          assertEquals(r.getStruct(2), Row(median, median), s"row $i")
          assertEquals(r.getAs[Long]("sq"), median, s"row $i")
        }
      }
    }
  }

  test("OVER with partitions, with FILTER, and merging sketches") {
    values
    rows(
      """SELECT id, k, approx_quantile(v, 0.5) FILTER (WHERE v > 10) OVER (PARTITION BY k ORDER BY id) AS q,
        |  sketch_quantile(sketch_merge_agg(s) OVER (PARTITION BY k ORDER BY id), 0.5, 'bigint') AS m
        |FROM (SELECT id, k, v, quantile_sketch_agg(v) AS s FROM over_rows GROUP BY id, k, v)""".stripMargin
    ).foreach { r =>
      val id = r.getLong(0).toInt
      val seen = (r.getLong(1).toInt to id by 2)
      val kept = frame(seen).filter(_ > 10)
      assertEquals(r.get(2), if (kept.isEmpty) null else Exact.quantile(kept, "0.5"), s"row $id")
      val all = frame(seen)
      assertEquals(r.get(3), if (all.isEmpty) null else Exact.quantile(all, "0.5"), s"row $id")
    }
  }
}
