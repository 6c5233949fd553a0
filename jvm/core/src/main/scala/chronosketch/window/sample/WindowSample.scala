package chronosketch.window.sample

import chronosketch.Refusal
import chronosketch.bucketing.{BucketList, CountBuckets, RowBlock}
import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain}
import chronosketch.sample.{Draws, SampleBand, Sampled, SampleFamily, SampleSize, StreamIds}
import chronosketch.summary.{Family, Header, Parameter, RandomRecipe, RandomSummary, Recipe, TimedRows}
import chronosketch.window.{Constraint, Reach, Selection, Windowed, WindowWire}

/** Sketch from which a random sample of any window that ends at the newest row can be taken later, when all rows are gone.
  *
  * Guarantee  for a window by time, all its rows, or `size` of them with all sets of that size equally likely; for one that ends
  *            before the newest row fewer rows, but equally fair. The number of rows in a window is known within 1 %, or within
  *            1/√size for sizes above 10 000
  * Cost       insert amortised 0.14 to 0.18 µs in time order, 0.06 to 0.1 µs in any order. 10⁶ rows at size 1000: 7 957 rows and
  *            2 029 buckets of counts, 0.9 MB in memory and 120 kB encoded; at 10 000: 55 965 rows, 2.6 MB and 800 kB. Taking a
  *            window sorts its rows, 0.3 to 6 ms
  * Units      times in units of `timeDomain`: microseconds, days or whole numbers, any Long; a priority has 63 bits
  * Merge      allowed if values and times widen: exact. The result has the smaller size, the greater δ and the shorter retention.
  *            The samples must have been drawn independently, as for [[chronosketch.sample.Sample]]
  * Source     [[RetainedRows]]; the counts: Xu, Lin, Zhou 2004, as for window sketches (docs/algorithms.md, Samples of windows)
  */
