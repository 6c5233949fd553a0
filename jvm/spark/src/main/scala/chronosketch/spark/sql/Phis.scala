package chronosketch.spark.sql

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types.{ArrayType, DataType}

import chronosketch.rank.Phi

/** The phis asked for: one, or an array of them, in which a reader's column may hold NULLs. */
final class Phis private (isArray: Boolean, each: Array[Phi]) extends Serializable {

  /** All of them, in the order asked. */
  def all: Seq[Phi] = each.toSeq

  /** One answer, or an array of answers in the order asked. */
  def map(answer: Phi => Any): Any =
    // no place in a box for a single phi: a window may have few rows, and a query millions of windows
    if (isArray) mapPlaces(place => answer(each(place))) else answer(each(0))

  /** As [[map]], by the place of a phi in [[all]]. */
  def mapPlaces(answer: Int => Any): Any =
    if (isArray) {
      val answers = new Array[Any](each.length)
      var i = 0
      while (i < each.length) {
        if (each(i) != null) answers(i) = answer(i)
        i += 1
      }
      new GenericArrayData(answers)
    } else answer(0)
}

object Phis {
  val none = new Phis(isArray = false, Array.empty)

  /** @param isFromGreatest whether they count from the greatest value */
  def of(value: Any, dataType: DataType, isFromGreatest: Boolean = false): Phis = {
    def phi(share: Any): Phi = {
      val ofLeast = Arguments.phi(share)
      if (isFromGreatest) ofLeast.fromGreatest else ofLeast
    }
    dataType match {
      case ArrayType(element, _) =>
        val array = value.asInstanceOf[ArrayData]
        val each = Array.tabulate(array.numElements()) { i =>
          if (array.isNullAt(i)) null else phi(array.get(i, element))
        }
        new Phis(isArray = true, each)
      case _ => new Phis(isArray = false, Array(phi(value)))
    }
  }

  /** `one` for a single phi, an array of it for several. */
  def typed(phi: Expression, one: DataType): DataType = phi.dataType match {
    case ArrayType(_, containsNull) => ArrayType(one, containsNull)
    case _ => one
  }
}
