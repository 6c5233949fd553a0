package chronosketch.spark.history

import chronosketch.spark.conditions.Case
import chronosketch.spark.conditions.Case.mismatch

/** The messages for invalid histories, and for invalid queries of them. */
object HistoryConditions {
  private val on =
    "FROM (SELECT id AS v, id AS n, id - 3 AS m, date_add(DATE'2026-01-01', CAST(id AS INT)) AS d, timestamp_seconds(id) AS t FROM range(1, 101))"
  private def stored(call: String, built: String = "history_sketch_agg(v, n)"): String =
    s"SELECT $call AS a FROM (SELECT $built AS s $on)"

  val ours: Seq[Case] = Seq(
    Case(
      "a version after the last",
      stored("sketch_at_version(s, 101)"),
      "CHRONOSKETCH_VERSION_OUT_OF_RANGE",
      "22003",
      "sketch_at_version was asked for version 101, but the history knows versions 1 to 100. Ask for one of these. sketch_versions(sketch) lists them."
    ),
    Case(
      "a day before the first",
      stored("sketch_count(sketch_at_version(s, DATE'2026-01-01'))", "history_sketch_agg(v, d)"),
      "CHRONOSKETCH_VERSION_OUT_OF_RANGE",
      "22003",
      "sketch_at_version was asked for version 2026-01-01, but the history knows versions 2026-01-02 to 2026-04-11. Ask for one of these. sketch_versions(sketch) lists them."
    ),
    Case(
      "a time after the last version",
      stored("sketch_at_version(s, TIMESTAMP'2026-01-01 00:00:00')", "history_sketch_agg(v, t)"),
      "CHRONOSKETCH_VERSION_OUT_OF_RANGE",
      "22003",
      "sketch_at_version was asked for version 2026-01-01 00:00:00, but the history knows versions 1970-01-01 00:00:01 to 1970-01-01 00:01:40. Ask for one of these. sketch_versions(sketch) lists them."
    ),
    Case(
      "a date for versions that are whole numbers",
      stored("sketch_at_version(s, DATE'2026-01-01')"),
      "CHRONOSKETCH_VERSION_TYPES_DIFFER",
      "42846",
      "sketch_at_version was asked for versions of type DATE, but the history has versions of type BIGINT. Give a version of that type, e.g. 100."
    ),
    Case(
      "a number for versions that are dates",
      stored("sketch_count(sketch_at_version(s, 3))", "history_sketch_agg(v, d)"),
      "CHRONOSKETCH_VERSION_TYPES_DIFFER",
      "42846",
      "sketch_at_version was asked for versions of type INT, but the history has versions of type DATE. Give a version of that type, e.g. DATE '2026-01-01'."
    ),
    Case(
      "versions that are dates, shown as numbers",
      stored("sketch_versions(s)", "history_sketch_agg(v, d)"),
      "CHRONOSKETCH_VERSION_TYPES_DIFFER",
      "42846",
      "sketch_versions was asked for versions of type BIGINT, but the history has versions of type DATE. Name that type: sketch_versions(sketch, 'date')."
    ),
    Case(
      "a row that ends before it begins",
      s"SELECT history_sketch_agg(v, n, until => m) $on",
      "CHRONOSKETCH_ENDS_BEFORE_START",
      "22023",
      ""
    ),
    Case(
      "a row that ends before it begins, in Spark's own operator",
      s"SELECT count(*), history_sketch_agg(v, d, until => date_sub(d, 1)) $on WHERE v = 7",
      "CHRONOSKETCH_ENDS_BEFORE_START",
      "22023",
      "history_sketch_agg was given a row that starts at 2026-01-08 and ends at 2026-01-07, which is earlier. Correct such rows, or leave them out: FILTER (WHERE date_sub(d, 1) IS NULL OR date_sub(d, 1) >= d)."
    ),
    Case(
      "a merged history with a gap",
      s"SELECT sketch_count(sketch_at_version(sketch_merge(a, b), 9)) FROM (SELECT history_sketch_agg(v, n) FILTER (WHERE n < 10) AS a, history_sketch_agg(v, n) FILTER (WHERE n >= 20) AS b $on)",
      "CHRONOSKETCH_HISTORIES_APART",
      "22023",
      "sketch_at_version was given a history merged from two parts that share no version. The earlier part has versions 1 to 9 and ends with 9 values. The later part has versions 20 to 100 and begins with 1. Merge the part between them too. Or build the later part again, so that its first version has all the values that the earlier part ends with."
    ),
    Case(
      "a merged history with a gap, with dates as versions",
      s"SELECT sketch_versions(sketch_merge(a, b), 'date') FROM (SELECT history_sketch_agg(v, d) FILTER (WHERE n < 10) AS a, history_sketch_agg(v, d) FILTER (WHERE n >= 20) AS b $on)",
      "CHRONOSKETCH_HISTORIES_APART",
      "22023",
      "sketch_versions was given a history merged from two parts that share no version. The earlier part has versions 2026-01-02 to 2026-01-10 and ends with 9 values. The later part has versions 2026-01-21 to 2026-04-11 and begins with 1. Merge the part between them too. Or build the later part again, so that its first version has all the values that the earlier part ends with."
    ),
    Case(
      "histories with dates and with numbers as versions",
      s"SELECT sketch_merge(history_sketch_agg(v, d), history_sketch_agg(v, n)) $on",
      "CHRONOSKETCH_TIME_TYPES_DIFFER",
      "42846",
      ""
    ),
    Case(
      "a quantile of a whole history",
      stored("sketch_quantile(s, 0.5)"),
      "CHRONOSKETCH_WHICH_VERSION",
      "42846",
      "sketch_quantile does not work on a whole history, because its values differ from version to version. Ask about one version: write sketch_at_version(sketch, version) instead of sketch."
    ),
    Case(
      "the count of a whole history",
      stored("sketch_count(s)"),
      "CHRONOSKETCH_WHICH_VERSION",
      "42846",
      "sketch_count does not work on a whole history, because its values differ from version to version. Ask about one version: write sketch_at_version(sketch, version) instead of sketch."
    ),
    Case(
      "a version of a sketch without versions",
      stored("sketch_at_version(s, 3)", "quantile_sketch_agg(v)"),
      "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "42846",
      "sketch_at_version does not work on the family quantile sketch. It works on these families: history."
    ),
    Case(
      "a window of a history",
      stored("sketch_window(s, 3)"),
      "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "42846",
      "sketch_window does not work on the family history. It works on these families: window sketch, window moments sketch, window sample."
    ),
    Case(
      "versions that are text",
      "SELECT history_sketch_agg(1, t) FROM (SELECT '2026-01-01' AS t)",
      "CHRONOSKETCH_UNSUPPORTED_TIME",
      "42K09",
      "history_sketch_agg takes a TIMESTAMP, TIMESTAMP_NTZ, DATE or whole number as its version, but \"t\" has the type \"STRING\". If it holds times, use CAST(t AS TIMESTAMP)."
    ),
    Case(
      "a version as text",
      stored("sketch_at_version(s, '2026-01-01')"),
      "CHRONOSKETCH_UNSUPPORTED_TIME",
      "42K09",
      ""
    )
  )