final class WindowSample private[sample] (recipe: WindowSampleRecipe, stream: Long)
    extends Windowed(
      recipe.domain,
      recipe.timeDomain,
      WindowSample.countError(recipe.size),
      recipe.retention,
      Vector.empty,
      CountBuckets
    )
    with RandomSummary
    with Sampled
    with TimedRows {
  type Same = WindowSample

  private var currentSize = recipe.size
  private var currentDelta = recipe.delta
  private val draws = Draws.of(recipe.seed, stream)
  private val salt = Draws.salt(recipe.seed)
  private val rows = new RetainedRows(recipe.size)

  // the first rows in order of arrival, which have no priorities yet; null once they have them, and if rows may expire
  private var undrawn = if (recipe.retention == Windowed.KeepAll) new RowBlock else null

  // the least and the greatest key of all rows that ever arrived
  private var floor = Long.MaxValue
  private var ceiling = Long.MinValue
  private var cached: SampleWindow = null

  def family: Family[WindowSample] = WindowSamples
  def header: Header[WindowSample] = WindowSampleHeader(domain, currentSize, recipe.seed, currentDelta)
  def newEmpty: WindowSample =
    WindowSampleRecipe.alone(domain, timeDomain, currentSize, recipe.seed, currentDelta, retention).empty

  def castBy(cast: Cast): WindowSample = {
    val empty =
      WindowSampleRecipe.alone(cast.to, timeDomain, currentSize, recipe.seed, currentDelta, retention).empty
    // the buckets only count rows
    val other = castInto(empty) { list =>
      val copy = new BucketList(list.size)
      copy.addAll(list)
      copy
    }
    other.restoreRows(this, cast)
    other
  }

  /** Fills the rows of an empty sample. Its later draws are those of a sample that is read from bytes. */
  private def restoreRows(that: WindowSample, cast: Cast): Unit = {
    val source = that.sortedRows
    if (source.size > 0) {
      floor = cast(that.floor)
      ceiling = cast(that.ceiling)
      rows.reserve(source.size)
      var i = 0
      while (i < source.size) {
        rows.restore(source.times(i), source.priorities(i), cast(source.keys(i)))
        i += 1
      }
      advanceAsStored()
    }
  }

  override def epsilon: Double = SampleSize.width(currentSize.toLong, currentDelta / 2)
  private[chronosketch] def delta: Double = currentDelta
  private[window] def size: Int = currentSize

  private[chronosketch] def mixIn(number: Long): Unit = draws.advance(number)

  override def insert(key: Long, time: Long, passed: Int): Unit =
    if (undrawn == null || passed != 0) draw(key, time, passed)
    else {
      if (undrawn.isFull) reserveUndrawn(1)
      undrawn.add(time, key)
      if (undrawn.size == WindowSample.mostUndrawn(recipe.size)) insertWaiting()
    }

  override def insertAll(keys: Array[Long], times: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (undrawn != null && i < until) {
      val n = math.min(until - i, WindowSample.mostUndrawn(recipe.size) - undrawn.size)
      if (undrawn.room < n) reserveUndrawn(n)
      undrawn.addAll(times, keys, i, i + n)
      i += n
      if (undrawn.size == WindowSample.mostUndrawn(recipe.size)) insertWaiting()
    }
    while (i < until) { draw(keys(i), times(i), 0); i += 1 }
  }

  private def reserveUndrawn(more: Int): Unit = {
    undrawn.reserve(more, Long.MaxValue)
    report()
  }

  /** A task hands its rows on if it has few of them: they take no more bytes than rows with priorities, and are drawn once. */
  override private[chronosketch] def rowsOfPart: RowBlock =
    if (undrawn != null && undrawn.size > 0) undrawn else null

  /** Draws the priorities of the first rows, as [[draw]] would one by one. */
  override protected def insertWaiting(): Unit = if (undrawn != null) {
    val first = undrawn
    undrawn = null
    if (first.size > 0) {
      putAll(new Array[Long](first.size), first.times, 0, first.size)
      val priorities = new Array[Long](first.times.length)
      var i = 0
      while (i < first.size) {
        val key = first.keys(i)
        advanceDraws(key, first.times(i))
        priorities(i) = draws.next() >>> 1
        floor = math.min(floor, key)
        ceiling = math.max(ceiling, key)
        i += 1
      }
      rows.setAll(first.times, priorities, first.keys, first.size)
      if (rows.isFull) makeRoom()
    }
    report()
  }

  private def draw(key: Long, time: Long, passed: Int): Unit = {
    put(CountBuckets.Key, time, passed)
    // before the draw, so that different rows of two samples do not get the same number
    advanceDraws(key, time)
    addRow(time, draws.next() >>> 1, key)
  }

  /** Inserts a row whose priority depends only on the seed, its identity and its value. */
  def insertRow(key: Long, time: Long, id: Long): Unit = {
    insertWaiting()
    put(CountBuckets.Key, time, 0)
    addRow(time, Draws.priorityOf(salt, id, key), key)
  }

  override def insert(key: Long, time: Long, passed: Int, copies: Long): Unit = if (copies > 0) {
    put(CountBuckets.Key, time, passed, copies)
    advanceDraws(key, time)
    // draw the priorities of the copies in ascending order; a sample contains at most currentSize rows of one time
    var at = 0.0
    var left = copies
    val fewest = copies - math.min(copies, currentSize.toLong)
    var isNear = true
    while (left > fewest && isNear) {
      at += (1 - at) * -math.expm1(math.log(draws.unit()) / left)
      val priority = Math.scalb(at, 63).toLong
      isNear = priority <= rows.limit(time)
      addRow(time, priority, key)
      left -= 1
    }
  }

  private def addRow(time: Long, priority: Long, key: Long): Unit = {
    if (key < floor) floor = key
    if (key > ceiling) ceiling = key
    if (rows.add(time, priority, key)) makeRoom()
  }

  private def makeRoom(): Unit = {
    rows.makeRoom(hasHorizon, horizon)
    report()
  }

  private def advanceDraws(key: Long, time: Long): Unit = {
    draws.advance(key)
    draws.advance(time)
  }

  override protected def mergeChecked(that: WindowSample, wider: Domain): Unit = {
    insertWaiting()
    that.insertWaiting()
    // an empty sample does not change later draws, since a union leaves it out
    if (!that.isEmpty) draws.advance(that.draws.stateId)
    currentSize = math.min(currentSize, that.currentSize)
    currentDelta = math.max(currentDelta, that.currentDelta)
    rows.reduceMost(currentSize)
    rows.addAll(that.rows)
    floor = math.min(floor, that.floor)
    ceiling = math.max(ceiling, that.ceiling)
    super.mergeChecked(that, wider)
  }

  /** The rows that are stored now, sorted. */
  private[window] def sortedRows: RetainedRows = {
    insertWaiting()
    rows.pruneAndSort(hasHorizon, horizon)
    rows
  }

  def restrict(constraint: Constraint, asOf: Option[Long]): SampleWindow = {
    Constraint.check(constraint)
    require(Constraint.filters(constraint).isEmpty, "a sample of windows has no filters")
    val reach = Reach.of(constraint, 0)
    if (reach.countsRows) throw Refusal("CHRONOSKETCH_SAMPLE_OF_LAST_ROWS")
    val selection = new Selection(this, constraint, asOf)
    var least, most = 0L
    selection.foreach { (_, _, low, high) => least += low; most += high }
    val (suffix, population) =
      takeWindow(reach.lastTimeBefore(asOf.getOrElse(newest)), asOf.getOrElse(Long.MaxValue), least, most)
    SampleWindowHeader(domain, currentSize, currentDelta).of(population, suffix)
  }

  /** Takes the sample of the rows in (before, end].
    *
    * @param before the latest time before the window; None if the window has no beginning
    * @param end the last time in the window
    * @param least least number of rows in the window; `most` is the greatest
    */
  private def takeWindow(
      before: Option[Long],
      end: Long,
      least: Long,
      most: Long
  ): (Suffix, SampleBand.Population) = {
    val rows = sortedRows
    val from = before.fold(0)(rows.firstAfter)
    // fewer rows than the sample holds: none was left out
    val isWhole = rows.size - from < currentSize
    val suffix = Suffix.of(rows, from, end, currentSize, isWhole)
    val m = suffix.keys.length.toLong
    val fewest = if (isWhole) m else math.max(least, m)
    val greatest = if (isWhole) m else math.max(most, fewest)
    (suffix, SampleBand.Population(fewest, greatest, floor, ceiling, areEndsAttained = false))
  }

  /** The window with all rows that retention has not removed. */
  private def wholeWindow: SampleWindow = {
    // rejects a count beyond 63 bits
    val kept = super.count
    if (!isCacheValid || cached == null) {
      cached =
        if (hasHorizon) restrict(Constraint.WithinLast(retention), None)
        else {
          val (suffix, population) = takeWindow(None, Long.MaxValue, kept, kept)
          SampleWindowHeader(domain, currentSize, currentDelta).of(
            population.copy(areEndsAttained = true),
            suffix
          )
        }
      isCacheValid = true
    }
    cached
  }

  override def count: Long = wholeWindow.count
  override def countBounds: (Long, Long) = wholeWindow.countBounds
  override private[chronosketch] def maxCount: Long = super.count

  def values: Array[Long] = wholeWindow.values
  private[chronosketch] def profiles: SampleBand.Profiles = wholeWindow.profiles

  /** The ends of all rows if no row was removed, otherwise those of the sample. */
  override def minimum: Option[Long] = wholeWindow.minimum
  override def maximum: Option[Long] = wholeWindow.maximum

  override protected def heldBytes: Long =
    super.heldBytes + rows.sizeBytes + (if (undrawn == null) 0L else undrawn.sizeBytes)

  def write(writer: Wire.Writer): Unit = {
    super.count
    WindowWire.write(writer, this, CountsWire)
    RowsWire.write(writer, sortedRows, floor, ceiling)
  }

  private[sample] def read(reader: Wire.Reader): Unit = {
    val kept = super.count
    if (kept > 0) {
      floor = reader.zigzag()
      ceiling = floor + reader.varint()
      if (ceiling < floor || !domain.holds(floor) || !domain.holds(ceiling))
        throw reader.corrupt(s"its values are from $floor to $ceiling")
      RowsWire.read(reader, rows, domain, floor, ceiling)
      val m = rows.size
      val times = rows.times
      if (m == 0 || times(m - 1) != newest || (hasHorizon && times(0) <= horizon))
        throw reader.corrupt("its rows are outside its times")
      if (sortedRows.size != m || m > kept || (!hasHorizon && m < math.min(kept, currentSize.toLong)))
        throw reader.corrupt(s"it keeps $m of $kept rows, but should keep $currentSize")
      advanceAsStored()
    }
  }

  private def advanceAsStored(): Unit = {
    draws.advance(super.count)
    val stored = sortedRows
    var i = 0
    while (i < stored.size) { draws.advance(stored.priorities(i)); i += 1 }
  }
}

