package chronosketch.window

import chronosketch.Refusal
import chronosketch.bucketing.{BucketList, BucketPolicy, Buckets, RowBlock}
import chronosketch.counted.ElementCount
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.summary.{Description, Family, Recipe, Summary, Timed}

/** Base class of the summaries from which any window can be taken later: it divides rows into classes, and removes them after the
  * retention.
  *
  * Guarantee  as in [[Buckets]], for the contents that `bucketPolicy` stores
  * Cost       as in [[Buckets]]
  * Units      times in units of `timeDomain`: microseconds, days or whole numbers, any Long
  * Merge      allowed if values and times widen and the filters are the same; the larger ε and the shorter retention count
  * Source     docs/algorithms.md, Windows
  */
abstract class Windowed private[chronosketch] (
    initialDomain: Domain,
    initialTimeDomain: Domain,
    initialEpsilon: Double,
    initialRetention: Long,
    val filters: Vector[String],
    bucketPolicy: BucketPolicy
) extends Summary
    with Timed
    with Metered {
  type Same <: Windowed

  Filters.check(filters)
  require(initialRetention >= 1, s"a retention of $initialRetention")

  private var currentDomain = initialDomain
  private var currentTimeDomain = initialTimeDomain
  private var currentEpsilon = initialEpsilon
  private var currentRetention = initialRetention

  // one entry per class; null if the class has no rows
  private val insertedClasses = new Array[Buckets](Filters.classes(filters.size))
  private var insertedNewest = Long.MinValue
  private var forgottenRows = 0L

  /** Inserts the rows that a subclass has kept aside, if there are any. */
  protected def insertWaiting(): Unit = ()

  private def classes: Array[Buckets] = {
    insertWaiting()
    insertedClasses
  }

  private def newestTime: Long = {
    insertWaiting()
    insertedNewest
  }

  /** Whether a cached answer is still valid: nothing was inserted since. */
  protected var isCacheValid = false

  def domain: Domain = currentDomain
  def timeDomain: Domain = currentTimeDomain
  def epsilon: Double = currentEpsilon

  /** The share of the rows after an edge that may be in buckets which straddle the edge. */
  private[window] def bucketEpsilon: Double = currentEpsilon

  /** The rows up to `asOf` that a constraint selects. The window ends at `asOf`, or at the newest row. */
  def restrict(constraint: Constraint, asOf: Option[Long]): Summary

  /** How far back windows reach; [[Windowed.KeepAll]] if there is no limit. */
  def retention: Long = currentRetention

  /** The latest time. Undefined for an empty sketch. */
  def newest: Long = newestTime

  /** Number of elements that retention has removed. */
  def forgotten: Long = { forgetExpired(); forgottenRows }

  /** Number of elements retained. */
  def count: Long = {
    forgetExpired()
    totalCount
  }

  private def totalCount: Long = {
    var sum = 0L
    var i = 0
    while (i < classes.length) {
      if (classes(i) != null) sum += classes(i).count
      ElementCount.checked(sum)
      i += 1
    }
    sum
  }

  override def isEmpty: Boolean = { forgetExpired(); classes.forall(c => c == null || c.count == 0) }

  /** Inserts a row. Bit i of `passed`, the row's class, says whether it passes the i-th filter. */
  def insert(key: Long, time: Long, passed: Int): Unit = put(key, time, passed)

  def insert(key: Long, time: Long, passed: Int, copies: Long): Unit = put(key, time, passed, copies)

  /** Inserts a row into the buckets of its class. */
  protected final def put(key: Long, time: Long, passed: Int): Unit = {
    val buckets = bucketsOf(passed)
    if (time > insertedNewest) insertedNewest = time
    isCacheValid = false
    if (buckets.insert(time, key)) makeRoom(buckets)
  }

  /** Inserts rows that pass no filter. */
  protected final def putAll(keys: Array[Long], times: Array[Long], from: Int, until: Int): Unit =
    if (from < until) {
      val buckets = bucketsOf(0)
      var newest = insertedNewest
      var i = from
      while (i < until) { newest = math.max(newest, times(i)); i += 1 }
      insertedNewest = newest
      isCacheValid = false
      i = from
      while (i < until) {
        i = buckets.insertAll(times, keys, i, until)
        if (buckets.isBlockFull) makeRoom(buckets)
      }
    }

  protected final def put(key: Long, time: Long, passed: Int, copies: Long): Unit = {
    if (copies > 1) ElementCount.requireRoom(totalCount, copies)
    if (copies < Windowed.HeavyCopies) {
      var i = copies
      while (i > 0) { put(key, time, passed); i -= 1 }
    } else {
      if (time > newestTime) insertedNewest = time
      bucketsOf(passed).insert(time, key, copies)
      invalidate()
    }
  }

  private def bucketsOf(passed: Int): Buckets = {
    val buckets = classes(passed)
    if (buckets != null) buckets
    else {
      classes(passed) = new Buckets(currentDomain, currentEpsilon, bucketPolicy)
      report()
      classes(passed)
    }
  }

  private def makeRoom(buckets: Buckets): Unit = {
    buckets.makeRoom()
    invalidate()
  }

  private def invalidate(): Unit = {
    isCacheValid = false
    report()
  }

  /** Removes the rows that are older than the retention. */
  private def forgetExpired(): Unit =
    if (hasHorizon) {
      val until = horizon
      var i = 0
      while (i < classes.length) {
        if (classes(i) != null) addForgotten(classes(i).forget(until))
        i += 1
      }
    }

  /** Saturates at Long.MaxValue, because a stored sketch may claim any number of forgotten rows. */
  private def addForgotten(rows: Long): Unit = {
    val sum = forgottenRows + rows
    forgottenRows = if (sum < 0) Long.MaxValue else sum
  }

  /** Whether there is a [[horizon]]. If it would be before the earliest possible time, no row is too old. */
  private[chronosketch] def hasHorizon: Boolean =
    currentRetention != Windowed.KeepAll && newestTime >= Long.MinValue + currentRetention

  /** Rows up to this time may have been removed. */
  private[chronosketch] def horizon: Long = Windowed.back(newestTime, currentRetention)

  /** The buckets of a class. */
  private[chronosketch] def list(passed: Int): BucketList = {
    forgetExpired()
    if (classes(passed) == null) Windowed.NoBuckets else classes(passed).list
  }

  /** The rows, if a partial aggregate should pass them on unchanged and not as a summary; otherwise null. */
  private[chronosketch] def rowsOfPart: RowBlock = null

  /** The rows, if all are stored unchanged and there are at most `most`; otherwise null. */
  protected final def rows(most: Double): RowBlock =
    if (retention == Windowed.KeepAll && classes.length == 1 && classes(0) != null) classes(0).rows(most)
    else null

  private[chronosketch] def classCount: Int = insertedClasses.length

  /** Number of buckets, and number of keys and tuples in them. */
  def buckets: Int = (0 until classCount).map(list(_).size).sum
  def tuples: Long = (0 until classCount).map(list(_).tuples).sum

  private def widerTimes(those: Domain): Domain =
    currentTimeDomain.widenTimesOrRefuse(those, family.ofSecond(header.numbers))

  override protected def requireAlike(that: Same): Unit = {
    widerTimes(that.timeDomain)
    if (filters != that.filters) {
      throw Refusal(
        "CHRONOSKETCH_FILTERS_DIFFER",
        "left" -> Filters.text(filters),
        "right" -> Filters.text(that.filters)
      )
    }
  }

  protected def mergeChecked(that: Same, wider: Domain): Unit = {
    currentDomain = wider
    currentTimeDomain = widerTimes(that.timeDomain)
    currentEpsilon = math.max(currentEpsilon, that.bucketEpsilon)
    currentRetention = math.min(currentRetention, that.retention)
    insertedNewest = math.max(newestTime, that.newest)
    addForgotten(that.forgottenRows)
    var i = 0
    while (i < classes.length) {
      val theirs = if (that.classes(i) == null) Windowed.NoBuckets else that.classes(i).unjoinedList
      if (theirs.size > 0) bucketsOf(i)
      if (classes(i) != null) classes(i).merge(theirs, wider, currentEpsilon)
      i += 1
    }
    invalidate()
  }

  protected def heldBytes: Long = {
    var bytes = Meter.ObjectBytes + Meter.references(insertedClasses.length)
    var i = 0
    while (i < insertedClasses.length) {
      if (insertedClasses(i) != null) bytes += Meter.ObjectBytes + insertedClasses(i).sizeBytes
      i += 1
    }
    bytes
  }

  /** Fills an empty summary of another value type with the buckets of this one. */
  protected final def castInto[S <: Windowed](empty: S)(castList: BucketList => BucketList): S = {
    empty.restore(newestTime, forgotten)
    var c = 0
    while (c < classes.length) {
      if (list(c).size > 0) empty.restore(c, castList(list(c)))
      c += 1
    }
    empty
  }

  private[window] def restore(passed: Int, list: BucketList): Unit = {
    bucketsOf(passed).restore(list)
    invalidate()
  }

  private[window] def restore(newest: Long, forgotten: Long): Unit = {
    insertedNewest = newest
    forgottenRows = forgotten
  }

  override def description: Description = super.description.copy(
    times = Some(currentTimeDomain),
    retention = Some(currentRetention).filter(_ != Windowed.KeepAll),
    filters = Some(filters)
  )
}

