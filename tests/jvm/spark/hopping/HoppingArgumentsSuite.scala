package chronosketch.spark.hopping

import org.apache.spark.sql.{AnalysisException, DataFrame, Row}

import chronosketch.spark.FunctionTable
import chronosketch.spark.sliding.functions.StructureChoice
import chronosketch.spark.table.SqlFunction

/** Tests the arguments of hopping_sketch: the forms that they may have, and the errors of those that it refuses. */
class HoppingArgumentsSuite extends HoppingChecks {
  private def call(size: String, slide: String, by: String, aggs: String): String =
    s"SELECT * FROM hopping_sketch(TABLE(bursts), event_time => 'ts', size => $size, slide => $slide, by => $by, aggs => $aggs)"

  test("lengths in every form that Spark's window accepts mean the same") {
    sql("SELECT TIMESTAMP'2026-01-01 00:10:00' AS ts").createOrReplaceTempView("one_time")
    def sparks(size: String, slide: String): DataFrame =
      sql(s"SELECT window, count(*) AS n FROM one_time GROUP BY window(ts, $size, $slide)")
    def ours(size: String, slide: String): Set[Row] =
      sql(call(size, slide, "array()", "array('count(*) AS n')").replace(
        "bursts",
        "one_time"
      )).collect().toSet
    val expected = sparks("'90 minutes'", "'30 minutes'").collect().toSet
    Seq(
      "interval '90' minute",
      "INTERVAL '90' MINUTE",
      "interval '1:30' hour to minute",
      "INTERVAL '0 01:30:00' DAY TO SECOND",
      "interval 90 minutes",
      "interval 1 hour 30 minutes",
      "  Interval '5400.000000' Second  ",
      "90 minutes",
      "1 HOUR 30 MINUTES"
    ).foreach { size =>
      val text = s"\"$size\""
      assert(sparks(text, "\"interval '30' minute\"").schema.nonEmpty)
      assertEquals(ours(text, "\"interval '30' minute\""), expected, size)
    }
    Seq(
      "INTERVAL '90' MINUTE",
      "INTERVAL '01:30:00' HOUR TO SECOND",
      "INTERVAL 90 MINUTES",
      "make_dt_interval(0, 1, 30)"
    ).foreach(size => assertEquals(ours(size, "INTERVAL '30' MINUTE"), expected, size))
    Seq(
      "interval '1' month",
      "INTERVAL '1-2' YEAR TO MONTH",
      "interval 'x' hour",
      "interval",
      "interval '-1' hour"
    ).foreach {
      size =>
        assertEquals(
          refusal(call(s"\"$size\"", "'1 minute'", "array()", "array('count(*) AS n')")).getCondition,
          "CHRONOSKETCH_INVALID_WINDOW",
          size
        )
    }
    assertEquals(
      one(
        "SELECT sketch_count(sketch_window(window_sketch_agg(id, timestamp_seconds(id), retention => \"interval '1' hour\"), \"interval '9' second\")) FROM range(100)"
      ),
      one(
        "SELECT sketch_count(sketch_window(window_sketch_agg(id, timestamp_seconds(id), retention => '1 hour'), '9 seconds')) FROM range(100)"
      )
    )
  }

  test("a structure that does not support windows: the error says why") {
    def refused(structure: String): String =
      intercept[AnalysisException](sql(
        hopping("bursts", "2 minutes", "1 minute", Nil, Seq("count(*) AS n"))
          .replaceAll("\\)$", s", structure => $structure)")
      )).getMessage
    assert(refused("'exponential_histogram'").contains("in no more memory. Use 'panes'"))
    assert(refused("'priority'").contains("sample_sketch_agg(value)"))
    assert(refused("'cmqs'").contains("quantile_sketch_agg(value, epsilon)"))
    assert(refused("'heap'").contains("one of 'auto', 'panes', 'expiration_list'"), refused("'heap'"))
    assert(refused("7").contains("CHRONOSKETCH_HOPPING_ARGUMENT"))
    for (structure <- StructureChoice.Names.diff(HoppingStructure.names))
      assert(refused(s"'$structure'").contains("CHRONOSKETCH_HOPPING_STRUCTURE"), structure)
  }

