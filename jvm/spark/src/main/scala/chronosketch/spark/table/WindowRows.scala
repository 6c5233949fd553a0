package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.window.{AmongLast, Passing, SketchWindow, WithinLast}

/** The functions that name a window, and the one that takes it from a sketch. */
private[spark] object WindowRows {
  val all: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      WithinLast.Name,
      SqlFunction.Predicates,
      "Selects the rows of the last interval of time, (newest - interval, newest]. It stands in the window of approx_window_quantile or sketch_window.",
      Seq(
        Argument("interval", "an interval, its text, or a whole number of the units of whole-number times.")
      ),
      Seq(Example("SELECT approx_window_quantile(id, id, 0.5, within_last(10)) FROM range(1, 101)", "95")),
      e => WithinLast(e(0))
    ),
    SqlFunction(
      AmongLast.Name,
      SqlFunction.Predicates,
      "Selects the newest n rows. It stands in the window of approx_window_quantile or sketch_window.",
      Seq(Argument("n", "how many rows, whether or not they pass the conditions beside it.")),
      Seq(Example("SELECT approx_window_quantile(id, id, 0.5, among_last(20)) FROM range(1, 101)", "90")),
      e => AmongLast(e(0))
    ),
    SqlFunction(
      Passing.Name,
      SqlFunction.Predicates,
      "Selects the rows that passed a filter which the sketch was built with. It stands in the window of sketch_window.",
      Seq(Argument("filter", "the name that window_sketch_agg or window_moments_agg was given for it.")),
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
      "Returns the sketch of one window of a window sketch, its moments or a window sample. Ask of it what the whole can answer.",
      Seq(
        sketch.copy(meaning =
          "a sketch, as window_sketch_agg, window_moments_agg or window_sample_agg builds it."
        ),
        window.copy(meaning =
          "the rows meant, back from the newest: an interval, its text, or within_last(interval), among_last(n) and passing('filter') put together with AND, OR and, of filters, NOT."
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
