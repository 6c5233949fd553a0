package chronosketch.spark.history

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite
import chronosketch.spark.aggregate.AggregateConf

/** Tests histories over no rows, over unusual changes and over extreme values and versions. */
class HistoryEdgesSuite extends SparkSuite {
  private val operators = Seq(
    // generated code that does not compile must be an error
    "ours" -> Seq("spark.sql.codegen.fallback" -> "false"),
    "Spark's own" -> Seq(AggregateConf.Enabled -> "false")
  )

  operators.foreach { case (operator, conf) =>
    test(s"no rows, NULL rows and one row, $operator operator") {
      withConf(conf: _*) {
        val empty = "(SELECT id FROM range(9) WHERE pmod(id * 3, 7) > 6)"
        val s = "history_sketch_agg(id, id)"
        assertEquals(one(s"SELECT is_sketch($s) FROM $empty"), true)
        assertEquals(one(s"SELECT sketch_versions($s) FROM $empty"), Row(null, null, 0))
        assertEquals(one(s"SELECT sketch_describe($s).family FROM $empty"), "history")
        assertEquals(one(s"SELECT sketch_at_version($s, 3) FROM $empty"), null)
        assertEquals(one(s"SELECT sketch_count(sketch_at_version($s, 3)) FROM $empty"), null)
        assertEquals(one(s"SELECT approx_quantile_at_version(id, id, 1, 0.5, 3) FROM $empty"), null)
        assertEquals(rows(s"SELECT id, $s FROM $empty GROUP BY id"), Nil)
        Seq(
          "NULL, id",
          "id, NULL",
          "NULL, NULL",
          "IF(id < 0, id, NULL), id",
          "id, IF(id < 0, id, NULL)",
          "id, id, IF(id < 0, 1, NULL)"
        )
          .foreach { call =>
            val versions = if (call == "id, NULL" || call == "NULL, NULL") ", 'timestamp'" else ""
            assertEquals(
              rows(
                s"SELECT id % 2, sketch_versions(history_sketch_agg($call)$versions).first FROM range(9) GROUP BY 1 ORDER BY 1"
              ),
              Seq(Row(0L, null), Row(1L, null)),
              call
            )
          }
        val one1 = "VALUES (7, 3) AS t(v, t)"
        assertEquals(
          one(s"SELECT sketch_quantile(sketch_at_version(history_sketch_agg(v, t), 3), 0.5) FROM $one1"),
          7.0
        )
        assertEquals(one(s"SELECT sketch_at_version(history_sketch_agg(v, t), NULL) FROM $one1"), null)
        assertEquals(one("SELECT sketch_at_version(NULL, 3)"), null)
        assertEquals(one("SELECT sketch_versions(NULL)"), null)
      }
    }

    test(s"changes by several copies, by none, too many deletes, empty lifetimes, $operator operator") {
      withConf(conf: _*) {
        def counts(call: String, values: String, versions: Int*): Seq[Any] = versions.map(v =>
          one(
            s"SELECT sketch_count(sketch_at_version(history_sketch_agg($call), $v)) FROM VALUES $values AS t(v, at, x)"
          )
        )
        // the order inside a version does not matter, and an update to the same value changes nothing
        assertEquals(
          counts(
            "v, at, x",
            "(5, 1, 3), (5, 2, -1), (5, 2, 1), (5, 3, -9), (5, 4, 2), (6, 5, 0)",
            1,
            2,
            3,
            4,
            5
          ),
          Seq[Any](3L, 3L, 0L, 2L, 2L)
        )
        assertEquals(
          counts("v, at, until => x", "(5, 1, 4), (5, 2, 2), (6, 2, NULL), (7, 3, 4)", 1, 2, 3, 4),
          Seq[Any](1L, 2L, 3L, 1L)
        )
        val clamped = "SELECT sketch_describe(history_sketch_agg(v, at, x)).clamped FROM VALUES"
        assertEquals(one(s"$clamped (5, 1, 3), (5, 3, -9), (6, 3, -1) AS t(v, at, x)"), 7L)
        assertEquals(one(s"$clamped (5, 1, 3), (5, 3, -3) AS t(v, at, x)"), 0L)
        // all copies of a row begin and end together
        assertEquals(
          one(
            "SELECT collect_list(sketch_count(sketch_at_version(s, n))) FROM (SELECT history_sketch_agg(v, at, c, until => u) AS s FROM VALUES (5, 1, 3, 3), (5, 2, 4, NULL) AS t(v, at, c, u)), VALUES (1), (2), (3) AS n(n)"
          ),
          Seq(3L, 7L, 4L)
        )
      }
    }

    test(s"NaN, infinities, extreme values and versions, $operator operator") {
      withConf(conf: _*) {
        val from =
          "VALUES (double('-Infinity'), 1L), (-0.0D, 2L), (double('Infinity'), 3L), (double('NaN'), 4L) AS r(v, t)"
        val q = one(
          s"SELECT sketch_quantile(sketch_at_version(history_sketch_agg(v, t), 4), array(0, 0.5, 0.75, 1)) FROM $from"
        ).asInstanceOf[scala.collection.Seq[Double]]
        assertEquals(q.take(3).toSeq, Seq(Double.NegativeInfinity, 0.0, Double.PositiveInfinity))
        assert(q(3).isNaN)
        assertEquals(
          one(
            "SELECT sketch_count(sketch_at_version(history_sketch_agg(v, t, c), 2)) FROM VALUES (double('NaN'), 1, 1), (CAST('NaN' AS DOUBLE), 2, -1), (-0.0D, 1, 1), (0.0D, 2, -1), (1D, 1, 1) AS r(v, t, c)"
          ),
          1L
        )
        val extreme =
          "VALUES (-9223372036854775808L, -9223372036854775808L), (9223372036854775807L, 9223372036854775807L) AS r(v, t)"
        assertEquals(
          one(
            s"SELECT array(sketch_count(sketch_at_version(s, -9223372036854775808L)), sketch_count(sketch_at_version(s, 0)), sketch_count(sketch_at_version(s, 9223372036854775807L))) FROM (SELECT history_sketch_agg(v, t) AS s FROM $extreme)"
          ),
          Seq(1L, 1L, 2L)
        )
        assertEquals(
          one(
            s"SELECT sketch_versions(history_sketch_agg(v, t, until => 9223372036854775807L)) FROM $extreme WHERE v < 0"
          ).asInstanceOf[Row].getLong(1),
          Long.MaxValue
        )
      }
    }
  }

  test("versions of one whole-number type can be queried with any other") {
    Seq("TINYINT", "SMALLINT", "INT", "BIGINT").foreach { own =>
      Seq("TINYINT", "SMALLINT", "INT", "BIGINT").foreach { asked =>
        assertEquals(
          one(
            s"SELECT sketch_count(sketch_at_version(history_sketch_agg(id, CAST(id AS $own), until => CAST(id + 2 AS $asked)), CAST(5 AS $asked))) FROM range(1, 9)"
          ),
          2L,
          s"$own, $asked"
        )
      }
    }
  }
}
