package chronosketch.spark.sample

import chronosketch.spark.conditions.Case

/** The messages for invalid samples, and for invalid queries of them. */
object SampleConditions {
  private val on = "FROM range(1, 101)"

  val ours: Seq[Case] = Seq(
    Case(
      "an unknown method",
      s"SELECT sample_sketch_agg(id, 10, 'systematic') $on",
      "CHRONOSKETCH_UNKNOWN_CHOICE",
      "22023",
      "sample_sketch_agg was given 'systematic' as its method. It must be one of: 'reservoir', 'priority', 'bernoulli'."
    ),
    Case(
      "a reservoir with row ids",
      s"SELECT sample_sketch_agg(id, 10, 'reservoir', id => id) $on",
      "CHRONOSKETCH_SAMPLE_TAKES_NO_ID",
      "22023",
      "sample_sketch_agg was given an id, but the method reservoir does not use one. Leave the method out, or write method => 'priority'."
    ),
    Case(
      "an id that is text",
      s"SELECT sample_sketch_agg(id, 10, id => t) FROM (SELECT id, 'a' AS t $on)",
      "CHRONOSKETCH_ID_NO_WHOLE_NUMBER",
      "42K09",
      "sample_sketch_agg takes a whole number as its id, but t has the type STRING. Hash it: id => xxhash64(t)."
    ),
    Case(
      "a size and an epsilon",
      s"SELECT sample_sketch_agg(id, 10, epsilon => 0.1) $on",
      "CHRONOSKETCH_SIZE_AND_EPSILON",
      "22023",
      "sample_sketch_agg was given both size => 10 and epsilon => 0.1BD. Each of them decides how many rows the sample keeps. Give only one of them."
    ),
    Case(
      "an epsilon that is too small for a sample",
      s"SELECT sample_sketch_agg(id, epsilon => 0.0001) $on",
      "CHRONOSKETCH_SAMPLE_TOO_LARGE",
      "54000",
      "sample_sketch_agg was given epsilon => 1.0E-4 and delta => 1.0E-4. They need a sample of 1842068074 rows, but a sample can have at most 16777216. Choose a larger epsilon. Or use quantile_sketch_agg, whose sketches grow only with 1 / epsilon."
    ),
    Case(
      "samples of two methods",
      s"SELECT sketch_merge(sample_sketch_agg(id), sample_sketch_agg(id, id => id)) $on",
      "CHRONOSKETCH_FAMILIES_DIFFER",
      "42846",
      ""
    ),
    Case(
      "the sample of a quantile sketch",
      s"SELECT sketch_sample(quantile_sketch_agg(id)) $on",
      "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "42846",
      "sketch_sample does not work on the family quantile sketch. It works on these families: reservoir sample, priority sample, bernoulli sample, window sample, sampled window."
    )
  )

  val windows: Seq[Case] = Seq(
    Case(
      "the last rows of a sample",
      s"SELECT sketch_window(window_sample_agg(id, id), within_last(5) OR among_last(3)) $on",
      "CHRONOSKETCH_SAMPLE_OF_LAST_ROWS",
      "42K0E",
      "sketch_window was given a window with among_last, but a sketch of window_sample_agg does not know how many rows came after each row. Use within_last, or build the sketch with window_sketch_agg."
    ),
    Case(
      "a filter of a sample",
      s"SELECT sketch_window(window_sample_agg(id, id), passing('high')) $on",
      "CHRONOSKETCH_UNKNOWN_FILTER",
      "42704",
      ""
    ),
    Case(
      "a window beyond a sample's retention",
      s"SELECT sketch_window(window_sample_agg(id, timestamp_seconds(id), retention => '10 seconds'), '11 seconds') $on",
      "CHRONOSKETCH_BEYOND_RETENTION",
      "22003",
      ""
    ),
    Case(
      "a sample of windows whose id is text",
      s"SELECT window_sample_agg(id, id, id => t) FROM (SELECT id, 'a' AS t $on)",
      "CHRONOSKETCH_ID_NO_WHOLE_NUMBER",
      "42K09",
      "window_sample_agg takes a whole number as its id, but t has the type STRING. Hash it: id => xxhash64(t)."
    ),
    Case(
      "a sample of windows by a time that is text",
      s"SELECT window_sample_agg(id, 'now') $on",
      "CHRONOSKETCH_UNSUPPORTED_TIME",
      "42K09",
      ""
    ),
    Case(
      "a sample and a sample of windows",
      s"SELECT sketch_merge(sample_sketch_agg(id), window_sample_agg(id, id)) $on",
      "CHRONOSKETCH_FAMILIES_DIFFER",
      "42846",
      ""
    ),
    Case(
      "samples of windows by times of two types",
      s"SELECT sketch_merge(window_sample_agg(id, id), window_sample_agg(id, timestamp_seconds(id))) $on",
      "CHRONOSKETCH_TIME_TYPES_DIFFER",
      "42846",
      ""
    )
  )

  val sparks: Seq[Case] = Seq(
    Case(
      "a sample of windows with size 0",
      s"SELECT window_sample_agg(id, id, 0) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      ""
    ),
    Case(
      "a seed from a column",
      s"SELECT window_sample_agg(id, id, seed => id) $on",
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      ""
    ),
    Case(
      "half a row",
      s"SELECT sample_sketch_agg(id, 10.5) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      ""
    ),
    Case(
      "no rows",
      s"SELECT sample_sketch_agg(id, 0) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      ""
    ),
    Case(
      "a size from a column",
      s"SELECT sample_sketch_agg(id, id) $on",
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      ""
    ),
    Case(
      "a method that is a number",
      s"SELECT sample_sketch_agg(id, 10, 5) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      ""
    ),
    Case(
      "a probability of 1",
      s"SELECT sample_sketch_agg(id, delta => 1) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      ""
    )
  )
}
