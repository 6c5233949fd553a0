package chronosketch.summary

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.Domain
import chronosketch.memory.Meter

/** The state that summarises a bag of keys. It declares what all families can do; [[Inserts]], [[Timed]], [[Bounded]], [[Ranked]],
  * [[Estimates]] and others declare what only some can. Not thread-safe.
  */
trait Summary {

  /** The type of the summaries that can be merged into this one. */
  type Same <: Summary

  def family: Family[Same]
  def domain: Domain

  /** The header of its stored form. A merge may change it. */
  def header: Header[Same]

  /** The number of elements; an estimate if the [[countBounds]] differ. */
  def count: Long

  /** Bounds on the number of elements. */
  def countBounds: (Long, Long) = (count, count)

  /** A new empty summary that can be merged with whatever this one can. */
  def fresh: Same

  /** Merges another summary of the same family into this one. `that` still summarises the same elements. The value types must have
    * a common wider type, which becomes the type of this summary.
    */
  final def merge(that: Summary): Unit = {
    val other = family.own(that)
    if (other eq this) throw new IllegalArgumentException("a summary can't be merged into itself")
    val wider = domain.widenOrRefuse(other.domain, family.ofValue(header.numbers))
    requireAlike(other)
    ElementCount.requireRoom(held, other.held)
    unite(other, wider)
  }

  /** Refuses a summary whose other parameters differ. The value types have been checked before. */
  protected def requireAlike(that: Same): Unit = ()

  /** Merges a summary that has passed all checks. If it refuses after all, it does so before anything changes. */
  protected def unite(that: Same, wider: Domain): Unit

  /** The number of elements, for the check that a merge stays below 2⁶³. */
  private[chronosketch] def held: Long = count

  /** Whether it has seen no value. [[Summary.union]] then takes nothing from it, not even its parameters. */
  def isEmpty: Boolean = held == 0L

  /** Counts the held memory on `owner` from now on, and no longer on the previous owner. null: on nobody. */
  def meteredBy(owner: Meter): Unit

  /** Writes the payload of the stored form. */
  def write(writer: Wire.Writer): Unit

  /** The properties that the summary reports to users. */
  def description: Description = Description(header.named)
}

object Summary {

  /** Returns the union of two stored summaries of possibly different types and parameters. `into` may be changed and must not be
    * used again; `that` stays as it is.
    *
    * A summary that has seen no value is neutral, whatever its type and parameters: the union is the other one. The union of two
    * empty ones is the one whose bytes sort first, so that the order of merging does not matter. Both must be of one family or of
    * [[Family.isKin related]] ones.
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

  /** Returns a new summary with the same bytes. */
  private def copy(summary: Summary): Summary =
    Envelope.open(Envelope.seal(summary), _ => Some(summary.family))

  private def isBefore(one: Summary, other: Summary): Boolean =
    Arrays.compareUnsigned(Envelope.seal(one), Envelope.seal(other)) < 0
}
