package chronosketch.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types.{ArrayType, DataType}

import chronosketch.rank.Phi

/** The phis asked for: one, or an array of them, in which a reader's column may hold NULLs. */
final class Phis private (isArray: Boolean, each: Array[Phi]) extends Serializable {

  /** One answer, or an array of answers in the order asked. */
  def map(answer: Phi => Any): Any =
    if (isArray) new GenericArrayData(each.map(phi => if (phi == null) null else answer(phi)): Array[Any])
    else answer(each(0))
}

object Phis {
  val none = new Phis(isArray = false, Array.empty)

  def of(value: Any, dataType: DataType): Phis = dataType match {
    case ArrayType(element, _) =>
      val array = value.asInstanceOf[ArrayData]
      val each = Array.tabulate(array.numElements()) { i =>
        if (array.isNullAt(i)) null else Arguments.phi(array.get(i, element))
      }
      new Phis(isArray = true, each)
    case _ => new Phis(isArray = false, Array(Arguments.phi(value)))
  }

  /** `one` for a single phi, an array of it for several. */
  def typed(phi: Expression, one: DataType): DataType = phi.dataType match {
    case ArrayType(_, containsNull) => ArrayType(one, containsNull)
    case _ => one
  }
}
