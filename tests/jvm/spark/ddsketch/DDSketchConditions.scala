package chronosketch.spark.ddsketch

import chronosketch.spark.conditions.Case
import chronosketch.spark.conditions.Case.mismatch

/** The messages for invalid ddsketches, and for invalid queries of them. */
object DDSketchConditions {
  private val on = "FROM range(1, 101)"

  private def relative(sql: String, dataType: String): String =
    s"ddsketch_agg promises an error relative to the value, but $sql has the type $dataType, and a share of such a value means nothing. Give it a number. Or use quantile_sketch_agg, whose error is in ranks."

  val ours: Seq[Case] = Seq(
    Case(
      "a relative error of a moment",
      s"SELECT ddsketch_agg(TIMESTAMP'2026-01-01 00:00:00') $on",
      "CHRONOSKETCH_NO_RELATIVE_ERROR",
      "42K09",
      relative("\"TIMESTAMP '2026-01-01 00:00:00'\"", "\"TIMESTAMP\"")
    ),
    Case(
      "a relative error of days",
      s"SELECT ddsketch_agg(date_add(DATE'2026-01-01', CAST(id AS INT))) $on",
      "CHRONOSKETCH_NO_RELATIVE_ERROR",
      "42K09",
      relative("\"date_add(DATE '2026-01-01', CAST(id AS INT))\"", "\"DATE\"")
    ),
    Case(
      "a relative error of intervals",
      s"SELECT ddsketch_agg(INTERVAL '1' DAY) OVER (ORDER BY id) $on",
      "CHRONOSKETCH_NO_RELATIVE_ERROR",
      "42K09",
      relative("\"INTERVAL '1' DAY\"", "\"INTERVAL DAY\"")
    ),
    Case(
      "a relative error of text",
      "SELECT ddsketch_agg(t) FROM (SELECT 'a' AS t)",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "ddsketch_agg takes a number as its value, but \"t\" has the type \"STRING\". If it holds numbers, use CAST(t AS DOUBLE)."
    ),
    Case(
      "sketches of two alphas",
      s"SELECT sketch_merge(ddsketch_agg(id), ddsketch_agg(id, 0.001)) $on",
      "CHRONOSKETCH_ALPHAS_DIFFER",
      "22023",
      "sketch_merge can't merge a ddsketch of alpha 0.01 with one of alpha 0.001, because their bins differ. Build both with the same alpha, e.g. ddsketch_agg(value, alpha => 0.01)."
    ),
    Case(
      "columns of sketches of two alphas",
      s"SELECT sketch_merge_agg(s) FROM (SELECT ddsketch_agg(id, 0.02) AS s $on UNION ALL SELECT ddsketch_agg(id, 0.1) $on)",
      "CHRONOSKETCH_ALPHAS_DIFFER",
      "22023",
      ""
    ),
    Case(
      "the rank error of a ddsketch",
      s"SELECT sketch_rank_error(ddsketch_agg(id)) $on",
      "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "42846",
      "sketch_rank_error does not work on the family ddsketch. It works on these families: quantile sketch, window sketch, window, version, reservoir sample, priority sample, bernoulli sample, window sample, sampled window, imported sketch."
    ),
    Case(
      "a window of a ddsketch",
      s"SELECT sketch_window(ddsketch_agg(id), 5) $on",
      "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "42846",
      "sketch_window does not work on the family ddsketch. It works on these families: window sketch, window moments sketch, window sample."
    ),
    Case(
      "a ddsketch and another family",
      s"SELECT sketch_merge(ddsketch_agg(id), quantile_sketch_agg(id)) $on",
      "CHRONOSKETCH_FAMILIES_DIFFER",
      "42846",
      ""
    )
  )

  val sparks: Seq[Case] = Seq(
    Case(
      "an alpha of 0",
      s"SELECT ddsketch_agg(id, 0) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "ddsketch_agg(id, 0)",
        "The `alpha` must be between [0.0001, 0.5] (current value = 0.0)."
      )
    ),
    Case(
      "an alpha that is a column",
      s"SELECT ddsketch_agg(id, alpha => id / 1000) $on",
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      ""
    ),
    Case(
      "an alpha as text",
      s"SELECT ddsketch_agg(id, 'one percent') $on",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      ""
    )
  )
}