  test("invalid calls fail before a job starts, each with its own condition") {
    val count = "array('count(*) AS n')"
    Seq(
      call("'1 minute'", "'2 minutes'", "array('host')", count) -> "CHRONOSKETCH_HOPPING_GAPS",
      call("'0 minutes'", "'2 minutes'", "array('host')", count) -> "CHRONOSKETCH_INVALID_WINDOW",
      call("'1 minute'", "'-1 minutes'", "array('host')", count) -> "CHRONOSKETCH_INVALID_WINDOW",
      call("'1 month'", "'1 minute'", "array('host')", count) -> "CHRONOSKETCH_INVALID_WINDOW",
      call("'soon'", "'1 minute'", "array('host')", count) -> "CHRONOSKETCH_INVALID_WINDOW",
      call("600", "10", "array('host')", count) -> "CHRONOSKETCH_WINDOW_UNITS",
      call("'1 minute'", "'7 microseconds'", "array('host')", count) -> "CHRONOSKETCH_HOPPING_PANES",
      call("'30 days'", "'1 second'", "array('host')", count) -> "CHRONOSKETCH_HOPPING_PANES",
      call("'1 minute'", "'1 minute'", "array('hots')", count) -> "UNRESOLVED_COLUMN.WITH_SUGGESTION",
      call(
        "'1 minute'",
        "'1 minute'",
        "array('host')",
        "array('count(* AS n')"
      ) -> "CHRONOSKETCH_HOPPING_SYNTAX",
      call(
        "'1 minute'",
        "'1 minute'",
        "array('host')",
        "array('count(DISTINCT v)')"
      ) -> "CHRONOSKETCH_HOPPING_AGGREGATE",
      call(
        "'1 minute'",
        "'1 minute'",
        "array('host')",
        "array('stddev(v)')"
      ) -> "CHRONOSKETCH_HOPPING_AGGREGATE",
      call(
        "'1 minute'",
        "'1 minute'",
        "array('host')",
        "array('try_sum(v)')"
      ) -> "CHRONOSKETCH_HOPPING_AGGREGATE",
      call("'1 minute'", "'1 minute'", "array('host')", "array()") -> "CHRONOSKETCH_HOPPING_ARGUMENT",
      call("'1 minute'", "'1 minute'", "'host'", count) -> "CHRONOSKETCH_HOPPING_ARGUMENT",
      call("'1 minute'", "'1 minute'", "array('host')", count).replace(
        "TABLE(bursts)",
        "1"
      ) -> "CHRONOSKETCH_HOPPING_ARGUMENT",
      call("'1 minute'", "'1 minute'", "array('host')", count).replace(
        "TABLE(bursts)",
        "TABLE(bursts) PARTITION BY host"
      ) -> "CHRONOSKETCH_HOPPING_ARGUMENT",
      call("'1 minute'", "'1 minute'", "array('host')", count).replace(
        "'ts'",
        "'v'"
      ) -> "CHRONOSKETCH_HOPPING_TIME"
    ).foreach { case (text, condition) => assertEquals(refusal(text).getCondition, condition, text) }
  }

  test("the message about an aggregate names all aggregates that hopping_sketch supports") {
    val asked = refusal(call("'1 minute'", "'1 minute'", "array('host')", "array('stddev(v)')"))
    val covered = asked.getMessageParameters.get("covered").split(", ").map(_.takeWhile(_ != ' ')).toSeq
    val ours = FunctionTable.all.filter(_.group == SqlFunction.Aggregates).map(_.name)
    // a history needs all changes since its first version, not only those of one pane
    val histories = Seq("history_sketch_agg", "approx_quantile_at_version")
    // the operator for panes supports sketches, and functions with generated code
    val others = Seq("n_least", "n_greatest", "quantile_design_effect_agg")
    assertEquals(
      covered.sorted,
      (ours.diff(histories ++ others) ++ Seq("count", "sum", "min", "max", "avg")).sorted.toSeq
    )
    Seq("history_sketch_agg(v, n)", "approx_quantile_at_version(v, n, 1, 0.5, 2)").foreach { history =>
      val refused = refusal(call("'1 minute'", "'1 minute'", "array('host')", s"array(\"$history\")"))
      assertEquals(refused.getCondition, "CHRONOSKETCH_HOPPING_AGGREGATE", history)
    }
    val sketches = check(
      "bursts",
      "10 minutes",
      "4 minutes",
      Seq("host"),
      Seq("ddsketch_agg(v, 0.02) AS s", "ddsketch_agg(v, frequency => n) AS w", "count(*) AS n")
    )
    assert(sketches > 10)
  }

  test("the message about a time names the types that hopping_sketch accepts, and suggests a fix that runs") {
    Seq("CAST(ts AS DATE)", "CAST(ts AS STRING)", "unix_seconds(ts)").foreach { time =>
      sql(s"SELECT host, v, $time AS at FROM bursts").createOrReplaceTempView("timed")
      def of(column: String) = hopping("timed", "10 minutes", "4 minutes", Seq("host"), Seq("count(*) AS n"))
        .replace("'ts'", s"'$column'")
      val asked = refusal(of("at"))
      assertEquals(asked.getCondition, "CHRONOSKETCH_HOPPING_TIME", time)
      val message = asked.asInstanceOf[Throwable].getMessage
      assert(message.contains("takes a TIMESTAMP or TIMESTAMP_NTZ as its event_time"), message)
      val fix = "[A-Za-z_]+\\(at.*\\)".r.findFirstIn(asked.getMessageParameters.get("hint")).get
      assert(rows(of(fix)).nonEmpty, fix)
    }
  }
}
