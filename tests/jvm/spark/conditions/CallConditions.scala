package chronosketch.spark.conditions

import chronosketch.spark.conditions.Case.mismatch
import chronosketch.spark.conditions.SomeSketch._

/** Spark's own conditions for calls with invalid arguments. */
private[conditions] object CallConditions {
  def all: Seq[Case] = Seq(
    Case(
      "phi above 1",
      s"SELECT approx_quantile(id, 99) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_quantile(id, 99)",
        "The `phi` must be between [0.0, 1.0] (current value = 99; for 99 % write 0.99)."
      )
    ),
    Case(
      "phi NaN",
      s"SELECT approx_quantile(id, double('NaN')) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      ""
    ),
    Case(
      "phi above 1 in its twentieth digit",
      s"SELECT approx_quantile(id, 1.00000000000000000001BD) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_quantile(id, 1.00000000000000000001)",
        "The `phi` must be between [0.0, 1.0] (current value = 1.00000000000000000001)."
      )
    ),
    Case(
      "phi below 0 in an array",
      s"SELECT approx_quantile_bounds(id, array(0.5, -0.1)) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_quantile_bounds(id, array(0.5, -0.1))",
        "The `phi` must be between [0.0, 1.0] (current value = -0.1)."
      )
    ),
    Case(
      "a constant phi above 1 of a query function",
      asked("sketch_quantile(s, array(NULL, 2))"),
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "sketch_quantile(s, array(NULL, 2))",
        "The `phi` must be between [0.0, 1.0] (current value = 2; for 2 % write 0.02)."
      )
    ),
    Case(
      "phi a column",
      s"SELECT approx_quantile(id, id / 100) $on",
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      mismatch(
        "approx_quantile(id, (id / 100))",
        "the input `phi` should be a foldable \"DOUBLE OR ARRAY<DOUBLE>\" expression; however, got \"(id / 100)\"."
      )
    ),
    Case(
      "phi NULL",
      s"SELECT approx_quantile(id, NULL) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_NULL",
      "42K09",
      mismatch("approx_quantile(id, NULL)", "The `phi` must not be null.")
    ),
    Case(
      "phi NULL in an array",
      s"SELECT approx_quantile(id, array(0.5, NULL)) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_NULL",
      "42K09",
      mismatch("approx_quantile(id, array(0.5, NULL))", "The `phi` must not be null.")
    ),
    Case(
      "phi text",
      s"SELECT approx_quantile(id, 'p99') $on",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "approx_quantile(id, p99)",
        "The second parameter requires the \"NUMERIC OR ARRAY<NUMERIC>\" type, however \"p99\" has the type \"STRING\"."
      )
    ),
    Case(
      "epsilon above a half",
      s"SELECT approx_quantile(id, 0.5, epsilon => 0.51) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_quantile(id, 0.5, 0.51)",
        "The `epsilon` must be between [0, 0.5] (current value = 0.51; epsilon = 1/accuracy, so 10000 is 0.0001)."
      )
    ),
    Case(
      "epsilon below 0",
      s"SELECT quantile_sketch_agg(id, -1) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "quantile_sketch_agg(id, -1)",
        "The `epsilon` must be between [0, 0.5] (current value = -1.0)."
      )
    ),
    Case(
      "epsilon a column",
      s"SELECT quantile_sketch_agg(id, id) $on",
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      mismatch(
        "quantile_sketch_agg(id, id)",
        "the input `epsilon` should be a foldable \"DOUBLE\" expression; however, got \"id\"."
      )
    ),
    Case(
      "epsilon NULL",
      s"SELECT quantile_sketch_agg(id, NULL) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_NULL",
      "42K09",
      mismatch("quantile_sketch_agg(id, NULL)", "The `epsilon` must not be null.")
    ),
    Case(
      "epsilon text",
      s"SELECT approx_quantile(id, 0.5, '0.1') $on",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "approx_quantile(id, 0.5, 0.1)",
        "The third parameter requires the \"NUMERIC\" type, however \"0.1\" has the type \"STRING\"."
      )
    ),
    Case(
      "a constant frequency below 0",
      s"SELECT approx_quantile(id, 0.5, frequency => -3) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_quantile(id, 0.5, frequency => -3)",
        "The `frequency` must be between [0, 9223372036854775807] (current value = -3)."
      )
    ),
    Case(
      "a sketch that is text",
      "SELECT sketch_count('s')",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "sketch_count(s)",
        "The first parameter requires the \"BINARY\" type, however \"s\" has the type \"STRING\"."
      )
    ),
    Case(
      "a sketch that is a number, merged",
      "SELECT sketch_merge_agg(id) FROM range(3)",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "sketch_merge_agg(id)",
        "The first parameter requires the \"BINARY\" type, however \"id\" has the type \"BIGINT\"."
      )
    ),
    Case(
      "a number as the second of two sketches",
      "SELECT sketch_merge(X'', 1)",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "sketch_merge(X'', 1)",
        "The second parameter requires the \"BINARY\" type, however \"1\" has the type \"INT\"."
      )
    ),
    Case(
      "type a column",
      "SELECT sketch_quantile(X'', 0.5, t) FROM VALUES ('int') AS v(t)",
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      mismatch(
        "sketch_quantile(X'', 0.5, t)",
        "the input `type` should be a foldable \"STRING\" expression; however, got \"t\"."
      )
    ),
    Case(
      "type NULL",
      "SELECT sketch_min(X'', NULL)",
      "DATATYPE_MISMATCH.UNEXPECTED_NULL",
      "42K09",
      mismatch("sketch_min(X'', NULL)", "The `type` must not be null.")
    ),
    Case(
      "type a number",
      "SELECT sketch_min(X'', 8)",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "sketch_min(X'', 8)",
        "The second parameter requires the \"STRING\" type, however \"8\" has the type \"INT\"."
      )
    )
  )
}
