package chronosketch.spark.interchange

import chronosketch.spark.conditions.Case
import chronosketch.spark.conditions.Case.mismatch

/** The messages for bytes and histograms of other libraries that can't be read. */
private[spark] object ImportConditions {
  private def histogram(what: String, call: String, reason: String): Case = Case(
    what,
    s"SELECT $call",
    "CHRONOSKETCH_INVALID_HISTOGRAM",
    "22023",
    s"${call.takeWhile(_ != '(')} was given a histogram that is not valid: $reason."
  )

  val ours: Seq[Case] = Seq(
    histogram(
      "bounds out of order",
      "sketch_from_histogram(array(10, 5.5), array(1, 2, 3))",
      "bound 2 is 5.5 after 10.0, but bounds must increase. Sort them, and the counts with them"
    ),
    histogram(
      "dates out of order",
      "sketch_from_histogram(array(DATE'2026-01-02', DATE'2026-01-02'), array(1, 2, 3))",
      "bound 2 is 2026-01-02 after 2026-01-02, but bounds must increase. Sort them, and the counts with them"
    ),
    histogram(
      "a bound that is no number",
      "sketch_from_histogram(array(1, double('NaN')), array(1, 2, 3))",
      "bound 2 is NaN. Leave it out"
    ),
    histogram(
      "a bound that is NULL",
      "sketch_from_histogram(array(1, NULL), array(1, 2, 3))",
      "bound 2 is NULL. Leave it out, and its count with it"
    ),
    histogram(
      "a count that is NULL",
      "sketch_from_histogram(array(1, 2), array(1, NULL, 3))",
      "count 2 is NULL. A bucket without values counts 0"
    ),
    histogram(
      "a count too few",
      "sketch_from_histogram(array(1, 2), array(1, 2))",
      "it has 2 counts and 2 bounds. Give one count more than bounds, for the values above the last bound. Or give equally many, if the last bound is +Infinity"
    ),
    histogram(
      "a count below 0",
      "sketch_from_histogram(array(1, 2), array(1, -2, 0))",
      "bucket 2 counts -2 values. Counts must be 0 or more"
    ),
    histogram(
      "a count of half a value",
      "sketch_from_histogram(array(1, 2), array(1, 2.5, 0))",
      "count 2 is 2.5, but must be a whole number of at most 63 bits. If it was scaled, round it first"
    ),
    histogram(
      "a count that is infinite",
      "sketch_from_histogram(array(1), array(1, double('Infinity')))",
      "count 2 is Infinity, but must be a whole number of at most 63 bits. If it was scaled, round it first"
    ),
    histogram(
      "cumulative counts that fall",
      "sketch_from_histogram(array(1, 2), array(1, 3, 2), cumulative => true)",
      "count 3 is 2 after 3, but cumulative counts must not decrease. Leave cumulative out if each bucket has its own count"
    ),
    histogram(
      "a minimum above a bucket that has values",
      "sketch_from_histogram(array(1, 2), array(1, 3, 2), minimum => 1.5)",
      "bucket 1 counts 1 values, but no value can lie in it. Values are from 1.5 to Infinity. Check minimum and maximum, and which bucket the first count belongs to"
    ),
    histogram(
      "a minimum above the maximum",
      "sketch_from_histogram(array(1, 2), array(1, 3, 2), minimum => 9, maximum => 8)",
      "minimum 9.0 is above maximum 8.0. Check the order of the arguments"
    ),
    histogram(
      "a scale of another kind",
      "sketch_from_exponential_histogram(30, 0, 0, array(1), 0, array())",
      "its scale is 30. It must be from -10 to 20"
    ),
    histogram(
      "a bucket that no number is in",
      "sketch_from_exponential_histogram(2, 0, 5000, array(1), 0, array())",
      "positive bucket 1, of index 5000, counts 1 values, but at scale 2 no DOUBLE lies in it. Check the scale and the offset"
    ),
    histogram(
      "a threshold below 0",
      "sketch_from_exponential_histogram(2, 0, 50, array(1), 0, array(), -0.5)",
      "its zero_threshold is -0.5. It must be a finite number, 0 or more"
    ),
    Case(
      "bytes that are not a DDSketch",
      "SELECT sketch_from_ddsketch(X'CAFE')",
      "CHRONOSKETCH_NOT_IMPORTABLE",
      "22000",
      ""
    ),
    Case(
      "no bytes of a DDSketch",
      "SELECT sketch_from_ddsketch(X'')",
      "CHRONOSKETCH_NOT_IMPORTABLE",
      "22000",
      ""
    ),
    Case(
      "a ddsketch with NaN, exported to another library",
      "SELECT sketch_to_ddsketch(ddsketch_agg(double('NaN'))) FROM range(3)",
      "CHRONOSKETCH_NOT_EXPORTABLE",
      "22000",
      "sketch_to_ddsketch can't write 3 values that are NaN or infinite into a DDSketch of Datadog, because the format can't hold them. Leave them out before ddsketch_agg. Cast decimals to DOUBLE."
    ),
    Case(
      "a sketch of decimals, exported as KLL",
      "SELECT sketch_to_kll(quantile_sketch_agg(1.50))",
      "CHRONOSKETCH_NOT_EXPORTABLE",
      "22000",
      "sketch_to_kll can't write values of type DECIMAL(3,2) into a KLL sketch of Apache DataSketches, because the format can't hold them. It has items of DOUBLE, FLOAT or BIGINT. Build the sketch of CAST(value AS DOUBLE)."
    ),
    Case(
      "a sketch of dates, exported as KLL",
      "SELECT sketch_to_kll(quantile_sketch_agg(DATE'2026-01-01'))",
      "CHRONOSKETCH_NOT_EXPORTABLE",
      "22000",
      "sketch_to_kll can't write values of type DATE into a KLL sketch of Apache DataSketches, because the format can't hold them. It has items of DOUBLE, FLOAT or BIGINT. Build the sketch of unix_date(value)."
    ),
    Case(
      "a sketch with NaN, exported as KLL",
      "SELECT sketch_to_kll(quantile_sketch_agg(double('NaN')))",
      "CHRONOSKETCH_NOT_EXPORTABLE",
      "22000",
      "sketch_to_kll can't write values that are NaN into a KLL sketch of Apache DataSketches, because the format can't hold them. Leave them out before the sketch is built: FILTER (WHERE NOT isnan(value))."
    ),
    Case(
      "an unknown library",
      "SELECT sketch_to_ddsketch(X'CA', 'rust')",
      "CHRONOSKETCH_UNKNOWN_CHOICE",
      "22023",
      "sketch_to_ddsketch was given 'rust' as its library. It must be one of: 'java', 'python'."
    ),
    Case(
      "bytes that are not a KLL sketch",
      "SELECT sketch_from_kll(X'CAFECAFECAFECAFE', 'double')",
      "CHRONOSKETCH_NOT_IMPORTABLE",
      "22000",
      "sketch_from_kll can't read these 8 bytes as a KLL sketch of Apache DataSketches: they are marked as family 202, and KLL is 15."
    ),
    Case(
      "a KLL sketch with items of another width",
      "SELECT sketch_from_kll(s, 'float') FROM (SELECT kll_sketch_agg_bigint(id) AS s FROM range(9))",
      "CHRONOSKETCH_NOT_IMPORTABLE",
      "22000",
      ""
    ),
    Case(
      "a KLL sketch with an unknown item type",
      "SELECT sketch_from_kll(X'CA', 'date')",
      "CHRONOSKETCH_NO_KLL_TYPE",
      "42K09",
      "sketch_from_kll was told that the items have the type date. It reads KLL sketches of 'double', 'float' or 'bigint'. Name the type that the sketch was built from. Build one of INT as a sketch of BIGINT."
    )
  )

  val sparks: Seq[Case] = Seq(
    Case(
      "strings as bounds",
      "SELECT sketch_from_histogram(array('a'), array(1, 2))",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      ""
    ),
    Case(
      "a date as the minimum of numbers",
      "SELECT sketch_from_histogram(array(1), array(1, 2), minimum => DATE'2026-01-01')",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "sketch_from_histogram(array(1), array(1, 2), minimum => DATE '2026-01-01')",
        "The 4th parameter requires the \"NUMERIC\" type, however \"DATE '2026-01-01'\" has the type \"DATE\"."
      )
    ),
    Case(
      "a number as the maximum of dates",
      "SELECT sketch_from_histogram(array(DATE'2026-01-01'), array(1, 2), maximum => 7)",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "sketch_from_histogram(array(DATE '2026-01-01'), array(1, 2), maximum => 7)",
        "The 5th parameter requires the \"DATE\" type, however \"7\" has the type \"INT\"."
      )
    ),
    Case(
      "strings as counts",
      "SELECT sketch_from_exponential_histogram(0, 0, 0, array('a'), 0, array())",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      ""
    )
  )
}
