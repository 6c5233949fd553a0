package chronosketch.spark.advisor

import org.apache.spark.sql.functions.lit

import chronosketch.spark.SparkSuite

/** Tests chronosketch_advise in SQL. The Python tests check that both give the same advice. */
class AdviceSuite extends SparkSuite {
  test("the built-in cost model covers every aggregate") {
    Aggregate.all.foreach { aggregate =>
      val choices =
        rows(s"SELECT rank FROM chronosketch_advise('${aggregate.name}', 19200, 320, epsilon => 0.05)")
      assert(choices.size >= 2 && choices.head.getInt(0) == 1, s"${aggregate.name}: $choices")
    }
  }

  test("a memory limit excludes approaches, and the answer says why") {
    val excluded = rows(
      "SELECT approach, excluded FROM chronosketch_advise('quantile', 300000, 1000, epsilon => 0.05, memory => '1m') WHERE within_memory = false AND promise <> 'probable'"
    )
    assert(excluded.nonEmpty)
    excluded.foreach(r => assert(r.getString(1).endsWith("and memory is 1 MiB"), r.toString))
  }

  test("advice in Scala is that of SQL") {
    import chronosketch.spark.tables.chronosketch_advise
    assertEquals(
      chronosketch_advise(
        spark,
        "quantile",
        "1 hour",
        "1 minute",
        rate = lit(320),
        epsilon = 0.01
      ).collect().toSeq,
      rows("SELECT * FROM chronosketch_advise('quantile', '1 hour', '1 minute', 320, 0.01)")
    )
    assertEquals(
      chronosketch_advise(spark, "sum", 10000, 100, memory = lit("1m")).collect().toSeq,
      rows("SELECT * FROM chronosketch_advise('sum', 10000, 100, memory => '1m')")
    )
  }

  test("advice in a query with a join, a filter and a view") {
    sql(
      "CREATE OR REPLACE TEMP VIEW best AS SELECT * FROM chronosketch_advise('sum', 10000, 100) WHERE rank = 1"
    )
    assertEquals(one("SELECT count(*) FROM best a JOIN best b ON a.approach = b.approach"), 1L)
    assert(one("SELECT time.low <= time.value AND time.value <= time.high FROM best") == true)
  }
}
