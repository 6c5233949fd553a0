package chronosketch.spark.conditions

import chronosketch.spark.conditions.SomeSketch._

/** The conditions of frequencies, of interpolated quantiles, and of functions about the distribution of values. */
private[conditions] object ShapeConditions {
  def all: Seq[Case] = Seq(
    Case(
      "frequency not whole",
      s"SELECT approx_quantile(id, 0.5, frequency => 1.5D) $on",
      "CHRONOSKETCH_FRACTIONAL_FREQUENCY",
      "42K09",
      "approx_quantile takes whole numbers, or decimals of up to 18 digits as its frequency, but 1.5D is \"DOUBLE\". Scale it and round it as you need, e.g. frequency => CAST(1.5D AS DECIMAL(18,6))."
    ),
    Case(
      "a frequency of a sketch not whole",
      s"SELECT quantile_sketch_agg(id, frequency => 1.5) $on",
      "CHRONOSKETCH_FRACTIONAL_FREQUENCY",
      "42K09",
      "quantile_sketch_agg takes whole numbers as its frequency, but 1.5BD is \"DECIMAL(2,1)\". Scale it and round it as you need, e.g. frequency => CAST(ROUND(1.5BD * 1000) AS BIGINT)."
    ),
    Case(
      "a decimal frequency below 0",
      s"SELECT approx_quantile(id, 0.5, frequency => IF(id = 6, -0.5, 1.5)) $on",
      "CHRONOSKETCH_INVALID_FREQUENCY",
      "22003",
      "approx_quantile was given the frequency -0.5. A frequency says how many copies of a value there are, so it must be 0 or more. Leave such rows out, e.g. with FILTER (WHERE (IF((id = CAST(6 AS BIGINT)), CAST(-0.5BD AS DECIMAL(2,1)), 1.5BD)) >= 0)."
    ),
    Case(
      "an unknown name of an interpolation",
      s"SELECT approx_quantile(id, 0.5, interpolation => 'cubic') $on",
      "CHRONOSKETCH_UNKNOWN_INTERPOLATION",
      "22023",
      "approx_quantile was given the interpolation 'cubic'. Write 'nearest' for a value that is in the data. Write 'linear' for a number between two values, as percentile_cont computes it."
    ),
    Case(
      "an unknown tail",
      s"SELECT quantile_sketch_agg(id, tail => 'upper') $on",
      "CHRONOSKETCH_UNKNOWN_TAIL",
      "22023",
      "quantile_sketch_agg was given the tail 'upper'. Write 'high' for a rank error that falls towards the greatest value, 'low' towards the least, and 'both' towards either end. Leave tail out for one that is the same everywhere."
    ),
    Case(
      "a tail that is not constant",
      s"SELECT approx_quantile(id, 0.5, tail => CAST(id AS STRING)) $on",
      "CHRONOSKETCH_UNKNOWN_TAIL",
      "22023",
      "approx_quantile was given the tail CAST(id AS STRING). Write 'high' for a rank error that falls towards the greatest value, 'low' towards the least, and 'both' towards either end. Leave tail out for one that is the same everywhere."
    ),
    Case(
      "a sum that is not true or false",
      s"SELECT quantile_sketch_agg(id, sum => 'yes') $on",
      "CHRONOSKETCH_UNKNOWN_SUM",
      "22023",
      "quantile_sketch_agg was given 'yes' as its sum. Write true to keep the sums of the values, too. Leave sum out, or write false, to keep none."
    ),
    Case(
      "a sum of a column",
      s"SELECT quantile_sketch_agg(id, sum => id > 3) $on",
      "CHRONOSKETCH_UNKNOWN_SUM",
      "22023",
      "quantile_sketch_agg was given (id > CAST(3 AS BIGINT)) as its sum. Write true to keep the sums of the values, too. Leave sum out, or write false, to keep none."
    ),
    Case(
      "sums of dates",
      s"SELECT quantile_sketch_agg(DATE'2013-01-01', sum => true) $on",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "quantile_sketch_agg takes a number, if sum is true, as its value, but \"DATE '2013-01-01'\" has the type \"DATE\". For quantiles alone, leave out sum => true. For sums, turn it into a number, e.g. unix_date(DATE '2013-01-01')."
    ),
    Case(
      "the mean of a sketch without sums",
      s"SELECT sketch_mean(quantile_sketch_agg(id, 0.01)) $on",
      "CHRONOSKETCH_NO_SUMS",
      "42846",
      "sketch_mean needs the sums of the values, which the family quantile sketch does not keep. Build the sketch with them: quantile_sketch_agg(value, epsilon => 0.01, sum => true)."
    ),
    Case(
      "the kurtosis of a sketch of a tail without sums",
      s"SELECT sketch_kurtosis(quantile_sketch_agg(id, tail => 'both')) $on",
      "CHRONOSKETCH_NO_SUMS",
      "42846",
      "sketch_kurtosis needs the sums of the values, which the family quantile sketch with tail => 'both' does not keep. Build the sketch with them: quantile_sketch_agg(value, epsilon => 0.001, tail => 'both', sum => true)."
    ),
    Case(
      "dates interpolated",
      s"SELECT approx_quantile(DATE'2013-01-01', 0.5, interpolation => 'linear') $on",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "approx_quantile takes a number as its value, but \"DATE '2013-01-01'\" has the type \"DATE\". For one of the values, write interpolation => 'nearest'. For a line between two, turn it into a number, e.g. unix_date(DATE '2013-01-01')."
    ),
    Case(
      "a trim that leaves no values",
      s"SELECT sketch_trimmed_mean(quantile_sketch_agg(id), 0.9, 0.1) $on",
      "CHRONOSKETCH_EMPTY_TRIM",
      "22003",
      "sketch_trimmed_mean was asked for the values between the quantiles 0.9 and 0.1, but there are none. Make the first one less than the second, as in sketch_trimmed_mean(sketch, 0.1, 0.9)."
    ),
    Case(
      "a distance of dates",
      "SELECT sketch_wasserstein(s, s) FROM (SELECT quantile_sketch_agg(DATE'2013-01-01') AS s)",
      "CHRONOSKETCH_NOT_NUMBERS",
      "42846",
      "sketch_wasserstein computes a number from the values, but sketch holds values of type DATE. Ask for one of the values instead: sketch_quantile(sketch, phi, 'DATE')."
    ),
    Case(
      "a design effect that is not above 0",
      asked("sketch_quantile_interval(s, 0.5, design_effect => low - 1)"),
      "CHRONOSKETCH_INVALID_DESIGN_EFFECT",
      "22003",
      "sketch_quantile_interval was given the design effect 0.0, but it says how many rows are worth one independent row, so it must be a number above 0. Write 1 for independent rows."
    ),
    Case(
      "counts of a user in the wrong order",
      "SELECT quantile_design_effect_agg(n, b) FROM VALUES (9, 10) AS t(b, n)",
      "CHRONOSKETCH_INVALID_USER_COUNTS",
      "22003",
      "quantile_design_effect_agg was given the counts 10.0 and 9.0 of a user. The first one says how many of the rows that the second one counts are at or below the quantile, so it must be from 0 to the second one. Write quantile_design_effect_agg(count_below, count), in this order."
    ),
    Case(
      "a trimmed mean of dates",
      "SELECT sketch_trimmed_mean(s) FROM (SELECT quantile_sketch_agg(DATE'2013-01-01') AS s)",
      "CHRONOSKETCH_NOT_NUMBERS",
      "42846",
      "sketch_trimmed_mean computes a number from the values, but sketch holds values of type DATE. Ask for one of the values instead: sketch_quantile(sketch, phi, 'DATE')."
    ),
    Case(
      "a trimmed mean of a window with an uncertain count",
      "SELECT sketch_trimmed_mean(s) FROM (SELECT sketch_window(window_sketch_agg(id, id, 0.2), 777) AS s FROM range(10000))",
      "CHRONOSKETCH_COUNT_IN_DOUBT",
      "42846",
      ""
    )
  )
}