  val sparks: Seq[Case] = Seq(
    Case(
      "ends of another type than the versions",
      s"SELECT history_sketch_agg(v, d, until => t) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "history_sketch_agg(v, d, until => t)",
        "The 5th parameter requires the \"DATE\" type, however \"t\" has the type \"TIMESTAMP\"."
      )
    ),
    Case(
      "a fractional change",
      s"SELECT history_sketch_agg(v, n, v / 2) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      ""
    ),
    Case(
      "epsilon of a history below 0",
      s"SELECT history_sketch_agg(v, n, epsilon => -1) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "history_sketch_agg(v, n, epsilon => -1)",
        "The `epsilon` must be between [0, 0.5] (current value = -1.0)."
      )
    ),
    Case(
      "a version that is a column, in a one-shot call",
      s"SELECT approx_quantile_at_version(v, n, 1, 0.5, m) $on",
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      ""
    ),
    Case(
      "a version that is NULL, in a one-shot call",
      s"SELECT approx_quantile_at_version(v, n, 1, 0.5, NULL) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_NULL",
      "42K09",
      mismatch("approx_quantile_at_version(v, n, 1, 0.5, NULL)", "The `at_version` must not be null.")
    ),
    Case(
      "a version of another type, in a one-shot call",
      s"SELECT approx_quantile_at_version(v, d, 1, 0.5, 3) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "approx_quantile_at_version(v, d, 1, 0.5, 3)",
        "The 5th parameter requires the \"DATE\" type, however \"3\" has the type \"INT\"."
      )
    )
  )
}
