package chronosketch.summary

import java.util.Arrays

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.{Cast, Domain, Kind}
import chronosketch.memory.Meter
import chronosketch.rank.Phi

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
  def newEmpty: Same

  /** Merges another summary of the same family into this one. `that` still summarises the same elements. The value types must have
    * a common wider type, which becomes the type of this summary.
    */
  final def merge(that: Summary): Unit = {
    val other = family.own(that)
    if (other eq this) throw new IllegalArgumentException("a summary can't be merged into itself")
    val wider =
      domain.widenOrRefuse(other.domain, family.ofValue(header.numbers), Summary.isCast(this, other))
    requireAlike(other)
    ElementCount.requireRoom(maxCount, other.maxCount)
    mergeChecked(other, wider)
  }

  /** Refuses a summary whose other parameters differ. The value types have been checked before. */
  protected def requireAlike(that: Same): Unit = ()

  /** Merges a summary that has passed all checks. If it refuses after all, it does so before anything changes. */
  protected def mergeChecked(that: Same, wider: Domain): Unit

  /** The largest possible number of elements, for the check that a merge stays below 2⁶³. */
  private[chronosketch] def maxCount: Long = count

  /** Whether it has seen no value. [[Summary.union]] then takes nothing from it, not even its parameters. */
  def isEmpty: Boolean = maxCount == 0L

  /** This summary without what those of a related family do not keep, so that the two can be merged. */
  def reducedTo(other: Family[Summary]): Summary = this

  /** Why a cast of its values would break what it promises; None if it keeps all of that. The summary must not be empty. */
  def castObstacle(cast: Cast): Option[String] = None

  /** A new summary of the same elements whose values are cast. Casts keep the order of values, so all bounds of ranks stay true.
    * Requires that there is no [[castObstacle]]. Refuses a value that the other type does not have.
    */
  def castBy(cast: Cast): Same

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
    * [[Family.isKin related]] ones; then the union keeps what both have ([[Summary.reducedTo]]). Numbers of two types are cast to the type that holds all of them exactly, if there is one
    * ([[Domain.coerced]]).
    */
  def union(into: Summary, that: Summary): Summary = {
    if (!into.family.isKin(that.family)) into.family.own(that)
    if (that.isEmpty) if (into.isEmpty && isBefore(that, into)) copy(that) else into
    else if (into.isEmpty) copy(that)
    else {
      val (left, right) = inOneType(into.reducedTo(that.family), that.reducedTo(into.family))
      left.merge(right)
      left
    }
  }

  /** Casts one or both to the type that holds the values of both; the same two if there is none, or they need no cast. */
  private def inOneType(left: Summary, right: Summary): (Summary, Summary) = {
    val isMixed = left.domain.widen(right.domain).isEmpty && (left.family eq right.family)
    val wider = if (isMixed) left.domain.coerced(right.domain) else None
    wider.filter(to => isCast(left, right)(left.domain, to) && isCast(left, right)(right.domain, to))
      .fold((left, right))(to => (cast(left, to), cast(right, to)))
  }

  /** Whether one of two summaries, that with values of the type `from`, can be cast to another type. */
  private def isCast(left: Summary, right: Summary)(from: Domain, to: Domain): Boolean = {
    val summary = if (from == left.domain) left else right
    summary.domain.widen(to).contains(to) || Cast.of(from, to).exists(summary.castObstacle(_).isEmpty)
  }

  /** The summary with its values cast to a type. `summary` stays as it is. Refuses a type that breaks what the summary promises, and a
    * value that the type does not have.
    */
  def cast(summary: Summary, to: Domain): Summary =
    if (summary.domain == to) summary
    else {
      val cast =
        Cast.of(summary.domain, to).getOrElse(throw notCastable(summary, to, noCast(summary.domain, to)))
      val obstacle = if (summary.isEmpty) None else summary.castObstacle(cast)
      obstacle.foreach(reason => throw notCastable(summary, to, reason))
      summary.castBy(cast)
    }

  private def noCast(from: Domain, to: Domain): String =
    if (isTimeOfZone(from) && isTimeOfZone(to)) "that depends on the time zone of a session"
    else "no cast between them keeps the order of the values"

  private def isTimeOfZone(domain: Domain): Boolean = domain.kind match {
    case Kind.Date | Kind.Timestamp | Kind.TimestampNtz => true
    case _ => false
  }

  private def notCastable(summary: Summary, to: Domain, reason: String): Refusal = {
    val isOfSpark =
      (summary.domain.isNumeric && to.isNumeric) || (isTimeOfZone(summary.domain) && isTimeOfZone(to))
    val call = if (isOfSpark) summary.family.ofValue(summary.header.numbers)(to.sql) else None
    Refusal(
      "CHRONOSKETCH_NOT_CASTABLE",
      "family" -> summary.family.name,
      "held" -> summary.domain.sql,
      "asked" -> to.sql,
      "reason" -> reason,
      "fix" -> call.fold("Keep its type.")(built => s"Build it again from cast values: $built.")
    )
  }

  /** Returns a new summary with the same bytes. */
  private def copy(summary: Summary): Summary =
    Envelope.open(Envelope.seal(summary), _ => Some(summary.family))

  private def isBefore(one: Summary, other: Summary): Boolean =
    Arrays.compareUnsigned(Envelope.seal(one), Envelope.seal(other)) < 0
}

