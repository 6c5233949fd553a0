package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.quantile.QuantileSketch
import chronosketch.spark.aggregate.{
  Answer,
  AsLinearQuantile,
  AsLinearQuantileBounds,
  AsQuantile,
  AsQuantileBounds,
  ExtremeValues,
  SketchAggregate
}
import chronosketch.spark.sql.Interpolation
import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.window.WindowQuantileAggregate

/** The aggregates that return an answer instead of a sketch. */
private[spark] object OneShotRows {
  val all: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      "approx_quantile",
      SqlFunction.Aggregates,
      "Returns the phi-quantile of the values, wrong by at most epsilon * count ranks. The answer has the type of the values, or DOUBLE with interpolation => 'linear'. It is NULL if there are no values. You can also use it with OVER, or as approx_quantile(phi) WITHIN GROUP (ORDER BY value). ORDER BY value DESC counts from the greatest value, as percentile_disc does.",
      Seq(value, phi, epsilon(Defaults.AnswerEpsilon), weight, interpolation),
      Seq(
        Example("SELECT approx_quantile(id, 0.99) FROM range(1, 101)", "99"),
        Example(
          "SELECT approx_quantile(id, array(0.5, 0.99), epsilon => 0.001) FROM range(1, 101)",
          "[50,99]"
        ),
        Example("SELECT approx_quantile(v, 0.5, frequency => n) FROM VALUES (1, 1), (2, 9) AS t(v, n)", "2"),
        Example("SELECT approx_quantile(id, 0.5, interpolation => 'linear') FROM range(1, 101)", "50.5"),
        Example("SELECT approx_quantile(0.9) WITHIN GROUP (ORDER BY id DESC) FROM range(1, 101)", "11")
      ),
      quantile("approx_quantile", AsQuantile, AsLinearQuantile)
    ),
    SqlFunction(
      "approx_quantile_bounds",
      SqlFunction.Aggregates,
      "Returns a lower and an upper bound that always contain the exact phi-quantile. The answer is a STRUCT<low, high> of the type of the values, or of DOUBLE with interpolation => 'linear'. The two are equal if the answer is exact. It is NULL if there are no values. It takes OVER and WITHIN GROUP as approx_quantile does.",
      Seq(value, phi, epsilon(Defaults.AnswerEpsilon), weight, interpolation),
      Seq(Example("SELECT approx_quantile_bounds(id, 0.99) FROM range(1, 101)", "{\"low\":99,\"high\":99}")),
      quantile("approx_quantile_bounds", AsQuantileBounds, AsLinearQuantileBounds)
    ),
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
    ),
    ends(
      ExtremeValues.Least,
      isGreatest = false,
      "Returns the n smallest values, in ascending order.",
      "[1,2,3]"
    ),
    ends(
      ExtremeValues.Greatest,
      isGreatest = true,
      "Returns the n greatest values, in descending order.",
      "[100,99,98]"
    )
  )

  private def ends(
      name: String,
      isGreatest: Boolean,
      summary: String,
      three: String
  ): SqlFunction[Expression] =
    SqlFunction(
      name,
      SqlFunction.Aggregates,
      s"$summary The answer is an ARRAY of the type of the values. Duplicates are kept. If there are fewer than n values, the array has all of them; without values it is empty.",
      Seq(value, Argument("n", s"how many values to return: a constant from 1 to ${ExtremeValues.Most}.")),
      Seq(Example(s"SELECT $name(id, 3) FROM range(1, 101)", three)),
      e => ExtremeValues(e(0), e(1), isGreatest)
    )

  private def quantile(name: String, nearest: Answer, linear: Answer)(e: Seq[Expression]): Expression = {
    val answer = if (Interpolation.isLinear(name, e(4))) linear else nearest
    SketchAggregate(name, QuantileSketch, answer, e(0), Some(e(1)), Seq(e(2)), e(3))
  }
}
