package chronosketch.window

import chronosketch.Refusal
import chronosketch.bucketing.{BucketList, Buckets, BucketPolicy, RowBlock}
import chronosketch.counted.ElementCount
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.summary.{Description, Summary, Timed}

/** What all summaries share that any window is taken from later: which rows are kept, in which classes, and for how long?
  *
  * Guarantee  as [[Buckets]] says of what `holding` keeps
  * Cost       as [[Buckets]] has it
  * Units      times as `timeDomain` has them: microseconds, days or whole numbers, any Long
  * Merge      legal when values and times widen and the filters are the same; the larger ε and the shorter retention count
  * Source     docs/algorithms.md, Windows
  */
abstract class Windowed private[chronosketch] (
    initialDomain: Domain,
    initialTimeDomain: Domain,
    initialEpsilon: Double,
    initialRetention: Long,
    val filters: Vector[String],
    holding: BucketPolicy
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

  // by class; null where none of its rows came
  private val classes = new Array[Buckets](Filters.classes(filters.size))
  private var newestTime = Long.MinValue
  private var forgottenRows = 0L

  /** Whether an answer was kept, and nothing came since. */
  protected var isAnswerKept = false

  def domain: Domain = currentDomain
  def timeDomain: Domain = currentTimeDomain
  def epsilon: Double = currentEpsilon

  /** By which share of the rows after an edge buckets may straddle it. */
  private[window] def bucketEpsilon: Double = currentEpsilon

  /** The rows that a constraint means, of those up to `asOf`; the window ends there, or at the newest row. */
  def restrict(constraint: Constraint, asOf: Option[Long]): Summary

  /** How far back windows reach; [[Windowed.KeepAll]] where there is no end to it. */
  def retention: Long = currentRetention

  /** The latest time there is; not when the sketch is empty. */
  def newest: Long = newestTime

  /** Elements that retention has taken away for good. */
  def forgotten: Long = { settle(); forgottenRows }

  /** Elements kept. */
  def count: Long = {
    settle()
    total
  }

  private def total: Long = {
    var sum = 0L
    var i = 0
    while (i < classes.length) {
      if (classes(i) != null) sum += classes(i).count
      ElementCount.of(sum)
      i += 1
    }
    sum
  }

  override def isEmpty: Boolean = { settle(); classes.forall(c => c == null || c.count == 0) }

  /** A row of the class that `passed` tells: bit i for the i-th filter. */
  def insert(key: Long, time: Long, passed: Int): Unit = put(key, time, passed)

  def insert(key: Long, time: Long, passed: Int, copies: Long): Unit = put(key, time, passed, copies)

  /** Into the buckets. */
  protected final def put(key: Long, time: Long, passed: Int): Unit = {
    val buckets = of(passed)
    if (time > newestTime) newestTime = time
    isAnswerKept = false
    if (buckets.insert(time, key)) makeRoom(buckets)
  }

  /** Rows that passed no filter. */
  protected final def putAll(keys: Array[Long], times: Array[Long], from: Int, until: Int): Unit =
    if (from < until) {
      val buckets = of(0)
      var newest = newestTime
      var i = from
      while (i < until) { newest = math.max(newest, times(i)); i += 1 }
      newestTime = newest
      isAnswerKept = false
      i = from
      while (i < until) {
        i = buckets.insertAll(times, keys, i, until)
        if (buckets.isBlockFull) makeRoom(buckets)
      }
    }

  protected final def put(key: Long, time: Long, passed: Int, copies: Long): Unit = {
    if (copies > 1) ElementCount.requireRoom(total, copies)
    if (copies < Windowed.HeavyCopies) {
      var i = copies
      while (i > 0) { put(key, time, passed); i -= 1 }
    } else {
      if (time > newestTime) newestTime = time
      of(passed).insert(time, key, copies)
      changed()
    }
  }

  private def of(passed: Int): Buckets = {
    val buckets = classes(passed)
    if (buckets != null) buckets
    else {
      classes(passed) = new Buckets(currentDomain, currentEpsilon, holding)
      classes(passed)
    }
  }

  private def makeRoom(buckets: Buckets): Unit = {
    buckets.makeRoom()
    changed()
  }

  private def changed(): Unit = {
    isAnswerKept = false
    report()
  }

  /** What is too old is forgotten. */
  private def settle(): Unit =
    if (hasHorizon) {
      val until = horizon
      var i = 0
      while (i < classes.length) {
        if (classes(i) != null) addForgotten(classes(i).forget(until))
        i += 1
      }
    }

  /** A stored sketch may say that it has forgotten any number of rows: more than 63 bits are as good as that. */
  private def addForgotten(rows: Long): Unit = {
    val sum = forgottenRows + rows
    forgottenRows = if (sum < 0) Long.MaxValue else sum
  }

  /** Whether there is a [[horizon]]; where it would lie past the earliest time there is, nothing is too old. */
  private[chronosketch] def hasHorizon: Boolean =
    currentRetention != Windowed.KeepAll && newestTime >= Long.MinValue + currentRetention

  /** Whatever is of this time or before may have been forgotten. */
  private[chronosketch] def horizon: Long = Windowed.back(newestTime, currentRetention)

  /** The buckets of a class. */
  private[chronosketch] def list(passed: Int): BucketList = {
    settle()
    if (classes(passed) == null) Windowed.NoBuckets else classes(passed).list
  }

  /** The rows, where a part of a query had better hand them on as they came than as a summary; else null. */
  private[chronosketch] def rowsOfPart: RowBlock = null

  /** The rows, where all are kept as they came and are no more than these; else null. */
  protected final def rows(most: Double): RowBlock =
    if (retention == Windowed.KeepAll && classes.length == 1 && classes(0) != null) classes(0).rows(most)
    else null

  private[chronosketch] def classCount: Int = classes.length

  /** Buckets, and what they keep in keys and tuples. */
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

  protected def unite(that: Same, wider: Domain): Unit = {
    currentDomain = wider
    currentTimeDomain = widerTimes(that.timeDomain)
    currentEpsilon = math.max(currentEpsilon, that.bucketEpsilon)
    currentRetention = math.min(currentRetention, that.retention)
    newestTime = math.max(newestTime, that.newest)
    addForgotten(that.forgottenRows)
    var i = 0
    while (i < classes.length) {
      val theirs = if (that.classes(i) == null) Windowed.NoBuckets else that.classes(i).unjoinedList
      if (theirs.size > 0) of(i)
      if (classes(i) != null) classes(i).merge(theirs, wider, currentEpsilon)
      i += 1
    }
    changed()
  }

  protected def heldBytes: Long = {
    var bytes = Meter.ObjectBytes + Meter.references(classes.length)
    var i = 0
    while (i < classes.length) {
      if (classes(i) != null) bytes += Meter.ObjectBytes + classes(i).sizeBytes
      i += 1
    }
    bytes
  }

  private[window] def restore(passed: Int, list: BucketList): Unit = {
    of(passed).restore(list)
    changed()
  }

  private[window] def restore(newest: Long, forgotten: Long): Unit = {
    newestTime = newest
    forgottenRows = forgotten
  }

  override def description: Description = super.description.copy(
    times = Some(currentTimeDomain),
    retention = Some(currentRetention).filter(_ != Windowed.KeepAll),
    filters = Some(filters)
  )
}

object Windowed {

  /** The retention of a sketch that forgets nothing. */
  val KeepAll: Long = Long.MaxValue

  /** From here on copies are counted, not inserted one by one. */
  private val HeavyCopies = 16L

  private val NoBuckets = new BucketList(0)

  /** Whether a span back from a time goes past the earliest there is, and so leaves nothing out. */
  private[window] def reachesAll(from: Long, span: Long): Boolean =
    back(from, span) == Long.MinValue && from != Long.MinValue + span

  /** The time `span` before another, or the earliest there is. */
  private[chronosketch] def back(time: Long, span: Long): Long = {
    val earlier = time - span
    if (earlier > time) Long.MinValue else earlier
  }
}
