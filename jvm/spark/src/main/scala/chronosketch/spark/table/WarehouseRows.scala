package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.warehouse.{WarehouseQuantile, WarehouseRank}

/** The functions that answer from a warehouse: a table each. */
private[spark] object WarehouseRows {
  private val warehouse =
    Argument("warehouse", "the path of a warehouse, or the name that CALL chronosketch.register gave it.")
  private val accuracy = Argument(
    "accuracy",
    "'accurate' reads the few rows that leave nothing in doubt but what live rows do; 'quick' reads summaries alone.",
    Some(Literal("accurate"))
  )
  private val window = Argument(
    "window",
    "the last so many steps. CALL chronosketch.windows lists those that are as exact as all steps; of others the bounds are wider.",
    Defaults.notGiven
  )

  val all: Seq[SqlFunction[LogicalPlan]] = Seq(
    SqlFunction(
      WarehouseQuantile.Name,
      SqlFunction.Tables,
      "Returns the phi-quantiles of each group of a warehouse, with bounds that always hold. Each row says how many ranks the answer can be wrong by, and what it cost.",
      Seq(
        warehouse,
        phi.copy(meaning = phi.meaning.replace("An array asks", "A constant; an array asks")),
        accuracy,
        window
      ),
      Seq(Example("SELECT value FROM warehouse_quantile('/data/latencies', 0.5)", "50")),
      WarehouseQuantile.of
    ),
    SqlFunction(
      WarehouseRank.Name,
      SqlFunction.Tables,
      "Returns how many values of each group are at most the one given, with bounds that always hold.",
      Seq(
        warehouse,
        Argument(
          "value",
          "a constant, of the type of the warehouse's values or any number type for numbers. An array asks for several at once."
        ),
        accuracy,
        window
      ),
      Seq(Example("SELECT rank_low FROM warehouse_rank('/data/latencies', 42.5)", "42")),
      WarehouseRank.of
    )
  )
}
