package chronosketch.spark.window

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.spark.sample.SampleRows.{id, seed, sizes}
import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.table.{Argument, Defaults, Example, SqlFunction}

/** The functions that answer for a window of the newest rows, that build sketches of all windows, that describe a window, and the one
  * that takes a window from a sketch.
  */
private[spark] object WindowRows {
  val answers: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      WindowQuantileAggregate.Name,
      SqlFunction.Aggregates,
      "Returns the phi-quantile of the rows in a window that ends at the newest row, or at as_of. The answer has the type of the values. It is NULL if the window has no rows.",
      Seq(value, eventTime, phi, window, epsilon(Defaults.WindowEpsilon, "rows in the window"), asOf),
      Seq(
        Example("SELECT approx_window_quantile(id, id, 0.5, 10) FROM range(1, 101)", "95"),
        Example(
          "SELECT approx_window_quantile(v, t, 0.5, '10 minutes') FROM VALUES (1, TIMESTAMP'2026-01-01 12:00'), (2, TIMESTAMP'2026-01-01 12:05'), (3, TIMESTAMP'2026-01-01 12:10') AS t(v, t)",
          "2"
        ),
        Example(
          "SELECT approx_window_quantile(id, id, array(0, 1), within_last(10) AND id % 5 = 0 OR among_last(1), as_of => 50) FROM range(1, 101)",
          "[45,50]"
        )
      ),
      WindowQuantileAggregate.of
    )
  )

  val builders: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      WindowSketchAggregate.Name,
      SqlFunction.Aggregates,
      "Builds a sketch that answers for any window back from the newest row. You choose the window later, with sketch_window. The sketch is a BINARY; a group without rows gives an empty one.",
      Seq(
        value,
        eventTime,
        epsilon(Defaults.WindowEpsilon, "rows in a window"),
        retention,
        filters
      ),
      Seq(
        Example(
          "SELECT sketch_quantile(sketch_window(window_sketch_agg(id, id), 10), 0.5) FROM range(1, 101)",
          "95.0"
        )
      ),
      WindowSketchAggregate.of
    ),
    SqlFunction(
      WindowSketchAggregate.MomentsName,
      SqlFunction.Aggregates,
      "Builds a sketch of the count, sum, mean and variance of any window back from the newest row. You choose the window later, with sketch_window. sketch_moment_bounds returns bounds that always contain the exact answer. The sketch is a BINARY; a group without rows gives an empty one.",
      Seq(
        value.copy(meaning =
          "what is measured: a number (a DECIMAL has at most 18 digits). NULL is skipped."
        ),
        eventTime,
        epsilon(Defaults.WindowMomentsEpsilon).copy(meaning =
          "the error that you allow, as a share of the exact answer, from 0 to 0.5. It applies to the count, the variance, the standard deviation, and the sum of numbers of one sign. With 0 the sketch keeps all rows."
        ),
        retention,
        filters
      ),
      Seq(
        Example(
          "SELECT sketch_mean(sketch_window(window_moments_agg(id, id), 10)) FROM range(1, 101)",
          "95.5"
        ),
        Example(
          "SELECT sketch_moment_bounds(sketch_window(window_moments_agg(id, id), among_last(20)), 'sum') FROM range(1, 101)",
          """{"value":1810.0,"lower":1810.0,"upper":1810.0}"""
        )
      ),
      WindowSketchAggregate.ofMoments
    )
  )

  val samples: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      WindowSampleAggregate.Name,
      SqlFunction.Aggregates,
      "Builds a sketch that gives a random sample of any window by time. You choose the window later, with sketch_window. It ends at the newest row, or at as_of. The window is a sample, and answers every question that a sample of sample_sketch_agg answers. The sketch is a BINARY; a group without rows gives an empty one.",
      Seq(
        value,
        eventTime,
        Argument(
          "size",
          s"how many rows of a window are drawn: $sizes. The sketch keeps more than that.",
          Some(Literal(Defaults.SampleSize))
        ),
        retention,
        seed,
        id
      ),
      Seq(
        Example(
          "SELECT sketch_quantile(sketch_window(window_sample_agg(id, id), 10), 0.5) FROM range(1, 101)",
          "95.0"
        ),
        Example(
          "SELECT size(sketch_sample(sketch_window(s, 500))) FROM (SELECT window_sample_agg(id, id, 20, id => id) AS s FROM range(1000))",
          "20"
        )
      ),
      WindowSampleAggregate.of
    )
  )

  val windows: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      WithinLast.Name,
      SqlFunction.Predicates,
      "Selects the rows of the last interval of time, up to the newest row. A row that is older by exactly that interval is not in it. Use it only in the window argument of approx_window_quantile or sketch_window.",
      Seq(
        Argument(
          "interval",
          "the length of the window: an interval, its text, for example '10 minutes', or a whole number if the times are whole numbers. Months are refused, as they have no fixed length."
        )
      ),
      Seq(Example("SELECT approx_window_quantile(id, id, 0.5, within_last(10)) FROM range(1, 101)", "95")),
      e => WithinLast(e(0))
    ),
    SqlFunction(
      AmongLast.Name,
      SqlFunction.Predicates,
      "Selects the newest n rows. Use it only in the window argument of approx_window_quantile or sketch_window.",
      Seq(Argument("n", "how many rows. Rows that fail the conditions beside it are counted too.")),
      Seq(Example("SELECT approx_window_quantile(id, id, 0.5, among_last(20)) FROM range(1, 101)", "90")),
      e => AmongLast(e(0))
    ),
    SqlFunction(
      Passing.Name,
      SqlFunction.Predicates,
      "Selects the rows that pass a filter which the sketch was built with. Use it only in the window argument of sketch_window. NOT passing('errors') selects the others.",
      Seq(Argument(
        "filter",
        "the name of the filter, as you gave it to window_sketch_agg or window_moments_agg."
      )),
      Seq(
        Example(
          "SELECT sketch_quantile(sketch_window(s, passing('even') AND within_last(10)), 0.5) FROM (SELECT window_sketch_agg(id, id, filters => map('even', id % 2 = 0)) AS s FROM range(1, 101))",
          "96.0"
        )
      ),
      e => Passing(e(0))
    ),
    SqlFunction(
      SketchWindow.Name,
      SqlFunction.Scalars,
      "Returns one window of a window sketch, as a sketch. You can ask it every question that the whole sketch answers. The answer is a BINARY.",
      Seq(
        sketch.copy(meaning =
          "a BINARY sketch of window_sketch_agg, window_moments_agg or window_sample_agg. NULL gives NULL."
        ),
        window.copy(meaning =
          "the rows that count. Give a length of time back from the newest row, for example '10 minutes', an INTERVAL, or a whole number if the times are whole numbers. Or combine within_last(interval), among_last(n) and passing('filter') with AND and OR. NOT can stand before passing. A sample takes windows by time only."
        ),
        asOf
      ),
      Seq(
        Example(
          "SELECT sketch_count(sketch_window(s, within_last(10) OR among_last(5))) FROM (SELECT window_sketch_agg(id, id) AS s FROM range(1, 101))",
          "10"
        )
      ),
      SketchWindow.of
    )
  )
}
