package chronosketch.spark.window

import chronosketch.spark.conditions.Case
import chronosketch.spark.conditions.Case.mismatch

/** The messages for invalid windows. */
object WindowConditions {
  private val on =
    "FROM (SELECT id AS v, id AS n, timestamp_seconds(id) AS t, id % 7 AS status FROM range(1, 101))"
  private def asked(window: String): String = s"SELECT approx_window_quantile(v, t, 0.5, $window) $on"
  private def stored(call: String, built: String = "window_sketch_agg(v, t)"): String =
    s"SELECT $call AS a FROM (SELECT $built AS s $on)"

  private val place =
    "only inside the window of approx_window_quantile or sketch_window, alone or combined with AND and OR."

  private def seven(each: Int => String): String = (0 until 7).map(each).mkString(" OR ")

  val ours: Seq[Case] = Seq(
    Case(
      "a window in WHERE",
      s"SELECT v $on WHERE within_last('10 minutes')",
      "CHRONOSKETCH_MISPLACED_WINDOW",
      "42K0E",
      s"within_last('10 minutes') can't be computed for a single row. Write within_last $place"
    ),
    Case(
      "a window in the SELECT list of a subquery",
      s"SELECT (SELECT max(among_last(3)) $on)",
      "CHRONOSKETCH_MISPLACED_WINDOW",
      "42K0E",
      s"among_last(3) can't be computed for a single row. Write among_last $place"
    ),
    Case(
      "a window inside a condition",
      asked("IF(within_last('1 minute'), true, false)"),
      "CHRONOSKETCH_MISPLACED_WINDOW",
      "42K0E",
      s"within_last('1 minute') can't be computed for a single row. Write within_last $place"
    ),
    Case(
      "a filter by name without a sketch",
      s"SELECT passing('high') $on",
      "CHRONOSKETCH_MISPLACED_WINDOW",
      "42K0E",
      s"passing('high') can't be computed for a single row. Write passing $place"
    ),
    Case(
      "a window under NOT",
      asked("status > 3 AND NOT within_last('10 minutes')"),
      "CHRONOSKETCH_WINDOW_UNDER_NOT",
      "42K0E",
      "approx_window_quantile was given a window with within_last or among_last under NOT, but the rows outside a window can't be kept. Use only conditions on rows and passing() under NOT."
    ),
    Case(
      "a window under NOT, of a stored sketch",
      stored("sketch_window(s, NOT (passing('high') OR among_last(3)))"),
      "CHRONOSKETCH_WINDOW_UNDER_NOT",
      "42K0E",
      "sketch_window was given a window with within_last or among_last under NOT, but the rows outside a window can't be kept. Use only conditions on rows and passing() under NOT."
    ),
    Case(
      "seven conditions",
      asked(seven(i => s"within_last('${i + 1} minutes') AND status = $i")),
      "CHRONOSKETCH_TOO_MANY_FILTERS",
      "54000",
      "approx_window_quantile was given 7 different conditions on rows, but a sketch can hold at most 6. Combine conditions that you ask for together. Put a condition that all of them share into FILTER (WHERE ...)."
    ),
    Case(
      "seven filters",
      s"SELECT window_sketch_agg(v, t, filters => map(${(0 until 7).map(i => s"'f$i', status = $i").mkString(", ")})) $on",
      "CHRONOSKETCH_TOO_MANY_FILTERS",
      "54000",
      ""
    ),
    Case(
      "a filter named twice",
      s"SELECT window_sketch_agg(v, t, filters => map('a', status = 1, 'a', status = 2)) $on",
      "CHRONOSKETCH_FILTER_NAMED_TWICE",
      "42713",
      "window_sketch_agg was given two filters with the name a. Give each filter a different name."
    ),
    Case(
      "filters that are not a map",
      s"SELECT window_sketch_agg(v, t, filters => status = 1) $on",
      "CHRONOSKETCH_INVALID_FILTERS",
      "42K09",
      "window_sketch_agg was given (status = CAST(1 AS BIGINT)) as its filters. Write filters as a map of constant names and conditions, e.g. filters => map('errors', status >= 500)."
    ),
    Case(
      "filters that are not conditions",
      s"SELECT window_sketch_agg(v, t, filters => map('a', status)) $on",
      "CHRONOSKETCH_INVALID_FILTERS",
      "42K09",
      ""
    ),
    Case(
      "filters whose names are a column",
      s"SELECT window_sketch_agg(v, t, filters => map(CAST(v AS STRING), status = 1)) $on",
      "CHRONOSKETCH_INVALID_FILTERS",
      "42K09",
      ""
    ),
    Case(
      "a month",
      asked("'1 month'"),
      "CHRONOSKETCH_INVALID_WINDOW",
      "22023",
      "approx_window_quantile was given '1 month' as its window, but months have no fixed length. Write days, as in '30 days'."
    ),
    Case(
      "months as an interval",
      asked("within_last(INTERVAL '1' MONTH)"),
      "CHRONOSKETCH_INVALID_WINDOW",
      "22023",
      "within_last was given INTERVAL '1' MONTH as its interval, but months have no fixed length. Write days, as in '30 days'."
    ),
    Case(
      "text that is not an interval",
      asked("'ten minutes'"),
      "CHRONOSKETCH_INVALID_WINDOW",
      "22023",
      "approx_window_quantile was given 'ten minutes' as its window, but it is not an interval. Write one, as in '10 minutes' or '1 day 12 hours'."
    ),
    Case(
      "more days than can be counted",
      asked("within_last('999999999999 days')"),
      "CHRONOSKETCH_INVALID_WINDOW",
      "22023",
      "within_last was given '999999999999 days' as its interval, but it is out of range. An interval can have at most 106751991 days."
    ),
    Case(
      "more microseconds than can be counted",
      stored("sketch_window(s, '106751992 days')"),
      "CHRONOSKETCH_INVALID_WINDOW",
      "22023",
      "sketch_window was given '106751992 days' as its window, but it is out of range. An interval can have at most 106751991 days."
    ),
    Case(
      "a window of length 0",
      asked("among_last(0)"),
      "CHRONOSKETCH_INVALID_WINDOW",
      "22023",
      "among_last was given 0 as its n, but it must be above 0."
    ),
    Case(
      "a window into the future",
      stored("sketch_window(s, '-10 minutes')"),
      "CHRONOSKETCH_INVALID_WINDOW",
      "22023",
      "sketch_window was given '-10 minutes' as its window, but it must be above 0."
    ),
    Case(
      "a retention of length 0",
      s"SELECT window_sketch_agg(v, t, retention => '0 seconds') $on",
      "CHRONOSKETCH_INVALID_WINDOW",
      "22023",
      "window_sketch_agg was given '0 seconds' as its retention, but it must be above 0."
    ),
    Case(
      "an interval of whole numbers",
      s"SELECT approx_window_quantile(v, n, 0.5, '10 minutes') $on",
      "CHRONOSKETCH_WINDOW_UNITS",
      "42K09",
      "approx_window_quantile was asked for the last '10 minutes', but the times have the type BIGINT, which is not measured in that unit. Give a whole number in the units of these times, as in 600."
    ),
    Case(
      "a number of timestamps",
      asked("600"),
      "CHRONOSKETCH_WINDOW_UNITS",
      "42K09",
      "approx_window_quantile was asked for the last 600, but the times have the type TIMESTAMP, which is not measured in that unit. Give an interval, as in '10 minutes'."
    ),
    Case(
      "a number of timestamps, of a stored sketch",
      stored("sketch_window(s, 600)"),
      "CHRONOSKETCH_WINDOW_UNITS",
      "42K09",
      "sketch_window was asked for the last 600, but the times have the type TIMESTAMP, which is not measured in that unit. Give an interval, as in '10 minutes'."
    ),
    Case(
      "times that are text",
      "SELECT approx_window_quantile(1, t, 0.5, '10 minutes') FROM (SELECT '2026-01-01' AS t)",
      "CHRONOSKETCH_UNSUPPORTED_TIME",
      "42K09",
      "approx_window_quantile takes a TIMESTAMP, TIMESTAMP_NTZ, DATE or whole number as its event_time, but \"t\" has the type \"STRING\". If it holds times, use CAST(t AS TIMESTAMP)."
    ),
    Case(
      "times that are fractions",
      "SELECT window_sketch_agg(1, t) FROM (SELECT 1.5D AS t)",
      "CHRONOSKETCH_UNSUPPORTED_TIME",
      "42K09",
      "window_sketch_agg takes a TIMESTAMP, TIMESTAMP_NTZ, DATE or whole number as its event_time, but \"t\" has the type \"DOUBLE\". If it counts seconds, use timestamp_seconds(t). If it is any other number, use CAST(t AS BIGINT)."
    ),
    Case(
      "a condition on the rows of a stored sketch",
      stored("sketch_window(s, within_last('10 minutes') AND length(s) > 3)"),
      "CHRONOSKETCH_CONDITION_OF_ROWS",
      "42K0E",
      "sketch_window was given the condition (length(s) > 3), but a stored sketch has no rows to test. Build the sketch with a filter, window_sketch_agg(value, event_time, filters => map('name', (length(s) > 3))). Then write passing('name') here."
    ),
    Case(
      "a filter by name on rows",
      asked("passing('high') AND among_last(3)"),
      "CHRONOSKETCH_FILTER_OF_SKETCH",
      "42K0E",
      "approx_window_quantile was given passing('high'), which only works in sketch_window, for a filter of a stored sketch. Write the condition itself here, e.g. status >= 500."
    ),
    Case(
      "a filter that the sketch does not have",
      stored(
        "sketch_window(s, passing('high'))",
        "window_sketch_agg(v, t, filters => map('low', status < 3))"
      ),
      "CHRONOSKETCH_UNKNOWN_FILTER",
      "42704",
      "sketch_window was asked for passing('high'), but the sketch has no such filter. Its filters: low. Ask for one of them, or build the sketch again with this filter."
    ),
    Case(
      "a window longer than the retention",
      stored("sketch_window(s, '2 minutes')", "window_sketch_agg(v, t, retention => '1 minute')"),
      "CHRONOSKETCH_BEYOND_RETENTION",
      "22003",
      "sketch_window was asked for a window that ends at the newest row. The sketch has the retention '1 minute', so it may have forgotten rows of this window. Ask for a window within the retention, or build the sketch again with a longer retention."
    ),
    Case(
      "a window beyond the retention by as_of",
      stored(
        "sketch_window(s, 30, as_of => 20)",
        "window_sketch_agg(v, n, retention => 40)"
      ),
      "CHRONOSKETCH_BEYOND_RETENTION",
      "22003",
      "sketch_window was asked for a window that ends at 20. The sketch has the retention 40, so it may have forgotten rows of this window. Ask for a window within the retention, or build the sketch again with a longer retention."
    ),
    Case(
      "a date for times that are timestamps",
      stored("sketch_window(s, '2 minutes', as_of => DATE'2026-01-01')"),
      "CHRONOSKETCH_TIME_NOT_COMPARABLE",
      "42846",
      "sketch_window was given as_of = DATE '2026-01-01', but the times of the sketch have the type TIMESTAMP. Give a time of that type, e.g. TIMESTAMP '2026-01-01 00:00:00'."
    ),
    Case(
      "sketches of different times",
      s"SELECT sketch_merge(window_sketch_agg(v, t), window_sketch_agg(v, n)) $on",
      "CHRONOSKETCH_TIME_TYPES_DIFFER",
      "42846",
      "sketch_merge can't merge a sketch whose times have the type TIMESTAMP with one whose times have the type BIGINT, because a sketch doesn't convert the times that it has. No type of a sketch holds all of them as they are. Build both from values of one type, TIMESTAMP or BIGINT."
    ),
    Case(
      "sketches of different filters",
      s"SELECT sketch_merge(window_sketch_agg(v, t), window_sketch_agg(v, t, filters => map('low', status < 3))) $on",
      "CHRONOSKETCH_FILTERS_DIFFER",
      "42846",
      "sketch_merge can't merge a sketch with the filters none and a sketch with the filters low. Build both with the same filters, in the same order."
    ),
    Case(
      "sketches of different families",
      s"SELECT sketch_merge(window_sketch_agg(v, t), quantile_sketch_agg(v)) $on",
      "CHRONOSKETCH_FAMILIES_DIFFER",
      "42846",
      "sketch_merge can't merge sketches of the families window sketch and quantile sketch. Merge each family by itself, e.g. with GROUP BY sketch_describe(sketch).family."
    ),
    Case(
      "a window of a sketch without times",
      stored("sketch_window(s, '10 minutes')", "quantile_sketch_agg(v)"),
      "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "42846",
      "sketch_window does not work on the family quantile sketch. It works on these families: window sketch, window moments sketch, window sample."
    )
  )

