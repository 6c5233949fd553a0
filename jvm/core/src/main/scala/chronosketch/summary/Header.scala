package chronosketch.summary

import chronosketch.codec.Wire
import chronosketch.domain.Domain

/** What stands before the payload of a stored summary: its family, the type of its values, and its parameters, which each family
  * has as fields of its own. It reads the payloads that follow it.
  */
trait Header[+S <: Summary] extends Serializable {
  def family: Family[S]
  def domain: Domain

  /** The parameters as they are stored, in the order of the family's. */
  def numbers: Seq[Double]

  /** What [[Summary.write]] wrote; a refusal where the bytes can't be that. */
  def read(reader: Wire.Reader): S

  /** The union with a stored summary, into `summary`. Refuses all that [[read]] and [[Summary.merge]] refuse, and bytes that follow
    * the payload, before anything changes.
    */
  def mergeInto(summary: Summary, reader: Wire.Reader): Unit = {
    val that = read(reader)
    reader.requireEnd()
    summary.merge(that)
  }

  /** How few keys are kept in place of a summary; none where they always need one. */
  def bags: Option[Bags[S]] = None

  /** The parameters with their names. */
  final def named: Seq[(String, Double)] = family.parameters.map(_.name).zip(numbers)
}
