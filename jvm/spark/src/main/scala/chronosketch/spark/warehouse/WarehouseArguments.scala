package chronosketch.spark.warehouse

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLExpr
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._

import chronosketch.spark.sql.{Arguments, Conditions}
import chronosketch.spark.warehouse.answers.Wanted

/** Parses the arguments that the table functions about warehouses share: the warehouse, the question, the accuracy and the window. */
private[warehouse] final class WarehouseArguments(function: String, arguments: Seq[Expression]) {

  /** Plans a query to the version that is newest when the query is analysed. */
  def answer(wanted: DataType => Wanted): LogicalPlan = {
    val path = text("warehouse", "the path or the name of a warehouse", arguments(0))
    val isAccurate = accuracy(arguments(2))
    val steps = window(arguments(3))
    Warehouse.open(SparkSession.active, path).answer(function, isAccurate, steps)(wanted)
  }

  private def accuracy(e: Expression): Boolean = {
    val required = "'quick' or 'accurate'"
    text("accuracy", required, e).toLowerCase(Locale.ROOT) match {
      case "accurate" => true
      case "quick" => false
      case _ => refuse("accuracy", required, e)
    }
  }

  private def window(e: Expression): Option[Long] = {
    val required = "a constant whole number of steps, 1 or more"
    if (!e.resolved || !e.foldable) refuse("window", required, e)
    (Arguments.constant(e), e.dataType) match {
      case (null, _) => None
      case (steps: Number, ByteType | ShortType | IntegerType | LongType) if steps.longValue >= 1 =>
        Some(steps.longValue)
      case _ => refuse("window", required, e)
    }
  }

  private def text(argument: String, required: String, e: Expression): String =
    if (isConstant(e) && e.dataType.isInstanceOf[StringType]) Arguments.constant(e).toString
    else refuse(argument, required, e)

  def isConstant(e: Expression): Boolean = e.resolved && e.foldable && Arguments.constant(e) != null

  def refuse(argument: String, required: String, e: Expression): Nothing =
    throw Conditions.analysisError(
      "CHRONOSKETCH_WAREHOUSE_ARGUMENT",
      e.origin,
      "function" -> function,
      "argument" -> argument,
      "required" -> required,
      "sql" -> toSQLExpr(e)
    )
}
