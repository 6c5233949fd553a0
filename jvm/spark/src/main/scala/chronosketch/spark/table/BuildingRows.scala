package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.ddsketch.DDSketches
import chronosketch.quantile.QuantileSketch
import chronosketch.spark.aggregate.{AsSketch, QloveSketchAggregate, SketchAggregate}
import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.window.WindowSketchAggregate

/** The aggregates that build a sketch from values: one for each family. */
private[spark] object BuildingRows {
  val all: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      "quantile_sketch_agg",
      SqlFunction.Aggregates,
      "Builds a sketch that answers any quantile and rank, with a certified rank error. The sketch is a BINARY; a group without values gives an empty one. Ask it with sketch_quantile, sketch_rank and others. Merge it with sketch_merge_agg.",
      Seq(value, epsilon(Defaults.SketchEpsilon), frequency),
      Seq(
        Example("SELECT sketch_quantile(quantile_sketch_agg(id), 0.5, 'bigint') FROM range(1, 101)", "50")
      ),
      e => SketchAggregate("quantile_sketch_agg", QuantileSketch, AsSketch, e(0), None, Seq(e(1)), e(2))
    ),
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
    ),
    SqlFunction(
      QloveSketchAggregate.Name,
      SqlFunction.Aggregates,
      "Builds the sketch of one pane of a window, for the phis that you name. sketch_merge_agg joins panes to a window. Answers have a low error of value, even for panes of a thousand rows, but the error is not certified. The sketch is a BINARY; a group without rows gives one of no pane.",
      Seq(
        value,
        eventTime,
        Argument(
          "phis",
          "the phis that you will ask for: a constant from 0 to 1, or an array of such. The sketch answers no others."
        ),
        Argument(
          "panes",
          "how many panes a full window has: 6 if a window of one hour has panes of ten minutes."
        ),
        Argument(
          "budget",
          "how many values a pane keeps for each phi from 0.9 on. 0 keeps none. Without it a pane keeps half of what makes a window's answer exact, if that is less than a tenth of the pane or the pane is small.",
          Defaults.notGiven
        )
      ),
      Seq(
        Example(
          "SELECT sketch_quantile(qlove_sketch_agg(id, id, array(0.5, 0.99), 1), array(0.5, 0.99)) FROM range(1, 101)",
          "[50.0,99.0]"
        ),
        Example(
          "SELECT sketch_quantile(sketch_merge_agg(s), 0.5) FROM (SELECT qlove_sketch_agg(id, id, 0.5, panes => 4) AS s FROM range(1, 101) GROUP BY (id - 1) div 25)",
          "50.5"
        )
      ),
      QloveSketchAggregate.of
    ),
    SqlFunction(
      "ddsketch_agg",
      SqlFunction.Aggregates,
      "Builds a DDSketch of numbers: each quantile has a relative error of at most alpha. The error still holds after merging with sketches of the same alpha. The sketch is a BINARY; a group without values gives an empty one.",
      Seq(
        value.copy(meaning =
          "what is measured: a number (a DECIMAL has at most 18 digits). NULL is skipped."
        ),
        Argument(
          "alpha",
          s"the relative error that you allow, in ${DDSketches.Alpha.range}. With 0.01 an answer is off by at most 1 %.",
          Some(Literal(Defaults.Alpha))
        ),
        frequency
      ),
      Seq(
        Example("SELECT sketch_quantile(ddsketch_agg(id), 0.25) FROM range(1, 101)", "25.0"),
        Example(
          "SELECT abs(sketch_quantile(ddsketch_agg(id, 0.02), 0.99) - 990) <= 0.02 * 990 FROM range(1, 1001)",
          "true"
        )
      ),
      e => SketchAggregate("ddsketch_agg", DDSketches, AsSketch, e(0), None, Seq(e(1)), e(2))
    )
  )
}
