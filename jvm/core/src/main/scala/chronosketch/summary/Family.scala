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
