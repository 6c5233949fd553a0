package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.window.{AmongLast, Passing, SketchWindow, WithinLast}

/** The functions that describe a window, and the one that takes a window from a sketch. */
private[spark] object WindowRows {
  val all: Seq[SqlFunction[Expression]] = Seq(
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
