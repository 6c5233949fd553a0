package chronosketch.spark.sql

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types.{ArrayType, DataType, StringType}

import chronosketch.rank.{Phi, Tail}

/** The requested phis: one, or an array. An array from a column may contain NULLs. */
final class Phis private (isArray: Boolean, each: Array[Phi]) extends Serializable {

  /** All phis, in the order requested. */
  def all: Seq[Phi] = each.toSeq

  /** Computes one answer, or an array of answers in the order requested. */
  def map(answer: Phi => Any): Any =
    // a single phi avoids the boxed index: a window may have few rows, and a query millions of windows
    if (isArray) mapPlaces(place => answer(each(place))) else answer(each(0))

  /** Like [[map]], but passes the index of a phi in [[all]]. */
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

  /** @param isFromGreatest whether phis count down from the greatest value */
  def of(value: Any, dataType: DataType, isFromGreatest: Boolean = false): Phis = {
    def phi(share: Any): Phi = {
      val fromLeast = Arguments.phi(share)
      if (isFromGreatest) fromLeast.fromGreatest else fromLeast
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

  /** The type of the answer: `one` for a single phi, an array of it for an array of phis. */
  def typed(phi: Expression, one: DataType): DataType = phi.dataType match {
    case ArrayType(_, containsNull) => ArrayType(one, containsNull)
    case _ => one
  }
}

/** The ways to answer a quantile between two values: the nearest value, or a number on the line between them. */
private[spark] object Interpolation {
  val Nearest = "nearest"
  val Linear = "linear"

  /** Whether a constant names linear interpolation. An unknown name is rejected. */
  def isLinear(function: String, e: Expression): Boolean = {
    val name = ConstantName.of(e)
    if (name != Nearest && name != Linear)
      ConstantName.refuse("CHRONOSKETCH_UNKNOWN_INTERPOLATION", function, "interpolation", e)
    name == Linear
  }
}

/** Reads the argument `tail` of functions that build quantile sketches. */
private[spark] object TailArgument {

  /** The tail that a constant names; None if it is NULL. An unknown name is rejected. */
  def of(function: String, e: Expression): Option[Tail] =
    if (e.foldable && Arguments.constant(e) == null) None
    else {
      val tail = Tail.named(ConstantName.of(e))
      if (tail.isEmpty) ConstantName.refuse("CHRONOSKETCH_UNKNOWN_TAIL", function, "tail", e)
      tail
    }

  /** Rejects the name of a tail in the place of the frequency, which comes before it. */
  def refuseAsFrequency(function: String, frequency: Expression): Unit =
    Tail.named(ConstantName.of(frequency)).foreach { _ =>
      val hint = s"If it is the tail, write tail => ${Arguments.unqualified(frequency)}."
      Arguments.refuseType(function, "frequency", frequency, "a whole number", hint)
    }
}

/** Reads the argument `sum` of functions that build quantile sketches. */
private[spark] object SumArgument {

  /** Whether the sketches keep sums. NULL is false. Anything but a constant BOOLEAN is rejected. */
  def of(function: String, e: Expression): Boolean =
    (if (e.foldable) Arguments.constant(e) else e) match {
      case null => false
      case keeps: Boolean => keeps
      case _ =>
        throw Conditions.analysisError(
          "CHRONOSKETCH_UNKNOWN_SUM",
          e.origin,
          "function" -> function,
          "sum" -> Arguments.unqualified(e)
        )
    }
}

/** A constant argument that is one of a few names. */
private object ConstantName {

  /** The name in lower case; empty if the expression is not a constant text. */
  def of(e: Expression): String = text(e).fold("")(_.toLowerCase(Locale.ROOT))

  /** Throws the error that a name is unknown, with the argument as it was written. */
  def refuse(condition: String, function: String, argument: String, e: Expression): Nothing =
    throw Conditions.analysisError(
      condition,
      e.origin,
      "function" -> function,
      argument -> text(e).fold(Arguments.unqualified(e))(name => s"'$name'")
    )

  private def text(e: Expression): Option[String] = e.dataType match {
    case _: StringType if e.foldable => Option(Arguments.constant(e)).map(_.toString)
    case _ => None
  }
}
