package chronosketch.window.sample

import chronosketch.Refusal
import chronosketch.bucketing.CountBuckets
import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.sample.{Draws, SampleBand, Sampled, SampleSize}
import chronosketch.summary.{Family, Header, TimedRows}
import chronosketch.window.{Constraint, Reach, Selection, Windowed, WindowWire}

/** Which rows are a random sample of any window that ends now, when it is chosen only after all rows are gone?
  *
  * Guarantee  of a window by time, all its rows, or `size` of them, each set of as many as likely as any other; of one that ends before
  *            the newest row fewer, but as fair. How many rows a window has is known within 1 %, or, of a size above 10 000, 1/√size
  * Cost       insert amortised 0.14 to 0.18 µs in order of time, 0.06 to 0.1 µs in any. 10⁶ rows at size 1000: 7 957 rows and 2 029 buckets
  *            of counts, 0.9 MB held and 120 kB stored; at 10 000: 55 965 rows, 2.6 MB and 800 kB. Taking a window: a sort of its
  *            rows, 0.3 to 6 ms
  * Units      times as `timeDomain` has them: microseconds, days or whole numbers, any Long; a priority has 63 bits
  * Merge      legal when values and times widen: exact. The smaller size counts, the greater δ and the shorter retention. The samples
  *            must have been drawn independently, as those of [[chronosketch.sample.Sample]] must
  * Source     [[KeptRows]]; the counts: Xu, Lin, Zhou 2004, as for window sketches (docs/algorithms.md, Samples of windows)
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
    with Sampled
    with TimedRows {
  type Same = WindowSample

  private var currentSize = recipe.size
  private var currentDelta = recipe.delta
  private val draws = Draws.of(recipe.seed, stream)
  private val salt = Draws.salt(recipe.seed)
  private val rows = new KeptRows(recipe.size)

  // of all rows that ever came
  private var floor = Long.MaxValue
  private var ceiling = Long.MinValue
  private var latest: SampleWindow = null

  def family: Family[WindowSample] = WindowSamples
  def header: Header[WindowSample] = WindowSampleHeader(domain, currentSize, recipe.seed, currentDelta)
  def fresh: WindowSample =
    WindowSampleRecipe.alone(domain, timeDomain, currentSize, recipe.seed, currentDelta, retention).empty

  override def epsilon: Double = SampleSize.width(currentSize.toLong, currentDelta / 2)
  private[chronosketch] def delta: Double = currentDelta
  private[window] def size: Int = currentSize

  override def insert(key: Long, time: Long, passed: Int): Unit = {
    put(CountBuckets.Key, time, passed)
    // first, so that unlike rows of two samples share no number
    pass(key, time)
    keep(time, draws.next() >>> 1, key)
  }

  /** A row's priority hangs on the seed, its identity and its value alone. */
  def insertRow(key: Long, time: Long, id: Long): Unit = {
    put(CountBuckets.Key, time, 0)
    keep(time, Draws.told(salt, id, key), key)
  }

  override def insert(key: Long, time: Long, passed: Int, copies: Long): Unit = if (copies > 0) {
    put(CountBuckets.Key, time, passed, copies)
    pass(key, time)
    // the least of so many numbers, one after the other: no more than a sample has of one time
    var at = 0.0
    var left = copies
    val fewest = copies - math.min(copies, currentSize.toLong)
    var isNear = true
    while (left > fewest && isNear) {
      at += (1 - at) * -math.expm1(math.log(draws.unit()) / left)
      val priority = Math.scalb(at, 63).toLong
      isNear = priority <= rows.limit(time)
      keep(time, priority, key)
      left -= 1
    }
  }

  private def keep(time: Long, priority: Long, key: Long): Unit = {
    if (key < floor) floor = key
    if (key > ceiling) ceiling = key
    if (rows.add(time, priority, key)) makeRoom()
  }

  private def makeRoom(): Unit = {
    rows.makeRoom(hasHorizon, horizon)
    report()
  }

  private def pass(key: Long, time: Long): Unit = {
    draws.pass(key)
    draws.pass(time)
  }

  override protected def unite(that: WindowSample, wider: Domain): Unit = {
    currentSize = math.min(currentSize, that.currentSize)
    currentDelta = math.max(currentDelta, that.currentDelta)
    rows.keepFewer(currentSize)
    rows.addAll(that.rows)
    draws.pass(that.draws.mark)
    floor = math.min(floor, that.floor)
    ceiling = math.max(ceiling, that.ceiling)
    super.unite(that, wider)
  }

  /** The rows that are kept now, in order. */
  private[window] def settled: KeptRows = {
    rows.settle(hasHorizon, horizon)
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
      take(reach.tooEarly(asOf.getOrElse(newest)), asOf.getOrElse(Long.MaxValue), least, most)
    SampleWindowHeader(domain, currentSize, currentDelta).of(population, suffix)
  }

  /** @param before the latest time that is too early; none where no time is
    * @param end    the last time that is not too late
    * @param least  rows that there are in between, at least; `most`: at most
    */
  private def take(
      before: Option[Long],
      end: Long,
      least: Long,
      most: Long
  ): (Suffix, SampleBand.Population) = {
    val rows = settled
    val from = before.fold(0)(rows.firstAfter)
    // fewer than fit: none was left out
    val isWhole = rows.size - from < currentSize
    val suffix = Suffix.of(rows, from, end, currentSize, isWhole)
    val m = suffix.keys.length.toLong
    val fewest = if (isWhole) m else math.max(least, m)
    val greatest = if (isWhole) m else math.max(most, fewest)
    (suffix, SampleBand.Population(fewest, greatest, floor, ceiling, isReached = false))
  }

  /** Of all rows that are not forgotten. */
  private def whole: SampleWindow = {
    // refuses what 63 bits don't hold
    val kept = super.count
    if (!isAnswerKept || latest == null) {
      latest =
        if (hasHorizon) restrict(Constraint.WithinLast(retention), None)
        else {
          val (suffix, population) = take(None, Long.MaxValue, kept, kept)
          SampleWindowHeader(domain, currentSize, currentDelta).of(population.copy(isReached = true), suffix)
        }
      isAnswerKept = true
    }
    latest
  }

  override def count: Long = whole.count
  override def countBounds: (Long, Long) = whole.countBounds
  override private[chronosketch] def held: Long = super.count

  def values: Array[Long] = whole.values
  private[chronosketch] def known: SampleBand.Known = whole.known

  /** The rows' own, where none is forgotten; else the ends of the sample. */
  override def minimum: Option[Long] = whole.minimum
  override def maximum: Option[Long] = whole.maximum

  override protected def heldBytes: Long = super.heldBytes + rows.sizeBytes

  def write(writer: Wire.Writer): Unit = {
    super.count
    WindowWire.write(writer, this, CountsWire)
    RowsWire.write(writer, settled, floor, ceiling)
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
      if (settled.size != m || m > kept || (!hasHorizon && m < math.min(kept, currentSize.toLong)))
        throw reader.corrupt(s"it keeps $m of $kept rows, but should keep $currentSize")
      draws.pass(kept)
      var i = 0
      while (i < m) { draws.pass(rows.priorities(i)); i += 1 }
    }
  }
}

object WindowSample {

  /** By what share the count of a window may be off: by less than chance makes its ranks wrong. */
  private def countError(size: Int): Double = math.min(0.01, 1 / math.sqrt(size.toDouble))
}
