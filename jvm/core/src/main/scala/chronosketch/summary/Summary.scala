package chronosketch.summary

import java.util.Arrays

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
    val wider = domain.widenOrRefuse(other.domain, family.ofValue(header.numbers))
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

  /** Whether it has seen nothing. [[Summary.union]] then takes nothing from it, not even its parameters. */
  def isEmpty: Boolean = held == 0L

  /** From now on the memory that it holds counts on `owner`, and no longer on the owner before; null: on nobody. */
  def meteredBy(owner: Meter): Unit

  def write(writer: Wire.Writer): Unit

  /** What it tells of itself. */
  def description: Description = Description(header.named)
}

object Summary {

  /** The union of stored summaries, each of which says for itself what it is: `into` is used up, and `that` stays as it is.
    *
    * One that has seen nothing is neutral, whatever its type and parameters: the union is the other one. Of two of them it is the one whose
    * bytes come first, so that the order of merging doesn't matter. Families must be the same in any case, but for
    * [[Family.isKin kin]].
    */
  def union(into: Summary, that: Summary): Summary = {
    if (!into.family.isKin(that.family)) into.family.own(that)
    if (that.isEmpty) if (into.isEmpty && isBefore(that, into)) copy(that) else into
    else if (into.isEmpty) copy(that)
    else {
      into.merge(that)
      into
    }
  }

  /** Another with the same bytes. */
  private def copy(summary: Summary): Summary =
    Envelope.open(Envelope.seal(summary), _ => Some(summary.family))

  private def isBefore(one: Summary, other: Summary): Boolean =
    Arrays.compareUnsigned(Envelope.seal(one), Envelope.seal(other)) < 0
}
