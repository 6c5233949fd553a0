package chronosketch.spark.conditions

import chronosketch.spark.conditions.SomeSketch._

/** Our conditions for sketches and for calls that query them. */
private[conditions] object SketchConditions {
  private val version = chronosketch.Version.value

  def all: Seq[Case] = Seq(
    Case(
      "an array of points out of order",
      asked("sketch_cdf(s, array(1, 3, 3))"),
      "CHRONOSKETCH_INVALID_POINTS",
      "22023",
      "sketch_cdf needs points that strictly increase, without NULL, but point 3 is 3 after 3. Sort them and remove duplicates: array_sort(array_distinct(array_compact(points)))."
    ),
    Case(
      "dates out of order",
      asked("sketch_pmf(s, array(DATE'2013-01-02', DATE'2013-01-01'))"),
      "CHRONOSKETCH_INVALID_POINTS",
      "22023",
      "sketch_pmf needs points that strictly increase, without NULL, but point 2 is 2013-01-01 after 2013-01-02. Sort them and remove duplicates: array_sort(array_distinct(array_compact(points)))."
    ),
    Case(
      "a NULL point in a column",
      asked("sketch_pmf(s, array(low, CAST(NULL AS BIGINT)))"),
      "CHRONOSKETCH_INVALID_POINTS",
      "22023",
      "sketch_pmf needs points that strictly increase, without NULL, but point 2 is NULL after 1. Sort them and remove duplicates: array_sort(array_distinct(array_compact(points)))."
    ),
    Case(
      "a type that has no order",
      asked("sketch_quantile(s, 0.5, 'string')"),
      "CHRONOSKETCH_INVALID_TYPE_NAME",
      "42704",
      "sketch_quantile was asked for its answer as \"string\", but a sketch can't hold that type. Name a numeric type, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL type, spelt as in CAST."
    ),
    Case(
      "an unknown name of a moment",
      "SELECT sketch_moment_bounds(moments_agg(id), 'median') FROM range(3)",
      "CHRONOSKETCH_UNKNOWN_MOMENT",
      "22023",
      "sketch_moment_bounds was asked for the moment 'median', which it does not know. Ask for one of: count, sum, mean, variance, variance_pop, stddev, stddev_pop."
    ),
    Case(
      "an unknown type",
      asked("sketch_min(s, 'whole number')"),
      "CHRONOSKETCH_INVALID_TYPE_NAME",
      "42704",
      "sketch_min was asked for its answer as \"whole number\", but a sketch can't hold that type. Name a numeric type, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL type, spelt as in CAST."
    ),
    Case(
      "the type of NULL",
      asked("sketch_max(s, 'void')"),
      "CHRONOSKETCH_INVALID_TYPE_NAME",
      "42704",
      "sketch_max was asked for its answer as \"void\", but a sketch can't hold that type. Name a numeric type, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL type, spelt as in CAST."
    ),
    Case(
      "a phi in a column",
      asked("sketch_quantile(s, low + 0.5)"),
      "CHRONOSKETCH_INVALID_PHI",
      "22003",
      "sketch_quantile was asked for phi = 1.5, but phi must be between 0 and 1. It is a share of the elements: write 0.99 for the 99th percentile."
    ),
    Case(
      "a phi in an array in a column",
      asked("sketch_quantile_bounds(s, array(0.5D, -low, double('NaN')))"),
      "CHRONOSKETCH_INVALID_PHI",
      "22003",
      "sketch_quantile_bounds was asked for phi = -1.0, but phi must be between 0 and 1. It is a share of the elements: write 0.99 for the 99th percentile."
    ),
    Case(
      "a frequency below 0",
      s"SELECT approx_quantile(id, 0.5, frequency => IF(id = 6, -1, 1)) $on",
      "CHRONOSKETCH_INVALID_FREQUENCY",
      "22003",
      "approx_quantile was given the frequency -1. A frequency says how many copies of a value there are, so it must be 0 or more. Leave such rows out, e.g. with FILTER (WHERE (IF((id = CAST(6 AS BIGINT)), -1, 1)) >= 0)."
    ),
    Case(
      "a frequency below 0 over a window",
      s"SELECT approx_quantile(id, 0.5, frequency => id - 5) OVER (ORDER BY id) $on",
      "CHRONOSKETCH_INVALID_FREQUENCY",
      "22003",
      "approx_quantile was given the frequency -4. A frequency says how many copies of a value there are, so it must be 0 or more. Leave such rows out, e.g. with FILTER (WHERE (id - CAST(5 AS BIGINT)) >= 0)."
    ),
    Case(
      "more than 2⁶³ − 1 elements",
      "SELECT quantile_sketch_agg(v, frequency => n) FROM VALUES (1, 9223372036854775807L), (2, 1L) AS t(v, n)",
      "CHRONOSKETCH_COUNT_OVERFLOW",
      "22003",
      "quantile_sketch_agg counted more than 9223372036854775807 elements, and a sketch can't count further. Check the column of frequencies for values that are not counts."
    ),
    Case(
      "two sketches with together more than 2⁶³ − 1 elements",
      "SELECT sketch_merge(s, s) FROM (SELECT quantile_sketch_agg(1, frequency => 9223372036854775807L) AS s)",
      "CHRONOSKETCH_COUNT_OVERFLOW",
      "22003",
      "sketch_merge counted more than 9223372036854775807 elements, and a sketch can't count further. Check the column of frequencies for values that are not counts."
    ),
    Case(
      "bytes that are not a sketch",
      "SELECT sketch_count(X'CAFE')",
      "CHRONOSKETCH_NOT_A_SKETCH",
      "22000",
      "sketch_count was given 2 bytes that are not a chronosketch sketch (they begin with X'CAFE'). Build one with quantile_sketch_agg(value). Find the rows that hold sketches with is_sketch(X'CAFE')."
    ),
    Case(
      "no bytes",
      "SELECT sketch_quantile(X'', 0.5)",
      "CHRONOSKETCH_NOT_A_SKETCH",
      "22000",
      "sketch_quantile was given 0 bytes that are not a chronosketch sketch (they begin with nothing). Build one with quantile_sketch_agg(value). Find the rows that hold sketches with is_sketch(X'')."
    ),
    Case(
      "text as bytes, in a column",
      s"SELECT sketch_merge_agg(b) FROM (SELECT CAST(concat('row ', id) AS BINARY) AS b FROM range(1, 2))",
      "CHRONOSKETCH_NOT_A_SKETCH",
      "22000",
      "sketch_merge_agg was given 5 bytes that are not a chronosketch sketch (they begin with X'726F772031'). Build one with quantile_sketch_agg(value). Find the rows that hold sketches with is_sketch(b)."
    ),
    Case(
      "a sketch of another library",
      "SELECT sketch_rank(s, 1) FROM (SELECT kll_sketch_agg_bigint(id) AS s FROM range(3))",
      "CHRONOSKETCH_NOT_A_SKETCH",
      "22000",
      ""
    ),
    Case(
      "a truncated sketch",
      asked("sketch_count(substring(s, 1, 30))"),
      "CHRONOSKETCH_TRUNCATED_SKETCH",
      "22000",
      s"sketch_count was given only the first 30 bytes of a sketch that has ${sketch.length}. The rest was cut off where it was stored or read. Find the rows whose sketches are whole with is_sketch(sketch)."
    ),
    Case(
      "a sketch truncated in its header",
      asked("sketch_count(substring(s, 1, 6))"),
      "CHRONOSKETCH_TRUNCATED_SKETCH",
      "22000",
      "sketch_count was given only the first 6 bytes of a sketch that has more. The rest was cut off where it was stored or read. Find the rows whose sketches are whole with is_sketch(sketch)."
    ),
    Case(
      "a sketch with a flipped bit",
      asked("sketch_describe(concat(substring(s, 1, 40), X'5A', substring(s, 42)))"),
      "CHRONOSKETCH_CORRUPT_SKETCH",
      "22000",
      "sketch_describe was given a damaged sketch: its checksum does not match. The bytes changed after they were written. Find the rows whose sketches are whole with is_sketch(sketch)."
    ),
    Case(
      "a sketch with bytes after its end",
      asked("sketch_count(concat(s, X'00'))"),
      "CHRONOSKETCH_CORRUPT_SKETCH",
      "22000",
      s"sketch_count was given a damaged sketch: it has ${sketch.length + 1} bytes, but its header says ${sketch.length}. The bytes changed after they were written. Find the rows whose sketches are whole with is_sketch(sketch)."
    ),
    Case(
      "a sketch of a newer version",
      s"SELECT sketch_count(b) FROM (SELECT IF(id = 1, ${literal(changed(4, 2))}, NULL) AS b FROM range(2))",
      "CHRONOSKETCH_NEWER_FORMAT",
      "0A000",
      s"sketch_count was given a sketch in format 2, which a newer chronosketch wrote. Version $version reads formats up to 1. Upgrade chronosketch here."
    ),
    Case(
      "a sketch of an unknown family",
      s"SELECT sketch_count(${literal(changed(9, 77))})",
      "CHRONOSKETCH_UNKNOWN_FAMILY",
      "0A000",
      s"sketch_count was given a sketch of family 77, which chronosketch $version does not know. Upgrade chronosketch here."
    ),
    Case(
      "a type without order",
      "SELECT approx_quantile(t, 0.5) FROM (SELECT 'a' AS t)",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "approx_quantile takes a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL as its value, but \"t\" has the type \"STRING\". If it holds numbers, use CAST(t AS DOUBLE). If it holds times, use CAST(t AS TIMESTAMP)."
    ),
    Case(
      "a decimal with too many digits",
      "SELECT quantile_sketch_agg(d) FROM (SELECT CAST(1 AS DECIMAL(38, 6)) AS d)",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "quantile_sketch_agg takes a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL as its value, but \"d\" has the type \"DECIMAL(38,6)\". A decimal can have at most 18 digits here. Use CAST(d AS DECIMAL(18,6)) if the values fit, or CAST(d AS DOUBLE), which rounds them."
    ),
    Case(
      "a boolean value",
      "SELECT approx_quantile_bounds(b, 0.5) FROM (SELECT true AS b)",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "approx_quantile_bounds takes a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL as its value, but \"b\" has the type \"BOOLEAN\". Count it as 0 and 1 with CAST(b AS INT)."
    ),
    Case(
      "a sketch as the value",
      s"SELECT quantile_sketch_agg(s) FROM (SELECT $s AS s $on)",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "quantile_sketch_agg takes a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL as its value, but \"s\" has the type \"BINARY\". If it is a stored sketch, merge it with sketch_merge_agg or ask it with sketch_quantile."
    ),
    Case(
      "a tail in the place of the frequency",
      s"SELECT approx_quantile(id, 0.99, 0.01, 'high') $on",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "approx_quantile takes a whole number as its frequency, but \"high\" has the type \"STRING\". If it is the tail, write tail => 'high'."
    ),
    Case(
      "points without order",
      asked("sketch_cdf(s, array('a'))"),
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "sketch_cdf takes a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL as its points, but \"array(a)\" has the type \"ARRAY<STRING>\". If it holds numbers, use CAST(array('a') AS ARRAY<DOUBLE>). If it holds times, use CAST(array('a') AS ARRAY<TIMESTAMP>)."
    ),
    Case(
      "the rank of a date among numbers",
      asked("sketch_rank(s, DATE'2013-01-01')"),
      "CHRONOSKETCH_VALUE_NOT_COMPARABLE",
      "42846",
      "sketch_rank was given DATE values, but the sketch holds BIGINT values, and the two have no common order. Give values of type BIGINT, e.g. 100."
    ),
    Case(
      "the rank of a number among dates",
      "SELECT sketch_cdf(quantile_sketch_agg(DATE'2013-01-01'), array(1))",
      "CHRONOSKETCH_VALUE_NOT_COMPARABLE",
      "42846",
      "sketch_cdf was given INT values, but the sketch holds DATE values, and the two have no common order. Give values of type DATE, e.g. DATE '2026-01-01'."
    ),
    Case(
      "a quantile of dates as a number",
      "SELECT sketch_quantile(quantile_sketch_agg(DATE'2013-01-01'), 0.5)",
      "CHRONOSKETCH_VALUE_NOT_CONVERTIBLE",
      "42846",
      "sketch_quantile was asked for DOUBLE values, but the sketch holds DATE values. Name their type: sketch_quantile(sketch, 0.5, 'date')."
    ),
    Case(
      "the maximum of times as a number",
      "SELECT sketch_max(quantile_sketch_agg(INTERVAL '1' HOUR))",
      "CHRONOSKETCH_VALUE_NOT_CONVERTIBLE",
      "42846",
      "sketch_max was asked for DOUBLE values, but the sketch holds INTERVAL HOUR values. Name their type: sketch_max(sketch, 'interval hour')."
    ),
    Case(
      "a quantile of numbers as a date",
      asked("sketch_quantile_bounds(s, array(0.5), 'date')"),
      "CHRONOSKETCH_VALUE_NOT_CONVERTIBLE",
      "42846",
      "sketch_quantile_bounds was asked for DATE values, but the sketch holds BIGINT values. Name their type: sketch_quantile_bounds(sketch, 0.5, 'bigint')."
    ),
    Case(
      "a value that does not fit",
      s"SELECT sketch_max(quantile_sketch_agg(id * 1.5D), 'tinyint') $on",
      "CHRONOSKETCH_VALUE_OUT_OF_RANGE",
      "22003",
      "sketch_max can't return 150 as TINYINT, because it does not fit. Name a wider type, or leave the type out to get a DOUBLE."
    ),
    Case(
      "NaN as a whole number",
      s"SELECT sketch_quantile(quantile_sketch_agg(double('NaN')), 1, 'decimal(5,2)') $on",
      "CHRONOSKETCH_VALUE_OUT_OF_RANGE",
      "22003",
      "sketch_quantile can't return NaN as DECIMAL(5,2), because it does not fit. Name a wider type, or leave the type out to get a DOUBLE."
    ),
    Case(
      "sketches of types that only a cast joins",
      "SELECT sketch_merge(quantile_sketch_agg(1.5D), quantile_sketch_agg(1BD))",
      "CHRONOSKETCH_VALUE_TYPES_DIFFER",
      "42846",
      "sketch_merge can't put DOUBLE values and DECIMAL(1,0) values into one sketch, because it doesn't convert one type into the other by itself. Build both with the type DOUBLE, which holds all of them: quantile_sketch_agg(CAST(value AS DOUBLE), epsilon => 0.001). Or cast them: sketch_cast(sketch, 'DOUBLE')."
    ),
    Case(
      "sketches of types whose values no type can hold",
      "SELECT sketch_merge(ddsketch_agg(1.5D), ddsketch_agg(1L))",
      "CHRONOSKETCH_VALUE_TYPES_DIFFER",
      "42846",
      "sketch_merge can't put DOUBLE values and BIGINT values into one sketch, because it doesn't convert one type into the other by itself. No type of a sketch holds all of them as they are. Build both from values of one type, DOUBLE or BIGINT. Or choose a type: sketch_cast(sketch, type) converts a sketch, and rounds what the type does not hold."
    ),
    Case(
      "sketches of types that depend on a time zone",
      "SELECT sketch_merge(quantile_sketch_agg(DATE'2026-01-01'), quantile_sketch_agg(TIMESTAMP'2026-01-01'))",
      "CHRONOSKETCH_VALUE_TYPES_DIFFER",
      "42846",
      "sketch_merge can't put DATE values and TIMESTAMP values into one sketch, because it doesn't convert one type into the other by itself. Build both with the type TIMESTAMP, which holds all of them: quantile_sketch_agg(CAST(value AS TIMESTAMP), epsilon => 0.001)."
    ),
    Case(
      "a cast of a type that a family can't convert",
      "SELECT sketch_cast(ddsketch_agg(1.25BD), 'double')",
      "CHRONOSKETCH_NOT_CASTABLE",
      "42846",
      "sketch_cast can't cast the DECIMAL(3,2) values of this ddsketch to DOUBLE, because values would leave their bins, and answers be off by more than alpha. Build it again from cast values: ddsketch_agg(CAST(value AS DOUBLE), alpha => 0.01)."
    ),
    Case(
      "a cast that Spark has not",
      "SELECT sketch_cast(quantile_sketch_agg(2.5D), 'date')",
      "CHRONOSKETCH_NOT_CASTABLE",
      "42846",
      "sketch_cast can't cast the DOUBLE values of this quantile sketch to DATE, because no cast between them keeps the order of the values. Keep its type."
    ),
    Case(
      "a cast that depends on a time zone",
      "SELECT sketch_cast(quantile_sketch_agg(DATE'2026-01-01'), 'timestamp')",
      "CHRONOSKETCH_NOT_CASTABLE",
      "42846",
      "sketch_cast can't cast the DATE values of this quantile sketch to TIMESTAMP, because that depends on the time zone of a session. Build it again from cast values: quantile_sketch_agg(CAST(value AS TIMESTAMP), epsilon => 0.001)."
    ),
    Case(
      "a cast of a value that does not fit",
      "SELECT sketch_cast(quantile_sketch_agg(1e300D), 'bigint')",
      "CHRONOSKETCH_VALUE_OUT_OF_RANGE",
      "22003",
      "sketch_cast can't return 1.0E300 as BIGINT, because it does not fit. Keep the type of the sketch."
    ),
    Case(
      "a cast of NaN",
      "SELECT sketch_cast(quantile_sketch_agg(double('NaN')), 'decimal(5,2)')",
      "CHRONOSKETCH_VALUE_OUT_OF_RANGE",
      "22003",
      "sketch_cast can't return NaN as DECIMAL(5,2), because it does not fit. Leave NaN out when you build the sketch, or keep its type."
    )
  )
}
