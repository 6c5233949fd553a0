package chronosketch.spark.qlove

import chronosketch.spark.conditions.Case
import chronosketch.spark.conditions.Case.mismatch

/** The messages for invalid qlove panes, and for invalid queries of them. */
object QloveConditions {
  private val rows = "(SELECT id AS v, id AS n, timestamp_seconds(id) AS t FROM range(0, 100))"
  private def pane(
      where: String,
      phis: String = "array(0.5, 0.99)",
      panes: Int = 8,
      time: String = "n"
  ): String =
    s"(SELECT qlove_sketch_agg(v, $time, $phis, $panes) AS s FROM $rows WHERE $where)"

  val ours: Seq[Case] = Seq(
    Case(
      "a phi that the panes were not built for",
      s"SELECT sketch_quantile(s, array(0.5, 0.9)) FROM ${pane("true")}",
      "CHRONOSKETCH_PHI_NOT_NAMED",
      "22023",
      "sketch_quantile was asked for phi = 0.9, but the sketch was built for these: 0.5, 0.99. Ask for one of them, or build the sketch again with this phi in its array: qlove_sketch_agg(value, event_time, array(0.5, 0.99, 0.9), 8)."
    ),
    Case(
      "panes that overlap, of days",
      s"""SELECT sketch_merge_agg(s) FROM (SELECT qlove_sketch_agg(v, date_add(DATE'2026-01-01', CAST(n AS INT)), 0.5, 8) AS s
         |FROM $rows GROUP BY n % 2)""".stripMargin,
      "CHRONOSKETCH_PANES_OVERLAP",
      "22023",
      ""
    ),
    Case(
      "panes that overlap, of whole numbers",
      s"SELECT sketch_merge(a.s, b.s) FROM ${pane("n < 50")} a CROSS JOIN ${pane("n BETWEEN 40 AND 70")} b",
      "CHRONOSKETCH_PANES_OVERLAP",
      "22023",
      "sketch_merge was given finished panes of rows from 0 to 49 and from 40 to 70. They overlap in time and can't be merged, because their rows are gone. Aggregate the rows of both at once, with GROUP BY window(...)."
    ),
    Case(
      "more panes than a window has",
      s"SELECT sketch_merge_agg(s) FROM (SELECT qlove_sketch_agg(v, n, 0.5, 2) AS s FROM $rows GROUP BY n div 34)",
      "CHRONOSKETCH_TOO_MANY_PANES",
      "22023",
      "sketch_merge_agg was given 3 panes, but they were built for a window of 2. Take fewer, e.g. with ROWS BETWEEN ... PRECEDING AND CURRENT ROW. Or build them for more: qlove_sketch_agg(value, event_time, phis, panes => 3)."
    ),
    Case(
      "a pane that keeps nearly all of its rows",
      "SELECT qlove_sketch_agg(id % 10, id, array(0.9, 0.95), 8, 2147483647) FROM range(9000000)",
      "CHRONOSKETCH_PANES_KEEP_TOO_MUCH",
      "54000",
      "qlove_sketch_agg would keep 18000000 values of one pane, and a pane can keep 16777216. Give a smaller budget, e.g. qlove_sketch_agg(value, event_time, phis, panes, budget => 4096)."
    ),
    Case(
      "panes built for different phis",
      s"SELECT sketch_merge(a.s, b.s) FROM ${pane("n < 50")} a CROSS JOIN ${pane("n >= 50", "0.9", 4)} b",
      "CHRONOSKETCH_QUERIES_DIFFER",
      "42846",
      "sketch_merge can't merge panes built with phis 0.5, 0.99, panes 8 and panes built with phis 0.9, panes 4. Build both with the same phis, panes and budget."
    ),
    Case(
      "an empty array of phis",
      s"SELECT qlove_sketch_agg(v, n, array(), 8) FROM $rows",
      "CHRONOSKETCH_NO_PHIS",
      "22023",
      "qlove_sketch_agg needs at least one phi. Name those that you will ask for, e.g. array(0.5, 0.99, 0.999)."
    ),
    Case(
      "bounds of a pane, which has no certificate",
      s"SELECT sketch_quantile_bounds(s, 0.5) FROM ${pane("true")}",
      "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "42846",
      "sketch_quantile_bounds does not work on the family qlove sketch. It works on these families: quantile sketch, window sketch, window, ddsketch, version, reservoir sample, priority sample, bernoulli sample, window sample, sampled window, imported sketch."
    ),
    Case(
      "the minimum of a pane",
      s"SELECT sketch_min(s) FROM ${pane("true")}",
      "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "42846",
      ""
    ),
    Case(
      "panes of different times",
      s"SELECT sketch_merge(a.s, b.s) FROM ${pane("n < 50")} a CROSS JOIN ${pane("n >= 50", time = "t")} b",
      "CHRONOSKETCH_TIME_TYPES_DIFFER",
      "42846",
      ""
    )
  )

  val sparks: Seq[Case] = Seq(
    Case(
      "no panes",
      s"SELECT qlove_sketch_agg(v, n, 0.5D, 0) FROM $rows",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "qlove_sketch_agg(v, n, 0.5, 0)",
        "The `panes` must be between [1, 16777216] (current value = 0)."
      )
    ),
    Case(
      "a budget below 0",
      s"SELECT qlove_sketch_agg(v, n, 0.5D, 8, -1L) FROM $rows",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "qlove_sketch_agg(v, n, 0.5, 8, -1)",
        "The `budget` must be between [0, 2147483647] (current value = -1)."
      )
    ),
    Case(
      "half a pane",
      s"SELECT qlove_sketch_agg(v, n, 0.5D, 0.5D) FROM $rows",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "qlove_sketch_agg(v, n, 0.5, 0.5)",
        "The 4th parameter requires the \"INTEGRAL\" type, however \"0.5\" has the type \"DOUBLE\"."
      )
    ),
    Case(
      "panes that are NULL",
      s"SELECT qlove_sketch_agg(v, n, 0.5D, CAST(NULL AS INT)) FROM $rows",
      "DATATYPE_MISMATCH.UNEXPECTED_NULL",
      "42K09",
      mismatch("qlove_sketch_agg(v, n, 0.5, CAST(NULL AS INT))", "The `panes` must not be null.")
    ),
    Case(
      "a phi above 1 named",
      s"SELECT qlove_sketch_agg(v, n, array(0.5, 99), 8) FROM $rows",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      ""
    ),
    Case(
      "a phi that is a column",
      s"SELECT qlove_sketch_agg(v, n, v / 100, 8) FROM $rows",
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      ""
    )
  )
}
