package chronosketch.spark.warehouse

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLExpr
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._

import chronosketch.Refusal
import chronosketch.domain.Conversion
import chronosketch.rank.Phi
import chronosketch.spark.sql.{Arguments, Conditions, KeyCodec, Phis}
import chronosketch.spark.warehouse.answers.{GroupAnswers, QuantileAnswers, RankAnswers}
import chronosketch.spark.warehouse.manifest.Definition

/** The table function `warehouse_quantile`. */
private[spark] object WarehouseQuantile {
  val Name = "warehouse_quantile"

  /** Plans a call. Arguments: warehouse, phi, accuracy, window. */
  def of(arguments: Seq[Expression]): LogicalPlan = {
    val call = new WarehouseArguments(Name, arguments)
    val phis = phisOf(call, arguments(1))
    call.plan(QuantileAnswers(phis, _))
  }

  private def phisOf(call: WarehouseArguments, e: Expression): Seq[Phi] = {
    val required = "a constant number in [0, 1], or an array of such numbers, without NULL"
    val isNumber = e.dataType match {
      case _: NumericType | ArrayType(_: NumericType, _) => true
      case _ => false
    }
    if (!call.isConstant(e) || !isNumber) call.refuse("phi", required, e)
    val phis =
      try Phis.of(Arguments.constant(e), e.dataType).all
      catch { case _: Refusal => call.refuse("phi", required, e) }
    if (phis.isEmpty || phis.contains(null)) call.refuse("phi", required, e)
    phis
  }
}

/** The table function `warehouse_rank`. */
private[spark] object WarehouseRank {
  val Name = "warehouse_rank"

  /** Plans a call. Arguments: warehouse, value, accuracy, window. */
  def of(arguments: Seq[Expression]): LogicalPlan = {
    val call = new WarehouseArguments(Name, arguments)
    val (values, dataType) = valuesOf(call, arguments(1))
    call.plan(answers(values, dataType, _, arguments(1)))
  }

  private def valuesOf(call: WarehouseArguments, e: Expression): (Seq[Any], DataType) = {
    val required = "a constant value, or an array of such values, without NULL"
    if (!call.isConstant(e)) call.refuse("value", required, e)
    val (all, itemType) = (Arguments.constant(e), e.dataType) match {
      case (array: ArrayData, ArrayType(element, _)) =>
        val values = Seq.tabulate[Any](array.numElements())(i =>
          if (array.isNullAt(i)) null else array.get(i, element)
        )
        (values, element)
      case (value, dataType) => (Seq(value), dataType)
    }
    if (all.isEmpty || all.contains(null) || KeyCodec.of(itemType).isEmpty) call.refuse("value", required, e)
    (all, itemType)
  }

  /** Converts the given values to keys of the warehouse's values, which have the type `stored`. */
  private def answers(values: Seq[Any], dataType: DataType, stored: DataType, e: Expression): GroupAnswers = {
    val from = KeyCodec.of(dataType).get
    val to = Definition.domain(stored)
    val keys = Conditions.analysing(Name, e.origin) {
      values.map(value => Conversion.floor(from.key(value), from.domain, to))
    }
    RankAnswers(values, dataType, keys)
  }
}

/** Parses the arguments that the table functions about warehouses share: the warehouse, the accuracy and the window. */
private[warehouse] final class WarehouseArguments(function: String, arguments: Seq[Expression]) {

  /** Plans a query to the version that is newest when the query is analysed. */
  def plan(answers: DataType => GroupAnswers): LogicalPlan = {
    val path = text("warehouse", "the path or the name of a warehouse", arguments(0))
    val isAccurate = accuracy(arguments(2))
    val steps = window(arguments(3))
    Warehouse.open(SparkSession.active, path).plan(function, isAccurate, steps)(answers)
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