object Windowed {

  /** The retention of a sketch that removes no rows. */
  val KeepAll: Long = Long.MaxValue

  /** From this number on, copies are inserted together and not one by one. */
  private val HeavyCopies = 16L

  private val NoBuckets = new BucketList(0)

  /** Whether a span back from a time reaches before the earliest possible time, so that it excludes nothing. */
  private[window] def reachesAll(from: Long, span: Long): Boolean =
    back(from, span) == Long.MinValue && from != Long.MinValue + span

  /** The time `span` before another, or the earliest possible one. */
  private[chronosketch] def back(time: Long, span: Long): Long = {
    val earlier = time - span
    if (earlier > time) Long.MinValue else earlier
  }
}

/** A family of [[Windowed]] summaries. */
trait WindowedFamily[+S <: Windowed] { self: Family[S] =>

  /** The parameters of an empty summary. */
  def recipe(
      domain: Domain,
      timeDomain: Domain,
      numbers: Seq[Double],
      retention: Long,
      filters: Vector[String]
  ): Recipe[S]
}

object WindowedFamily {

  /** The text for EXPLAIN. */
  private[chronosketch] def text(family: Family[Windowed], retention: Long, filters: Seq[String]): String = {
    val kept = if (retention == Windowed.KeepAll) "" else s" of the last $retention"
    val by = if (filters.isEmpty) "" else s" by ${Filters.text(filters)}"
    s"${family.name}$kept$by"
  }
}
