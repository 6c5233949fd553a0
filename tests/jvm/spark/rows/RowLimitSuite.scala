package chronosketch.spark.rows

import chronosketch.spark.SparkSuite
import chronosketch.spark.aggregate.operator.{OperatorSuite, ScarceMemory}

/** Tests that a row of sketches beyond 2 GiB is refused by name, at a limit that is lowered to a few kilobytes. */
class RowLimitSuite extends SparkSuite {
  private def view(): Unit = {
    spark.range(0, 40000, 1, 1).selectExpr(
      "id",
      "pmod(hash(id), 1000003) AS v",
      "id % 2 AS k",
      "timestamp_seconds(id) AS t"
    ).createOrReplaceTempView("rows")
    sql(
      "SELECT id DIV 2000 AS g, quantile_sketch_agg(v, 0.001) AS s, quantile_sketch_agg(v + 1, 0.001) AS z FROM rows GROUP BY id DIV 2000"
    ).createOrReplaceTempView("sketches")
  }

  // a sketch that fits into a row, a second one that does not fit beside it, and the rest of the query
  private val queries = Seq(
    "one group" -> ("quantile_sketch_agg(v, 0.001)", "quantile_sketch_agg(v + 1, 0.001)", "FROM rows"),
    "groups" -> (
      "quantile_sketch_agg(v, 0.001)",
      "quantile_sketch_agg(v + 1, 0.001)",
      "FROM rows GROUP BY k"
    ),
    "in a struct" -> (
      "struct(quantile_sketch_agg(v, 0.001)) AS a",
      "struct(quantile_sketch_agg(v + 1, 0.001)) AS b",
      "FROM rows GROUP BY k"
    ),
    "grouping sets" -> (
      "quantile_sketch_agg(v, 0.001)",
      "quantile_sketch_agg(v + 1, 0.001)",
      "FROM rows GROUP BY CUBE(k, id % 3)"
    ),
    "merged sketches" -> ("sketch_merge_agg(s)", "sketch_merge_agg(z)", "FROM sketches"),
    "frames of sketches" -> (
      "sketch_merge_agg(s) OVER (ORDER BY g ROWS 9 PRECEDING)",
      "sketch_merge_agg(z) OVER (ORDER BY g ROWS 9 PRECEDING)",
      "FROM sketches"
    ),
    "histories" -> (
      "history_sketch_agg(v, id DIV 9000, epsilon => 0.05)",
      "history_sketch_agg(v + 1, id DIV 9000, epsilon => 0.05)",
      "FROM rows"
    )
  )

  private def lengthOf(column: String, from: String): Long =
    sql(s"SELECT max(length(s)) FROM (SELECT $column AS s $from)").head().getInt(0).toLong

  for (
    (name, (first, second, from)) <- queries;
    (way, conf) <- Seq("compiled" -> Nil, "not compiled" -> OperatorSuite.notCompiled)
  )
    test(s"two sketches that are too many for a row: $name, $way") {
      view()
      withConf(conf: _*) {
        val column = first.stripPrefix("struct(").stripSuffix(") AS a")
        val one = lengthOf(column, from)
        withConf("spark.sql.shuffle.partitions" -> "1", RowLimit.Setting -> (one + one / 2).toString) {
          sql(s"SELECT $first $from").collect()
          val refused = refusal(s"SELECT $first, $second $from")
          assertEquals((refused.getCondition, refused.getSqlState), ("CHRONOSKETCH_ROW_TOO_LARGE", "54000"))
          assertEquals(refused.getMessageParameters.get("limit"), (one + one / 2).toString)
        }
      }
    }

  test("two sketches that are too many for a row: hopping windows") {
    view()
    def windows(aggregates: String) =
      s"FROM hopping(TABLE(rows), event_time => 't', size => '2 hours', slide => '1 hour', aggs => array($aggregates))"
    val first = "'quantile_sketch_agg(v, 0.001) AS s'"
    val one = sql(s"SELECT max(length(s)) ${windows(first)}").head().getInt(0)
    withConf(RowLimit.Setting -> (one + one / 2).toString) {
      sql(s"SELECT * ${windows(first)}").collect()
      val refused = refusal(s"SELECT * ${windows(s"$first, 'quantile_sketch_agg(v + 1, 0.001) AS z'")}")
      assertEquals(refused.getCondition, "CHRONOSKETCH_ROW_TOO_LARGE")
    }
  }

  test("groups that are spilled") {
    view()
    val query =
      "SELECT id % 20000 AS k, quantile_sketch_agg(v), quantile_sketch_agg(v + 1) FROM rows GROUP BY 1"
    withConf("spark.sql.shuffle.partitions" -> "1", RowLimit.Setting -> "10") {
      val scarce = new ScarceMemory(2L << 20)
      try assertEquals(refusal(query).getCondition, "CHRONOSKETCH_ROW_TOO_LARGE")
      finally scarce.close()
    }
  }

  test("the limit leaves room for the other columns of a row below 2 GiB") {
    assert(RowLimit.Most < Int.MaxValue - (1 << 19))
    withConf(RowLimit.Setting -> RowLimit.Most.toString) {
      val limit = new RowLimit
      limit.require(RowLimit.Most)
      limit.require(Array[Any](new Array[Byte](7), null, 3L))
      intercept[RuntimeException](limit.require(RowLimit.Most + 1))
    }
  }
}
