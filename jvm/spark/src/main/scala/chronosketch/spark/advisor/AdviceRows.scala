package chronosketch.spark.advisor

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import chronosketch.spark.table.{Argument, Defaults, Example, SqlFunction}

/** The table function that advises how to compute a sliding window. */
private[spark] object AdviceRows {
  private val length =
    "a whole number of rows, or an interval or its text. Intervals need a rate."

  val all: Seq[SqlFunction[LogicalPlan]] = Seq(
    SqlFunction(
      AdviceFunction.Name,
      SqlFunction.Tables,
      "Returns a row for each way to compute an aggregate of a sliding window, with predicted time and memory. The best comes first. The column sql has the settings and the query to write. Ways that do not fit come last, with the reason in the column excluded.",
      Seq(
        Argument("aggregate", s"one of ${Aggregate.all.map(a => s"'${a.name}'").sorted.mkString(", ")}."),
        Argument("retention", s"the length of the window: $length"),
        Argument("slide", s"how far the window moves each time: $length"),
        Argument(
          "rate",
          "how many rows come each second. With it the column load says which share of one core is needed.",
          Defaults.notGiven
        ),
        Argument(
          "epsilon",
          "the error that you allow, as a share: of the number of values for quantiles, of the exact answer for others. 0 asks for exact answers.",
          Some(Literal(0.0))
        ),
        Argument(
          "delta",
          "the chance of a larger error that you allow. Without it answers must be certain.",
          Defaults.notGiven
        ),
        Argument(
          "memory",
          "the most memory that a window may take, for example '64m'. Without it there is no limit.",
          Defaults.notGiven
        ),
        Argument(
          "model",
          "the path of a cost model that `chronosketch calibrate` wrote. Without it spark.chronosketch.advice.model names the model; if that is empty, the model in the jar is used.",
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