/** A summary that draws random numbers. */
trait RandomSummary extends Summary {

  /** Mixes a number into the random stream. Rows that are not drawn yet, those that wait for it included, are drawn from what follows. */
  private[chronosketch] def mixIn(number: Long): Unit
}

/** A summary that accepts values. */
trait Inserts extends Summary {
  def insert(key: Long): Unit

  /** Inserts the keys from `from` until `until`, in this order. */
  def insertAll(keys: Array[Long], from: Int, until: Int): Unit

  /** Inserts `copies` ≥ 0 elements with the same key. */
  def insert(key: Long, copies: Long): Unit

  /** All inserted keys, if they are at most `most` and still buffered one by one; otherwise null. */
  private[chronosketch] def bufferedKeys(most: Int): BufferedKeys = null
}

/** A summary that accepts values with times. */
trait Timed extends Summary {
  def timeDomain: Domain

  /** Inserts a row. `time` has the units of [[timeDomain]]; bit i of `passed` says whether the row passed filter i. */
  def insert(key: Long, time: Long, passed: Int): Unit

  /** Inserts `copies` ≥ 0 equal rows. */
  def insert(key: Long, time: Long, passed: Int, copies: Long): Unit

  /** Inserts the rows from `from` until `until`, in this order. None of them passed a filter. */
  def insertAll(keys: Array[Long], times: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { insert(keys(i), times(i), 0); i += 1 }
  }
}

/** A summary that also accepts the id of the row that a value and its time belong to. */
trait TimedRows extends Timed {

  /** Inserts a row. Each row has its own `id`. */
  def insertRow(key: Long, time: Long, id: Long): Unit
}

/** A summary that accepts pairs of values. */
trait InsertsPairs extends Summary {
  def insertPair(first: Long, second: Long): Unit
}

/** The keys that a summary has buffered, in order of arrival: the first `size` elements of an array. The array may belong to the
  * summary, so its contents are valid only until the summary's next call.
  */
private[chronosketch] final class BufferedKeys(val keys: Array[Long], val size: Int)

/** The properties that a summary reports to users. A property is None if the summary's family does not have it.
  *
  * @param parameters the family's parameters with their names
  * @param error      the largest rank error of an answer, as a share of the elements
  * @param confidence the probability that the error and all bounds hold; 1 if they always do
  * @param kept       the number of values in a sample
  * @param exact      whether every answer is exact
  * @param times      the type of the times
  * @param retention  how far back windows reach, in units of the times; None: to the first row
  * @param filters    the names of the filters
  * @param panes      the number of panes that have rows
  * @param trees      the number of trees and logs that hold the versions
  * @param clamped    the number of ignored deletes: those of values that were not alive
  * @param answers    how each φ that was declared beforehand is answered
  */
final case class Description(
    parameters: Seq[(String, Double)],
    error: Option[Double] = None,
    confidence: Option[Double] = None,
    kept: Option[Long] = None,
    exact: Option[Boolean] = None,
    times: Option[Domain] = None,
    retention: Option[Long] = None,
    filters: Option[Seq[String]] = None,
    panes: Option[Int] = None,
    trees: Option[Int] = None,
    clamped: Option[Long] = None,
    answers: Option[Seq[Description.Answered]] = None
)

object Description {

  /** A declared φ and how it is answered; `by` is None if there are no rows. */
  final case class Answered(phi: Phi, by: Option[Way])

  /** How a φ is answered.
    *
    * @param method  the method that answers
    * @param reason  why this method was chosen
    * @param need    the rank of the φ-quantile, counted from the greatest element
    * @param reached the number of greatest elements that the stored values represent
    * @param bursty  whether the greatest values of neighbouring panes differ beyond chance; None if no greatest values are stored
    * @param bound   the largest error of the mean, with 95 % confidence, if rows are independent and identically distributed; None
    *                if it is not known
    */
  final case class Way(
      method: String,
      reason: String,
      need: Long,
      reached: Long,
      bursty: Option[Boolean],
      bound: Option[Double]
  )
}
