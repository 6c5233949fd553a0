package chronosketch.spark.warehouse

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, DataType, NumericType}

import chronosketch.Refusal
import chronosketch.domain.Conversion
import chronosketch.rank.Phi
import chronosketch.spark.sql.{Arguments, Conditions, Phis, SqlValues}
import chronosketch.spark.warehouse.answers.{Quantiles, Ranks, Wanted}
import chronosketch.spark.warehouse.manifest.Definition

/** The table function `warehouse_quantile`. */
private[spark] object WarehouseQuantile {
  val Name = "warehouse_quantile"

  /** Plans a call. Arguments: warehouse, phi, accuracy, window. */
  def of(arguments: Seq[Expression]): LogicalPlan = {
    val call = new WarehouseArguments(Name, arguments)
    val asked = phis(call, arguments(1))
    call.answer(Quantiles(asked, _))
  }

  private def phis(call: WarehouseArguments, e: Expression): Seq[Phi] = {
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
    val (asked, askedType) = values(call, arguments(1))
    call.answer(valueType => ranks(asked, askedType, valueType, arguments(1)))
  }

  private def values(call: WarehouseArguments, e: Expression): (Seq[Any], DataType) = {
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
    if (all.isEmpty || all.contains(null) || SqlValues.of(itemType).isEmpty) call.refuse("value", required, e)
    (all, itemType)
  }

  private def ranks(asked: Seq[Any], askedType: DataType, valueType: DataType, e: Expression): Wanted = {
    val from = SqlValues.of(askedType).get
    val to = Definition.domain(valueType)
    val keys = Conditions.analysing(Name, e.origin) {
      asked.map(value => Conversion.floor(from.key(value), from.domain, to))
    }
    Ranks(asked, askedType, keys)
  }
}