object WindowSample {

  /** The most rows that a sample of this size keeps as they came: of more, it soon keeps fewer. */
  private def mostUndrawn(size: Int): Int = math.min(8L * size, 1L << 16).toInt

  /** Largest relative error of a window's count: less than the error of ranks that sampling causes. */
  private def countError(size: Int): Double = math.min(0.01, 1 / math.sqrt(size.toDouble))
}

/** The family of [[WindowSample]]. */
object WindowSamples extends Family[WindowSample] {
  val id = 16
  val name = "window sample"
  def aggregate: Seq[String] = Seq("window_sample_agg", "value", "event_time")
  override def isArgument(parameter: Parameter): Boolean = parameter != SampleFamily.Delta

  val parameters: Seq[Parameter] = SampleFamily.parameters

  def header(domain: Domain, numbers: Seq[Double]): Header[WindowSample] =
    WindowSampleHeader(domain, numbers(0).toInt, numbers(1).toLong, numbers(2))
}

/** The parameters of a [[WindowSample]]: the types of values and times, the sample size, the random seed, δ and the retention. */
final case class WindowSampleRecipe(
    domain: Domain,
    timeDomain: Domain,
    size: Int,
    seed: Long,
    delta: Double,
    retention: Long
)(streamIds: StreamIds)
    extends Recipe[WindowSample]
    with RandomRecipe {
  def family: Family[WindowSample] = WindowSamples
  def numbers: Seq[Double] = Seq(size.toDouble, seed.toDouble, delta)
  def empty: WindowSample = new WindowSample(this, streamIds.next())

  override def inPart(part: Int): WindowSampleRecipe = copy()(new StreamIds.InPart(part))
  private[chronosketch] def nextPart(): Long = streamIds.next()
  private[chronosketch] def emptyUnion: WindowSample = new WindowSample(this, 0L)

  /** A merge only compares the priorities of rows. */
  private[chronosketch] def drawsInMerges: Boolean = false

  override protected def text: String =
    if (retention == Windowed.KeepAll) family.name else s"${family.name} of the last $retention"
}

object WindowSampleRecipe {

  /** The parameters of a single sample, built outside a partitioned query. */
  def alone(
      domain: Domain,
      timeDomain: Domain,
      size: Int,
      seed: Long,
      delta: Double,
      retention: Long
  ): WindowSampleRecipe =
    WindowSampleRecipe(domain, timeDomain, size, seed, delta, retention)(StreamIds.Alone)
}

/** The header of a stored window sample. The payload contains the rest. */
final case class WindowSampleHeader(domain: Domain, size: Int, seed: Long, delta: Double)
    extends Header[WindowSample] {
  def family: Family[WindowSample] = WindowSamples
  def numbers: Seq[Double] = Seq(size.toDouble, seed.toDouble, delta)

  def read(reader: Wire.Reader): WindowSample = {
    val sample = WindowWire.read(reader, empty(reader), CountsWire)
    sample.read(reader)
    sample
  }

  private def empty(reader: Wire.Reader)(
      times: Domain,
      retention: Long,
      filters: Vector[String]
  ): WindowSample = {
    if (filters.nonEmpty) throw reader.corrupt("it has filters, but samples have none")
    WindowSampleRecipe.alone(domain, times, size, seed, delta, retention).empty
  }
}
