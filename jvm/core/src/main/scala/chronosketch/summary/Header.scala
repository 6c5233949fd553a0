package chronosketch.summary

import chronosketch.codec.Wire
import chronosketch.domain.Domain

/** The header of a stored summary: its family, the type of its values and its parameters, which each family has as fields of its
  * own. It decodes the payloads that follow it.
  */
trait Header[+S <: Summary] extends Serializable {
  def family: Family[S]
  def domain: Domain

  /** The stored values of the family's parameters, in their order. */
  def numbers: Seq[Double]

  /** Decodes what [[Summary.write]] wrote. Refuses bytes that cannot be a payload. */
  def read(reader: Wire.Reader): S

  /** Merges a stored summary into `summary`. Before anything changes, refuses what [[read]] and [[Summary.merge]] refuse, and bytes
    * after the payload.
    */
  def mergeInto(summary: Summary, reader: Wire.Reader): Unit = {
    val that = read(reader)
    reader.requireEnd()
    summary.merge(that)
  }

  /** Makes summaries from bags of few keys; None if even few keys need a summary. */
  def bags: Option[Bags[S]] = None

  /** The values of the parameters with their names. */
  final def named: Seq[(String, Double)] = family.parameters.map(_.name).zip(numbers)
}
