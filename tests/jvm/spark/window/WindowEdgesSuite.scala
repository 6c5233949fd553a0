package chronosketch.spark.window

import java.nio.file.Files

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite
import chronosketch.spark.aggregate.AggregateConf

/** Tests windows over no rows, over NULLs and over extreme values and times. */
class WindowEdgesSuite extends SparkSuite {
  private val operators = Seq("ours" -> Nil, "Spark's own" -> Seq(AggregateConf.Enabled -> "false"))

  for ((operator, conf) <- operators) {
    test(s"no rows, NULLs and FILTER, $operator operator") {
      withConf(conf: _*) {
        assertEquals(
          rows(
            """SELECT approx_window_quantile(id, id, 0.5, 10), approx_window_quantile(id, id, array(0.5), 10),
              |  sketch_count(window_sketch_agg(id, id)), sketch_count_bounds(sketch_window(window_sketch_agg(id, id), 10)),
              |  sketch_quantile(sketch_window(window_sketch_agg(id, id), 10), 0.5) FROM range(0)""".stripMargin
          ),
          Seq(Row(null, null, 0L, Row(0L, 0L), null))
        )
        assertEquals(rows("SELECT approx_window_quantile(id, id, 0.5, 10) FROM range(0) GROUP BY id"), Nil)
        val noRows = Seq(
          "NULL, id",
          "id, NULL",
          "NULL, NULL",
          "IF(id < 0, id, NULL), id",
          "id, IF(id < 0, id, NULL)"
        )
        val quantiles = noRows.map { rowsOf =>
          s"approx_window_quantile($rowsOf, 0.5, ${if (rowsOf.endsWith(" NULL")) "'10 days'" else "10"})"
        }
        assertEquals(
          rows(s"SELECT ${quantiles.mkString(", ")} FROM range(9)"),
          Seq(Row.fromSeq(noRows.map(_ => null)))
        )
        val counts = noRows.map(rowsOf => s"sketch_count(window_sketch_agg($rowsOf))")
        assertEquals(
          rows(s"SELECT id % 2, ${counts.mkString(", ")} FROM range(9) GROUP BY 1 ORDER BY 1"),
          Seq(0L, 1L).map(k => Row.fromSeq(k +: noRows.map(_ => 0L)))
        )
        // rows that do not count do not move the newest time, either
        val some =
          "(SELECT id, IF(id > 90, NULL, id) AS v, IF(id > 80, NULL, id) AS t FROM range(1, 101, 1, 3))"
        assertEquals(
          rows(
            s"""SELECT approx_window_quantile(v, id, array(0, 1), 10), approx_window_quantile(id, t, array(0, 1), 10),
               |  approx_window_quantile(id, id, array(0, 1), 10) FILTER (WHERE id <= 50),
               |  approx_window_quantile(id, id, array(0, 1), 10, as_of => 60) FILTER (WHERE id % 10 <> 0) FROM $some""".stripMargin
          ),
          Seq(Row(Seq(81L, 90L), Seq(71L, 80L), Seq(41L, 50L), Seq(51L, 59L)))
        )
        // a condition is not evaluated if the value is NULL
        assertEquals(
          one(
            "SELECT approx_window_quantile(IF(id = 3, NULL, id), id, 1, within_last(10) AND 1 / (id - 3) < 9) FROM range(9)"
          ),
          8L
        )
      }
    }

    test(s"NaN, infinities, extreme times and one time for all rows, $operator operator") {
      withConf(conf: _*) {
        val from =
          "VALUES (double('-Infinity'), 1L), (-0.0D, 2L), (double('Infinity'), 3L), (double('NaN'), 4L) AS r(v, t)"
        val q = one(s"SELECT approx_window_quantile(v, t, array(0, 0.5, 0.75, 1), 9) FROM $from")
          .asInstanceOf[scala.collection.Seq[Double]]
        assertEquals(q.take(3).toSeq, Seq(Double.NegativeInfinity, 0.0, Double.PositiveInfinity))
        assert(q(3).isNaN)
        val extreme =
          "VALUES (1, -9223372036854775808L), (2, 0L), (3, 9223372036854775807L) AS r(v, t)"
        val spans = Seq("1", "9223372036854775807L", "among_last(9)")
          .map(span => s"approx_window_quantile(v, t, array(0, 1), $span)")
        assertEquals(
          rows(s"SELECT ${spans.mkString(", ")} FROM $extreme"),
          Seq(Row(Seq(3, 3), Seq(3, 3), Seq(1, 3)))
        )
        assertEquals(
          one(
            "SELECT sketch_count(sketch_window(window_sketch_agg(id, 7), among_last(100))) FROM range(9999)"
          ),
          100L
        )
      }
    }
  }

  test("sketches stored in Parquet keep their answers") {
    val folder = Files.createTempDirectory("windows").resolve("stored").toString
    val from =
      "(SELECT id, id % 5 AS k, timestamp_seconds(pmod(id * 7919, 10007)) AS t, pmod(id * 104729, 1009) AS v FROM range(0, 10000, 1, 3))"
    val built = sql(
      s"SELECT k, window_sketch_agg(v, t, 0.05, retention => '2 hours', filters => map('odd', v % 2 = 1)) AS s FROM $from GROUP BY k"
    )
    built.write.parquet(folder)
    val ask = Seq("'10 minutes'", "'2 hours'", "within_last('1 hour') AND passing('odd')", "among_last(77)")
      .map(w => s"sketch_quantile_bounds(sketch_window(s, $w), array(0.1, 0.5, 0.99), 'bigint')")
      .mkString(", ")
    def answers(from: String): Seq[Row] = rows(s"SELECT k, $ask FROM $from ORDER BY k")
    val stored = answers(s"parquet.`$folder`")
    assertEquals(stored.size, 5)
    assertEquals(stored, answers(s"parquet.`$folder`"))
    val whole = rows(
      s"SELECT approx_window_quantile(v, t, 0.5, '10 minutes', 0) FROM $from GROUP BY k ORDER BY k"
    ).map(_.getLong(0))
    stored.map(_.getSeq[Row](1)(1)).zip(whole).foreach { case (b, truth) =>
      assert(b.getLong(0) <= truth && truth <= b.getLong(1), s"$truth in $b")
    }
  }
}
