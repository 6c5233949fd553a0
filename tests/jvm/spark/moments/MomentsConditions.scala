package chronosketch.spark.moments

import chronosketch.spark.conditions.Case

/** The messages for invalid sketches of moments, and for invalid queries of them. */
object MomentsConditions {
  private val on = "FROM range(1, 101)"

  val ours: Seq[Case] = Seq(
    Case(
      "the moments of times",
      s"SELECT moments_agg(timestamp_seconds(id)) $on",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "moments_agg takes a number as its value, but \"timestamp_seconds(id)\" has the type \"TIMESTAMP\". Turn it into a number, e.g. unix_micros(timestamp_seconds(id))."
    ),
    Case(
      "the moments of text",
      "SELECT moments_agg(t) OVER () FROM (SELECT 'a' AS t)",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "moments_agg takes a number as its value, but \"t\" has the type \"STRING\". If it holds numbers, use CAST(t AS DOUBLE)."
    ),
    Case(
      "pairs with a date",
      s"SELECT comoments_agg(id, date_add(DATE'2026-01-01', CAST(id AS INT))) $on",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "comoments_agg takes a number as its x, but \"date_add(DATE '2026-01-01', CAST(id AS INT))\" has the type \"DATE\". Turn it into a number, e.g. unix_date(date_add(DATE '2026-01-01', CAST(id AS INT)))."
    ),
    Case(
      "a quantile of moments",
      s"SELECT sketch_quantile(moments_agg(id), 0.5) $on",
      "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "42846",
      ""
    ),
    Case(
      "the mean of a quantile sketch",
      s"SELECT sketch_mean(quantile_sketch_agg(id)) $on",
      "CHRONOSKETCH_NO_SUMS",
      "42846",
      "sketch_mean needs the sums of the values, which the family quantile sketch does not keep. Build the sketch with them: quantile_sketch_agg(value, epsilon => 0.001, sum => true)."
    ),
    Case(
      "the mean of pairs",
      s"SELECT sketch_mean(comoments_agg(id, id)) $on",
      "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "42846",
      "sketch_mean does not work on the family comoments sketch. It works on these families: moments sketch, window moments sketch, window of moments, quantile sketch with sum => true."
    ),
    Case(
      "the skewness of a window",
      s"SELECT sketch_skewness(sketch_window(window_moments_agg(id, id), 10)) $on",
      "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "42846",
      "sketch_skewness does not work on the family window of moments. It works on these families: moments sketch, quantile sketch with sum => true."
    ),
    Case(
      "the moments of windows of times",
      s"SELECT window_moments_agg(timestamp_seconds(id), id) $on",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "window_moments_agg takes a number as its value, but \"timestamp_seconds(id)\" has the type \"TIMESTAMP\". Turn it into a number, e.g. unix_micros(timestamp_seconds(id))."
    ),
    Case(
      "the correlation of one column",
      s"SELECT sketch_corr(moments_agg(id)) $on",
      "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "42846",
      ""
    ),
    Case(
      "moments and another family",
      s"SELECT sketch_merge(moments_agg(id), ddsketch_agg(id)) $on",
      "CHRONOSKETCH_FAMILIES_DIFFER",
      "42846",
      ""
    )
  )

  val sparks: Seq[Case] = Seq(
    Case(
      "a population that is a column",
      s"SELECT sketch_variance(s, id > 1) FROM (SELECT id, moments_agg(id) AS s $on GROUP BY id)",
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      ""
    ),
    Case(
      "population as text",
      s"SELECT sketch_stddev(moments_agg(id), 'sample') $on",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      ""
    ),
    Case(
      "population is NULL",
      s"SELECT sketch_covar(comoments_agg(id, id), NULL) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_NULL",
      "42K09",
      ""
    )
  )
}
