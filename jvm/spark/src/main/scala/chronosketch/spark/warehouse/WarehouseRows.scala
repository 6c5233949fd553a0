package chronosketch.spark.warehouse

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.table.{Argument, Defaults, Example, SqlFunction}

/** The table functions that answer from a warehouse. */
private[spark] object WarehouseRows {
  private val warehouse =
    Argument("warehouse", "the path of a warehouse, or the name that CALL chronosketch.register gave it.")
  private val accuracy = Argument(
    "accuracy",
    "'accurate' also reads a few of the rows, as many as make the answer exact. Only live rows still leave an error then. 'quick' reads summaries alone.",
    Some(Literal("accurate"))
  )
  private val window = Argument(
    "window",
    "how many of the last steps count. Live rows are the newest step. Without it all steps count. CALL chronosketch.windows lists the windows that are answered as exactly as all steps; other windows get wider bounds.",
    Defaults.notGiven
  )

  val all: Seq[SqlFunction[LogicalPlan]] = Seq(
    SqlFunction(
      WarehouseQuantile.Name,
      SqlFunction.Tables,
      "Returns the phi-quantiles of each group of a warehouse, with bounds that always hold. There is a row for each group and phi, with the answer value, its bounds low and high, how many ranks it can be wrong by, and what it cost.",
      Seq(
        warehouse,
        phiOfRows,
        accuracy,
        window
      ),
      Seq(Example("SELECT value FROM warehouse_quantile('/data/latencies', 0.5)", "50")),
      WarehouseQuantile.of
    ),
    SqlFunction(
      WarehouseRank.Name,
      SqlFunction.Tables,
      "Returns how many values of each group are at or below a value, with bounds that always hold. There is a row for each group and value, with the bounds rank_low and rank_high.",
      Seq(
        warehouse,
        Argument(
          "value",
          "the value to look up: a constant of the type of the warehouse's values, or of any number type for numbers. An array asks for several at once: each gets a row."
        ),
        accuracy,
        window
      ),
      Seq(Example("SELECT rank_low FROM warehouse_rank('/data/latencies', 42.5)", "42")),
      WarehouseRank.of
    )
  )
}
