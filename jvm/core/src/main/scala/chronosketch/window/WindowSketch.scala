package chronosketch.window

import chronosketch.Refusal
import chronosketch.bucketing.{BucketList, Buckets}
import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.RankProfile
import chronosketch.summary.{Description, Family, Header, Ranked, Summary, Timed}

/** Which values does any window have that ends now, when it is chosen only after all rows are gone?
  *
  * Guarantee  rank error ≤ ε·(elements in the window) for windows that end at the newest row, by time or by count, after any
  *            inserts and merges; a window of rows that pass filters, chosen by count, has its true error in its certificate; so
  *            has one that ends earlier. Without a window: ε/2, count, minimum and maximum exact. Up to 8/ε rows every
  *            window is exact
  * Cost       insert amortised 0.1 µs in time order, 0.2 µs in any; a merge visits both. 360 000 rows at ε = 0.01: 1 890 buckets,
  *            111 000 keys and tuples, 1.14 MB stored; at 0.05: 426, 14 200, 158 kB
  * Units      times as `timeDomain` has them: microseconds, days or whole numbers, any Long
  * Merge      legal when values and times widen and the filters are the same; the larger ε and the shorter retention count
  * Source     Xu, Lin, Zhou, Space efficient quantile summary for constrained sliding windows, 2004; departs: disjoint buckets,
  *            ties in time, a class of rows for each outcome of the filters (docs/algorithms.md, Windows)
  *
  * `seen` of the paper is the sum over all classes: every row is kept in one.
  */
final class WindowSketch(
    initialDomain: Domain,
    initialTimeDomain: Domain,
    initialEpsilon: Double,
    initialRetention: Long,
    val filters: Vector[String]
) extends Summary
    with Ranked
    with Timed
    with Metered {
  type Same = WindowSketch

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

  // what was answered, and whether nothing came since
  private var cachedProfile: RankProfile = null
  private var isAsked = false

  def family: Family[WindowSketch] = WindowSketches
  def domain: Domain = currentDomain
  def timeDomain: Domain = currentTimeDomain
  def epsilon: Double = currentEpsilon
  def header: Header[WindowSketch] = WindowHeader(currentDomain, currentEpsilon)
  def fresh: WindowSketch =
    new WindowSketch(currentDomain, currentTimeDomain, currentEpsilon, currentRetention, filters)

  /** How far back windows reach; [[WindowSketch.KeepAll]] where there is no end to it. */
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

  def isEmpty: Boolean = { settle(); classes.forall(c => c == null || c.count == 0) }

  /** A row of the class that `passed` tells: bit i for the i-th filter. */
  def insert(key: Long, time: Long, passed: Int): Unit = {
    val buckets = of(passed)
    if (time > newestTime) newestTime = time
    isAsked = false
    if (buckets.insert(time, key)) makeRoom(buckets)
  }

  def insert(key: Long, time: Long, passed: Int, copies: Long): Unit = {
    if (copies > 1) ElementCount.requireRoom(total, copies)
    if (copies < WindowSketch.HeavyCopies) {
      var i = copies
      while (i > 0) { insert(key, time, passed); i -= 1 }
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
      classes(passed) = new Buckets(currentDomain, currentEpsilon)
      classes(passed)
    }
  }

  private def makeRoom(buckets: Buckets): Unit = {
    buckets.makeRoom()
    changed()
  }

  private def changed(): Unit = {
    isAsked = false
    report()
  }

  /** What is too old is forgotten. */
  private def settle(): Unit =
    // where it goes back past the earliest time there is, nothing is too old
    if (currentRetention != WindowSketch.KeepAll && newestTime >= Long.MinValue + currentRetention) {
      val until = horizon
      var i = 0
      while (i < classes.length) {
        if (classes(i) != null) forgottenRows += classes(i).forget(until)
        i += 1
      }
    }

  /** Whatever is of this time or before may have been forgotten. */
  private[chronosketch] def horizon: Long = WindowSketch.back(newestTime, currentRetention)

  /** The buckets of a class. */
  private[chronosketch] def list(passed: Int): BucketList = {
    settle()
    if (classes(passed) == null) WindowSketch.NoBuckets else classes(passed).list
  }

  private[chronosketch] def classCount: Int = classes.length

  /** Buckets, and what they keep in keys and tuples. */
  def buckets: Int = (0 until classCount).map(list(_).size).sum
  def tuples: Long = (0 until classCount).map(list(_).tuples).sum

  override protected def requireAlike(that: WindowSketch): Unit = {
    currentTimeDomain.widenTimesOrRefuse(that.currentTimeDomain)
    if (filters != that.filters) {
      throw Refusal(
        "CHRONOSKETCH_FILTERS_DIFFER",
        "left" -> Filters.text(filters),
        "right" -> Filters.text(that.filters)
      )
    }
  }

  protected def unite(that: WindowSketch, wider: Domain): Unit = {
    currentDomain = wider
    currentTimeDomain = currentTimeDomain.widenTimesOrRefuse(that.currentTimeDomain)
    currentEpsilon = math.max(currentEpsilon, that.currentEpsilon)
    currentRetention = math.min(currentRetention, that.currentRetention)
    newestTime = math.max(newestTime, that.newestTime)
    val forgottenByBoth = forgottenRows + that.forgottenRows
    forgottenRows = if (forgottenByBoth < 0) Long.MaxValue else forgottenByBoth
    var i = 0
    while (i < classes.length) {
      val theirs = if (that.classes(i) == null) WindowSketch.NoBuckets else that.classes(i).united
      if (theirs.size > 0) of(i)
      if (classes(i) != null) classes(i).merge(theirs, wider, currentEpsilon)
      i += 1
    }
    changed()
  }

  /** Whether every element and its place are known: no bucket has more than one position. */
  def isExact: Boolean = (0 until classCount).forall { c =>
    val l = list(c)
    (0 until l.size).forall(l.level(_) == 0)
  }

  def profile: RankProfile = {
    if (!isAsked) cachedProfile = RestrictedWindow.everything(this).profile
    isAsked = true
    cachedProfile
  }

  def write(writer: Wire.Writer): Unit = {
    count
    WindowWire.write(writer, this)
  }

  private[chronosketch] def restore(passed: Int, list: BucketList): Unit = {
    of(passed).restore(list)
    changed()
  }

  private[chronosketch] def restore(newest: Long, forgotten: Long): Unit = {
    newestTime = newest
    forgottenRows = forgotten
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

  override def description: Description = super.description.copy(
    times = Some(currentTimeDomain),
    retention = Some(currentRetention).filter(_ != WindowSketch.KeepAll),
    filters = Some(filters)
  )

  /** Where a promise about buckets does not hold, in words; for tests. */
  def violations: Seq[String] =
    (0 until classCount).flatMap(c => Buckets.violations(list(c), currentEpsilon).map(v => s"class $c: $v"))
}

object WindowSketch {

  /** The retention of a sketch that forgets nothing. */
  val KeepAll: Long = Long.MaxValue

  /** From here on copies are counted, not inserted one by one. */
  private val HeavyCopies = 16L

  private val NoBuckets = new BucketList(0)

  /** The time `span` before another, or the earliest there is. */
  private[chronosketch] def back(time: Long, span: Long): Long = {
    val earlier = time - span
    if (earlier > time) Long.MinValue else earlier
  }
}
