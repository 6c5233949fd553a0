package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import chronosketch.spark.advice.{AdviceFunction, Aggregate}

/** The function that says which approach to take for a window. */
private[spark] object AdviceRows {
  private val length =
    "an interval or its text, which takes a rate, or a whole number of rows."

  val all: Seq[SqlFunction[LogicalPlan]] = Seq(
    SqlFunction(
      AdviceFunction.Name,
      SqlFunction.Tables,
      "Returns a row for each way to compute an aggregate of a sliding window, with predicted time and memory. The best comes first; those that do not serve say why.",
      Seq(
        Argument("aggregate", s"one of ${Aggregate.all.map(a => s"'${a.name}'").sorted.mkString(", ")}."),
        Argument("retention", s"how long the window is: $length"),
        Argument("slide", s"how far it moves: $length"),
        Argument(
          "rate",
          "rows a second. With it, load says which share of one core is needed.",
          Defaults.notGiven
        ),
        Argument(
          "epsilon",
          "the error allowed: of ranks for quantiles, of the value for others. 0 asks for exact answers.",
          Some(Literal(0.0))
        ),
        Argument(
          "delta",
          "the allowed chance of a larger error. Without it answers have to be certain.",
          Defaults.notGiven
        ),
        Argument("memory", "the most bytes, as in '64m'.", Defaults.notGiven),
        Argument(
          "model",
          "the path of a cost model that `chronosketch calibrate` wrote. Without it the model of the jar counts.",
          Defaults.notGiven
        )
      ),
      Seq(
        Example(
          "SELECT promise FROM chronosketch_advise('quantile', retention => 19200, slide => 320) WHERE rank = 1",
          "exact"
        )
      ),
      AdviceFunction.of
    )
  )
}
