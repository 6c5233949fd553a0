package chronosketch.summary

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.Domain
import chronosketch.memory.Meter

/** The state that summarises one bag of keys: what all families can do. What only some can do are types of their own: [[Inserts]],
  * [[Timed]], [[Bounded]], [[Ranked]], [[Estimates]]. Not thread-safe.
  */
trait Summary {

  /** The summaries that it can be united with. */
  type Same <: Summary

  def family: Family[Same]
  def domain: Domain

  /** What stands before its bytes; after a merge, what still holds. */
  def header: Header[Same]

  /** Elements seen; the best estimate where [[countBounds]] differ. */
  def count: Long

  /** Bounds that the number of elements lies in. */
  def countBounds: (Long, Long) = (count, count)

  /** One that has seen nothing and can be merged with what this one can. */
  def fresh: Same

  /** The union with another of the same family, into this one; `that` still summarises what it did. Value types must
    * widen, and this one's becomes the wider.
    */
  final def merge(that: Summary): Unit = {
    val other = family.own(that)
    if (other eq this) throw new IllegalArgumentException("a summary can't be merged into itself")
    val wider = domain.widenOrRefuse(other.domain)
    requireAlike(other)
    ElementCount.requireRoom(held, other.held)
    unite(other, wider)
  }

  /** Refuses what differs beside the type of the values, which has been found to widen. */
  protected def requireAlike(that: Same): Unit = ()

  /** The union with another that was found fit. Refuses no more, or before anything has changed. */
  protected def unite(that: Same, wider: Domain): Unit

  /** Elements that 63 bits must hold. */
  private[chronosketch] def held: Long = count

  /** From now on the memory that it holds counts on `owner`, and no longer on the owner before; null: on nobody. */
  def meteredBy(owner: Meter): Unit

  def write(writer: Wire.Writer): Unit

  /** What it tells of itself. */
  def description: Description = Description(header.named)
}
