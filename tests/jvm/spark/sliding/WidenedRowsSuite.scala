package chronosketch.spark.sliding

import chronosketch.Cases

/** Tests output rows: rows of fixed width are copied as bytes, others by a projection. Compares them with Spark's operator. */
class WidenedRowsSuite extends SlidingSuite {
  private val q = "approx_quantile(v, 0.5) OVER (PARTITION BY k ORDER BY id ROWS 3 PRECEDING)"

  private val fixed = Seq("BYTE", "SHORT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(18, 3)", "BOOLEAN")

  for (
    (name, types) <- Seq("fixed" -> fixed, "fixed and longer" -> (fixed ++ Seq("STRING", "DECIMAL(30, 3)")))
  )
    test(s"rows of all types, $name, with NULLs: equal to Spark's, and equal rows have equal bytes") {
      spark.range(0, 600, 1, 2).selectExpr(
        Seq("id", "id % 7 AS k", "hash(id) AS v") ++ types.zipWithIndex.map { case (t, i) =>
          s"IF(pmod(hash(id, $i), 4) = 0, NULL, CAST(pmod(hash(id, $i), 100) AS $t)) AS c$i"
        }: _*
      ).createOrReplaceTempView("widened")
      withConf("spark.sql.shuffle.partitions" -> "2") {
        assertSame(s"SELECT *, $q AS q FROM widened")
        assertSame(
          s"SELECT *, $q AS q, CAST($q AS DOUBLE) AS b, approx_quantile(v, array(0.1, 0.9)) OVER (PARTITION BY k ORDER BY id ROWS 3 PRECEDING) AS qs FROM widened"
        )
        val columns = types.indices.map(i => s"c$i").mkString(", ")
        assertSame(
          s"SELECT $columns, q > 0 AS p, count(*) AS n FROM (SELECT *, $q AS q FROM widened) GROUP BY ALL"
        )
      }
    }

  // the null bits need another word from 65 columns on
  for (width <- Cases.some(2, Seq(61, 62, 63, 64, 65, 128)))
    test(s"rows of $width columns") {
      val more = (1 to width - 3).map(i => s"IF(pmod(hash(id, $i), 3) = 0, NULL, hash(id, $i)) AS c$i")
      spark.range(0, 300, 1, 2).selectExpr(Seq("id", "id % 7 AS k", "hash(id) AS v") ++ more: _*)
        .createOrReplaceTempView("widened")
      withConf("spark.sql.shuffle.partitions" -> "2") {
        assertSame(s"SELECT *, $q AS q FROM widened")
        assertSame(
          s"SELECT *, $q AS q, min(v) OVER (PARTITION BY k ORDER BY id) AS m, $q + 1 AS r FROM widened"
        )
      }
    }
}
