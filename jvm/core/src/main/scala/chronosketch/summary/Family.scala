package chronosketch.summary

import scala.reflect.ClassTag

import chronosketch.Refusal
import chronosketch.domain.Domain

/** A kind of summary. Code that handles any sketch, such as `sketch_merge`, the laws and the golden tests, works with families.
  *
  * @tparam S the type of its summaries, which says what they can do
  */
abstract class Family[+S <: Summary](implicit tag: ClassTag[S]) extends Serializable {

  /** Stored in every sketch; never changes. */
  def id: Int

  /** The name in SQL and in messages. */
  def name: String

  /** The parameters that the header of a stored sketch contains, in their order. */
  def parameters: Seq[Parameter]

  /** The SQL aggregate that its sketches come from, and the arguments before its parameters: the value, then the time if it takes
    * one. Empty where there is no such aggregate.
    */
  def aggregate: Seq[String]

  /** Whether [[aggregate]] takes a parameter as an argument. */
  def isArgument(parameter: Parameter): Boolean = true

  /** How SQL builds a sketch whose value is cast to a type, for messages. None if no aggregate builds it. */
  final def ofValue(numbers: => Seq[Double])(sqlType: String): Option[String] = building(numbers, 1, sqlType)

  /** How SQL builds a sketch whose time, or other second argument, is cast to a type. */
  final def ofSecond(numbers: => Seq[Double])(sqlType: String): Option[String] = building(numbers, 2, sqlType)

  private def building(numbers: Seq[Double], place: Int, sqlType: String): Option[String] =
    Option.when(aggregate.nonEmpty) {
      val tuning =
        parameters.zip(numbers).collect {
          case (parameter, n) if isArgument(parameter) => s"${parameter.name} => ${Parameter.text(n)}"
        }
      val arguments = aggregate.updated(place, s"CAST(${aggregate(place)} AS $sqlType)").tail ++ tuning
      s"${aggregate.head}(${arguments.mkString(", ")})"
    }

  /** Whether the summaries accept values of this type. */
  def takes(domain: Domain): Boolean = true

  /** The header with these values of the parameters. Each value must be allowed by its parameter. */
  def header(domain: Domain, numbers: Seq[Double]): Header[S]

  /** The class of the summaries. */
  final def summaryClass: Class[_] = tag.runtimeClass

  /** Whether all summaries of the family have the capability. */
  final def can(capability: Class[_ <: Summary]): Boolean = capability.isAssignableFrom(summaryClass)

  /** Whether summaries of both do the same by different methods, so that an empty one of either can stand beside the other. */
  def isKin(other: Family[Summary]): Boolean = other eq this

  /** Casts a summary to the type of this family. Refuses a summary of another family. */
  final def own(that: Summary): S =
    if (that.family eq this) that.asInstanceOf[S]
    else throw Refusal("CHRONOSKETCH_FAMILIES_DIFFER", "left" -> name, "right" -> that.family.name)

  override def toString: String = name
}

/** A family whose summaries accept values. The type of the values and the parameters are all that an empty one needs. */
abstract class InsertingFamily[+S <: Inserts](implicit tag: ClassTag[S]) extends Family[S] {

  /** The recipe of summaries with these values of the parameters. */
  def recipe(domain: Domain, numbers: Seq[Double]): InsertingRecipe[S]

  final def header(domain: Domain, numbers: Seq[Double]): Header[S] = recipe(domain, numbers)
}

/** A tuning parameter: its name in SQL, its default and the closed range of its values. If `isWhole`, only whole numbers are
  * allowed.
  */
final case class Parameter(
    name: String,
    default: Double,
    least: Double,
    greatest: Double,
    isWhole: Boolean = false
) {
  def allows(value: Double): Boolean =
    value >= least && value <= greatest && (!isWhole || value == math.rint(value))

  def range: String = {
    val ends = s"[${Parameter.text(least)}, ${Parameter.text(greatest)}]"
    if (isWhole) s"the whole numbers of $ends" else ends
  }
}

object Parameter {

  /** Turns −0.0 into 0.0: where ε is −0.0, 2/ε would be −∞ and could not serve as an upper limit. */
  def unsigned(value: Double): Double = value + 0.0

  def text(value: Double): String = new java.math.BigDecimal(value.toString).stripTrailingZeros.toPlainString
}