  val sparks: Seq[Case] = Seq(
    Case(
      "a window that is a column",
      asked("CAST(v AS STRING)"),
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      mismatch(
        "approx_window_quantile(v, t, 0.5, CAST(v AS STRING))",
        "the input `window` should be a foldable \"INTERVAL, STRING OR BIGINT\" expression; however, got \"CAST(v AS STRING)\"."
      )
    ),
    Case(
      "a window that is NULL",
      stored("sketch_window(s, CAST(NULL AS STRING))"),
      "DATATYPE_MISMATCH.UNEXPECTED_NULL",
      "42K09",
      mismatch("sketch_window(s, CAST(NULL AS STRING))", "The `window` must not be null.")
    ),
    Case(
      "a window that is a fraction",
      asked("within_last(0.5)"),
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "within_last(0.5)",
        "The first parameter requires the \"INTERVAL, STRING OR BIGINT\" type, however \"0.5\" has the type \"DECIMAL(1,1)\"."
      )
    ),
    Case(
      "a number of rows as text",
      asked("among_last('3')"),
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "among_last(3)",
        "The first parameter requires the \"INTEGRAL\" type, however \"3\" has the type \"STRING\"."
      )
    ),
    Case(
      "a number of rows as a column",
      asked("among_last(status)"),
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      mismatch(
        "among_last(status)",
        "the input `n` should be a foldable \"INTEGRAL\" expression; however, got \"status\"."
      )
    ),
    Case(
      "as_of another type than the times",
      s"SELECT approx_window_quantile(v, t, 0.5, '1 minute', as_of => 3) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "approx_window_quantile(v, t, 0.5, 1 minute, as_of => 3)",
        "The 6th parameter requires the \"TIMESTAMP\" type, however \"3\" has the type \"INT\"."
      )
    ),
    Case(
      "as_of a column that is not a key of the groups",
      s"SELECT approx_window_quantile(v, t, 0.5, '1 minute', as_of => t) $on",
      "MISSING_GROUP_BY",
      "42803",
      ""
    ),
    Case(
      "phi above 1 of a window",
      s"SELECT approx_window_quantile(v, t, 99, '1 minute') $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_window_quantile(v, t, 99, 1 minute)",
        "The `phi` must be between [0.0, 1.0] (current value = 99; for 99 % write 0.99)."
      )
    ),
    Case(
      "epsilon of a window above a half",
      s"SELECT window_sketch_agg(v, t, 1) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "window_sketch_agg(v, t, 1)",
        "The `epsilon` must be between [0, 0.5] (current value = 1.0; epsilon = 1/accuracy, so 10000 is 0.0001)."
      )
    )
  )
}
