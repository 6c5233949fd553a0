package chronosketch.summary

import scala.reflect.ClassTag

import chronosketch.Refusal
import chronosketch.domain.Domain

/** A kind of summary, as the rest of the library sees it. `sketch_merge`, the laws and the golden tests run over the list of
  * them.
  *
  * @tparam S its summaries: their type says what they can do
  */
abstract class Family[+S <: Summary](implicit tag: ClassTag[S]) extends Serializable {

  /** Stands in stored bytes and never changes. */
  def id: Int

  /** What SQL and messages call it. */
  def name: String

  /** The numbers that stand in the header of stored bytes, in their order. */
  def parameters: Seq[Parameter]

  /** The SQL aggregate that its sketches come from, and the arguments before its parameters: the value, then the time if it takes
    * one. Empty where there is no such aggregate.
    */
  def aggregate: Seq[String]

  /** Whether [[aggregate]] takes a parameter as an argument. */
  def isArgument(parameter: Parameter): Boolean = true

  /** How SQL builds a sketch whose value is cast to a type, for messages; none where no aggregate does. */
  final def ofValue(numbers: Seq[Double])(sqlType: String): Option[String] = building(numbers, 1, sqlType)

  /** How SQL builds a sketch whose time, or other second argument, is cast to a type. */
  final def ofSecond(numbers: Seq[Double])(sqlType: String): Option[String] = building(numbers, 2, sqlType)

  private def building(numbers: Seq[Double], place: Int, sqlType: String): Option[String] =
    Option.when(aggregate.nonEmpty) {
      val tuning =
        parameters.zip(numbers).collect {
          case (parameter, n) if isArgument(parameter) => s"${parameter.name} => ${Parameter.text(n)}"
        }
      val arguments = aggregate.updated(place, s"CAST(${aggregate(place)} AS $sqlType)").tail ++ tuning
      s"${aggregate.head}(${arguments.mkString(", ")})"
    }

  /** Whether values can be of this type. */
  def takes(domain: Domain): Boolean = true

  /** The header with these numbers, each of which its parameter allows. */
  def header(domain: Domain, numbers: Seq[Double]): Header[S]

  /** The class of its summaries. */
  final def summaryClass: Class[_] = tag.runtimeClass

  /** Whether each of its summaries has the capability. */
  final def can(capability: Class[_ <: Summary]): Boolean = capability.isAssignableFrom(summaryClass)

  /** Whether summaries of both do the same by different methods, so that an empty one of either can stand beside the other. */
  def isKin(other: Family[Summary]): Boolean = other eq this

  /** The summary as one of this family; one of another is refused. */
  final def own(that: Summary): S =
    if (that.family eq this) that.asInstanceOf[S]
    else throw Refusal("CHRONOSKETCH_FAMILIES_DIFFER", "left" -> name, "right" -> that.family.name)

  override def toString: String = name
}

/** A family whose summaries take values, and are made of nothing but the values' type and the parameters. */
abstract class InsertingFamily[+S <: Inserts](implicit tag: ClassTag[S]) extends Family[S] {

  /** What an empty summary with these parameters is made of. */
  def recipe(domain: Domain, numbers: Seq[Double]): InsertingRecipe[S]

  final def header(domain: Domain, numbers: Seq[Double]): Header[S] = recipe(domain, numbers)
}
