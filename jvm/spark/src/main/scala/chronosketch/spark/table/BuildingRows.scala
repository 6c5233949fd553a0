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
      "Builds a sketch that answers any quantile and rank, with a certified rank error. It merges with other sketches of its family.",
      Seq(value, epsilon(Defaults.SketchEpsilon), frequency),
      Seq(
        Example("SELECT sketch_quantile(quantile_sketch_agg(id), 0.5, 'bigint') FROM range(1, 101)", "50")
      ),
      e => SketchAggregate("quantile_sketch_agg", QuantileSketch, AsSketch, e(0), None, Seq(e(1)), e(2))
    ),
    SqlFunction(
      WindowSketchAggregate.Name,
      SqlFunction.Aggregates,
      "Builds a sketch from which sketch_window takes any window back from the newest row, later.",
      Seq(
        value,
        eventTime,
        epsilon(Defaults.WindowEpsilon),
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
      "Builds a sketch of the count, sum, mean and variance of any window back from the newest row. Its bounds are certain. sketch_window takes the window, later.",
      Seq(
        value.copy(meaning = "what is measured: a number. NULLs are skipped."),
        eventTime,
        epsilon(Defaults.WindowMomentsEpsilon).copy(meaning =
          "the error allowed of a count, a sum of numbers of one sign, a variance and a standard deviation, as a share of the exact answer, in [0, 0.5]. 0 keeps all rows."
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
      "Builds one pane of a window, for the phis that are named here. Their answers have a low error of value, for panes of a thousand rows too; it is not certified. sketch_merge_agg joins panes.",
      Seq(
        value,
        eventTime,
        Argument("phis", "the phis that will be asked, one or an array of them. No others can be asked."),
        Argument("panes", "of how many panes a full window consists."),
        Argument(
          "budget",
          "how many values a pane keeps for each phi from 0.9 on. 0 keeps none. Without it a pane keeps half of what makes a window's answer exact, where that is less than a tenth of the pane or the pane is small.",
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
      "Builds a DDSketch of numbers: each quantile is within a share alpha of the exact one. It merges with others of the same alpha.",
      Seq(
        value.copy(meaning = "what is measured: a number. NULLs are skipped."),
        Argument(
          "alpha",
          s"the error allowed, as a share of the exact value, in ${DDSketches.Alpha.range}.",
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
