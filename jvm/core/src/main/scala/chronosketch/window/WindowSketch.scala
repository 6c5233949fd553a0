package chronosketch.window

import chronosketch.Refusal
import chronosketch.bucketing.{BucketList, Buckets}
import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.rank.RankProfile
import chronosketch.summary.{Family, Meter, Parameter, Ranked, Summary, Timed}

/** The family of sketches that any window back from the newest row can be taken from. */
object WindowSketches extends Family {
  val id = 2
  val name = "window sketch"

  val Epsilon: Parameter = Parameter("epsilon", default = 0.01, least = 0.0, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Epsilon)

  /** Times are whole numbers, nothing is forgotten, and there are no filters: what is stored says otherwise. */
  def empty(domain: Domain, parameters: Array[Double]): WindowSketch =
    new WindowSketch(domain, Domain.BigInt, parameters(0), WindowSketch.KeepAll, Vector.empty)

  def read(reader: Wire.Reader, domain: Domain, parameters: Array[Double]): WindowSketch =
    WindowWire.read(reader, domain, parameters(0))

  /** When buckets are made decides which. */
  override def mostInBag(parameters: Array[Double]): Int = 0
}

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
  * `seen` of the paper is the sum over all classes: every row is kept in one. A value that comes without a time has time 0.
  */
final class WindowSketch(
    initialDomain: Domain,
    initialTimeDomain: Domain,
    initialEpsilon: Double,
    initialRetention: Long,
    val filters: Vector[String]
) extends Summary
    with Ranked
    with Timed {
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

  private var meter: Meter = null
  private var metered = 0L

  def family: Family = WindowSketches
  def domain: Domain = currentDomain
  def timeDomain: Domain = currentTimeDomain
  def epsilon: Double = currentEpsilon
  def parameters: Array[Double] = Array(currentEpsilon)

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
      if (sum < 0) throw WindowSketch.overflow
      i += 1
    }
    sum
  }

  def isEmpty: Boolean = { settle(); classes.forall(c => c == null || c.count == 0) }

  def insert(key: Long): Unit = insert(key, 0L, 0)

  def insert(key: Long, copies: Long): Unit = insert(key, 0L, 0, copies)

  /** A row of the class that `passed` tells: bit i for the i-th filter. */
  def insert(key: Long, time: Long, passed: Int): Unit = {
    val buckets = of(passed)
    if (time > newestTime) newestTime = time
    isAsked = false
    if (buckets.insert(time, key)) makeRoom(buckets)
  }

  def insert(key: Long, time: Long, passed: Int, copies: Long): Unit = {
    if (copies > 1 && Long.MaxValue - total < copies) throw WindowSketch.overflow
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

  override def fresh: WindowSketch =
    new WindowSketch(currentDomain, currentTimeDomain, currentEpsilon, currentRetention, filters)

  def merge(other: Summary): Unit = {
    requireSameFamily(other)
    val that = other.asInstanceOf[WindowSketch]
    if (that eq this) throw new IllegalArgumentException("a summary can't be merged into itself")
    val wider = currentDomain.widenOrRefuse(that.currentDomain)
    val widerTime = currentTimeDomain.widen(that.currentTimeDomain).getOrElse(
      throw Refusal(
        "CHRONOSKETCH_TIME_TYPES_DIFFER",
        "left" -> currentTimeDomain.sql,
        "right" -> that.currentTimeDomain.sql
      )
    )
    if (filters != that.filters) {
      throw Refusal(
        "CHRONOSKETCH_FILTERS_DIFFER",
        "left" -> Filters.text(filters),
        "right" -> Filters.text(that.filters)
      )
    }
    if (Long.MaxValue - count < that.count) throw WindowSketch.overflow
    // from here on nothing is refused: what a refusal leaves behind is as it was
    currentDomain = wider
    currentTimeDomain = widerTime
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

  override def meteredBy(owner: Meter): Unit = {
    if (meter != null) meter.add(-metered)
    meter = owner
    metered = 0L
    report()
  }

  private def report(): Unit = if (meter != null) {
    var bytes = Meter.ObjectBytes + Meter.references(classes.length)
    var i = 0
    while (i < classes.length) {
      if (classes(i) != null) bytes += Meter.ObjectBytes + classes(i).sizeBytes
      i += 1
    }
    meter.add(bytes - metered)
    metered = bytes
  }

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

  private def overflow: Refusal = Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)

  /** The time `span` before another, or the earliest there is. */
  private[chronosketch] def back(time: Long, span: Long): Long = {
    val earlier = time - span
    if (earlier > time) Long.MinValue else earlier
  }
}
