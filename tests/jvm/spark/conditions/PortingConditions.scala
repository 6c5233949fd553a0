package chronosketch.spark.conditions

import chronosketch.spark.conditions.Case.mismatch

/** The messages for queries that are ported from `percentile_approx` or `percentile_cont`. */
object PortingConditions {
  private val on = "FROM range(1, 101)"

  private def within(function: String, order: String, reason: String, call: String): String =
    s"$function can't use WITHIN GROUP (ORDER BY $order), because $reason. Write $call."

  val ours: Seq[Case] = Seq(
    Case(
      "a value, and another expression in ORDER BY",
      s"SELECT approx_quantile(id, 0.9) WITHIN GROUP (ORDER BY id % 7) $on",
      "CHRONOSKETCH_WITHIN_GROUP",
      "42K0K",
      within(
        "approx_quantile",
        "(id % CAST(7 AS BIGINT)) ASC NULLS FIRST",
        "it already has its values as an argument",
        "approx_quantile(0.9) WITHIN GROUP (ORDER BY (id % CAST(7 AS BIGINT)))"
      )
    ),
    Case(
      "epsilon by position",
      s"SELECT approx_quantile_bounds(0.9, 0.001) WITHIN GROUP (ORDER BY id) $on",
      "CHRONOSKETCH_WITHIN_GROUP",
      "42K0K",
      within(
        "approx_quantile_bounds",
        "id ASC NULLS FIRST",
        "it already has its values as an argument",
        "approx_quantile_bounds(0.9, epsilon => 0.001) WITHIN GROUP (ORDER BY id)"
      )
    ),
    Case(
      "two values",
      s"SELECT approx_quantile(0.9) WITHIN GROUP (ORDER BY id, id % 7) $on",
      "CHRONOSKETCH_WITHIN_GROUP",
      "42K0K",
      within(
        "approx_quantile",
        "id ASC NULLS FIRST, (id % CAST(7 AS BIGINT)) ASC NULLS FIRST",
        "it takes one expression, not 2",
        "approx_quantile(0.9) WITHIN GROUP (ORDER BY id)"
      )
    ),
    Case(
      "a sketch",
      s"SELECT quantile_sketch_agg(0.001) WITHIN GROUP (ORDER BY id) $on",
      "CHRONOSKETCH_WITHIN_GROUP",
      "42K0K",
      within(
        "quantile_sketch_agg",
        "id ASC NULLS FIRST",
        "it takes its values as an argument",
        "quantile_sketch_agg(id, epsilon => 0.001)"
      )
    )
  )

  private def unknown(function: String, proposal: String): String =
    s"Cannot invoke routine `$function` because the routine call included a named argument reference for the argument named `accuracy`, " +
      s"but this routine does not include any signature containing an argument with this name. Did you mean one of the following? [$proposal]."

  val sparks: Seq[Case] = Seq(
    Case(
      "an accuracy at the position of epsilon",
      s"SELECT approx_quantile(id, 0.9, 5000) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_quantile(id, 0.9, 5000)",
        "The `epsilon` must be between [0, 0.5] (current value = 5000.0; epsilon = 1/accuracy, so 5000 is 0.0002)."
      )
    ),
    Case(
      "an accuracy of a window",
      s"SELECT approx_window_quantile(id, id, 0.9, 10, 30) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_window_quantile(id, id, 0.9, 10, 30)",
        "The `epsilon` must be between [0, 0.5] (current value = 30.0; epsilon = 1/accuracy, so 30 is 0.0333)."
      )
    ),
    Case(
      "an infinite accuracy at the position of epsilon",
      s"SELECT quantile_sketch_agg(id, double('Infinity')) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      ""
    ),
    Case(
      "accuracy by name",
      s"SELECT approx_quantile(id, 0.9, accuracy => 2000) $on",
      "UNRECOGNIZED_PARAMETER_NAME",
      "4274K",
      unknown("approx_quantile", "`epsilon`; epsilon = 1/accuracy, so 2000 is 0.0005")
    ),
    Case(
      "an accuracy by name that is not a number",
      s"SELECT chronosketch_window_sketch_agg(id, id, Accuracy => 'high') $on",
      "UNRECOGNIZED_PARAMETER_NAME",
      "4274K",
      unknown(
        "chronosketch_window_sketch_agg",
        "`epsilon`; epsilon = 1/accuracy, so 10000 is 0.0001"
      ).replace("`accuracy`", "`Accuracy`")
    ),
    Case(
      "an accuracy by name, for a function without epsilon",
      s"SELECT ddsketch_agg(id, accuracy => 2000) $on",
      "UNRECOGNIZED_PARAMETER_NAME",
      "4274K",
      ""
    ),
    Case(
      "only a phi",
      s"SELECT approx_quantile(0.9) $on",
      "INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING",
      "42K0K",
      ""
    )
  )
}
