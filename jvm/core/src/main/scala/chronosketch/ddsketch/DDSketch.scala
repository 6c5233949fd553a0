package chronosketch.ddsketch

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.counted.{ElementCount, SortedCounts}
import chronosketch.domain.{Cast, Domain, DoubleKeys, Kind}
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{
  Bounded,
  Estimate,
  Estimates,
  Family,
  Header,
  InsertingFamily,
  InsertingRecipe,
  Inserts,
  Parameter,
  Summary
}

/** A quantile sketch whose answers have a relative error of at most alpha.
  *
  * Guarantee  |[[quantile]]'s value − exact| ≤ alpha·|exact| for every φ, after any inserts and merges, for every double and whole
  *            number; exact if only one value is possible. The exact value is always within the profile's bounds; minimum, maximum
  *            and count are exact. In a type with gaps between its values, the key may be off by another half gap
  * Cost       in batches 3 to 5 ns per row above 0 and 6 ns per row of any sign; 6 to 15 ns for a single row (the library's own sketch:
  *            12 to 14 ns, and 5 ns if rows are sorted or few values repeat); merging a stored sketch takes 15 ns per bin. A non-empty bin
  *            takes 8 to 64 bytes, see [[BinCounts]], and about 2 when stored. A factor of ten between least and greatest value takes
  *            ln 10/(2·alpha) bins, 115 at alpha = 0.01; all doubles together take 160 000
  * Units      keys of `domain`; decimals by their unscaled value, because relative errors do not depend on the unit
  * Merge      legal when the value types widen and alpha is the same: counts are added. The result does not depend on any order
  * Source     Masson, Rim, Lee, DDSketch: a fast and fully-mergeable quantile sketch with relative-error guarantees, VLDB 2019;
  *            differs: bins do not collapse, counts are integers of 63 bits (doubles in sketches-java), and see [[Bins]]
  */
final class DDSketch private[ddsketch] (initialDomain: Domain, val alpha: Double)
    extends Summary
    with Inserts
    with Bounded
    with Estimates
    with Metered {
  type Same = DDSketch

  private var currentDomain = initialDomain
  private val isFloating = initialDomain.isFloating
  private val bins = Bins.of(alpha)

  private val counts = new BinCounts
  private var total = 0L
  private var least = Long.MaxValue
  private var greatest = Long.MinValue

  private var cachedIntervals: BinIntervals = null

  def family: Family[DDSketch] = DDSketches
  def domain: Domain = currentDomain
  def header: Header[DDSketch] = DDSketchRecipe(currentDomain, alpha)
  def newEmpty: DDSketch = new DDSketch(currentDomain, alpha)
  def count: Long = ElementCount.checked(total)

  /** The bins stay where they are if no value changes its bin: a whole number is in that of its nearest double. */
  override def castObstacle(cast: Cast): Option[String] = {
    val areDoubles = cast.from.scale == 0 && !cast.from.isFloating && cast.to.kind == Kind.Double
    val isExact = cast.isExact && cast.from.scale == cast.to.scale
    Option.unless(cast.keepsKeys || areDoubles || isExact)(
      "values would leave their bins, and answers be off by more than alpha"
    )
  }

  def castBy(cast: Cast): DDSketch = {
    val other = new DDSketch(cast.to, alpha)
    if (count > 0) other.add(stored.copy(least = cast(least), greatest = cast(greatest)))
    other
  }

  /** The number of bins that have rows. */
  def size: Int = counts.distinct

  def insert(key: Long): Unit = add(key, 1L)

  def insertAll(keys: Array[Long], from: Int, until: Int): Unit =
    if (until - from < DDSketch.MinBatch) {
      var i = from
      while (i < until) { add(keys(i), 1L); i += 1 }
    } else insertBlocks(keys, from, until)

  private def insertBlocks(keys: Array[Long], from: Int, until: Int): Unit = {
    val room = math.min(DDSketch.Block, until - from)
    val binOf = new Array[Int](room)
    val converted = if (isFloating) null else new Array[Long](room)
    val extremes = Array.fill(2)(doubleKey(keys(from)))
    var start = from
    while (start < until) {
      val n = math.min(room, until - start)
      if (isFloating) bins.ofAll(keys, start, n, binOf, extremes)
      else {
        var i = 0
        while (i < n) {
          val key = keys(start + i)
          if (key < least) least = key
          if (key > greatest) greatest = key
          converted(i) = DoubleKeys.key(key.toDouble)
          i += 1
        }
        bins.ofAll(converted, 0, n, binOf, extremes)
      }
      counts.addAll(binOf, n, areAbove = extremes(0) > 0)
      start += n
    }
    if (isFloating) {
      least = math.min(least, extremes(0))
      greatest = math.max(greatest, extremes(1))
    }
    total += (until - from).toLong
    cachedIntervals = null
    report()
  }

  def insert(key: Long, copies: Long): Unit = if (copies > 0) {
    ElementCount.requireRoom(count, copies)
    add(key, copies)
  }

  private def add(key: Long, copies: Long): Unit = {
    if (key < least) least = key
    if (key > greatest) greatest = key
    total += copies
    cachedIntervals = null
    val before = counts.sizeBytes
    counts.add(bins.ofKey(doubleKey(key)), copies)
    if (counts.sizeBytes != before) report()
  }

  private def doubleKey(key: Long): Long = if (isFloating) key else DoubleKeys.key(key.toDouble)

  override protected def requireAlike(that: DDSketch): Unit = requireAlpha(that.alpha)

  private def requireAlpha(thatAlpha: Double): Unit =
    if (alpha != thatAlpha)
      throw Refusal(
        "CHRONOSKETCH_ALPHAS_DIFFER",
        "left" -> Parameter.text(alpha),
        "right" -> Parameter.text(thatAlpha)
      )

  protected def mergeChecked(that: DDSketch, wider: Domain): Unit = {
    counts.addAll(that.counts)
    currentDomain = wider
    updateTotals(that.least, that.greatest, that.total)
  }

  /** Merges a stored sketch. */
  private[ddsketch] def mergeStored(header: DDSketchRecipe, reader: Wire.Reader): Unit = {
    val stored = DDSketchWire.read(reader, header.domain, Bins.of(header.alpha))
    reader.requireEnd()
    val wider = domain.widenOrRefuse(header.domain, DDSketches.ofValue(header.numbers))
    requireAlpha(header.alpha)
    ElementCount.requireRoom(count, stored.total)
    add(stored)
    currentDomain = wider
  }

  private[ddsketch] def add(stored: StoredBins): Unit = if (stored.total > 0) {
    counts.addAll(stored.bins)
    updateTotals(stored.least, stored.greatest, stored.total)
  }

  private def updateTotals(thatLeast: Long, thatGreatest: Long, n: Long): Unit = {
    least = math.min(least, thatLeast)
    greatest = math.max(greatest, thatGreatest)
    total += n
    cachedIntervals = null
    report()
  }

  def profile: RankProfile = if (count == 0) RankProfile.empty else intervals.profile

  override def rankEstimates: RankProfile = if (count == 0) RankProfile.empty else intervals.estimates

  private def intervals: BinIntervals = {
    if (cachedIntervals == null)
      cachedIntervals = new BinIntervals(new BinKeys(bins, currentDomain), stored)
    cachedIntervals
  }

  def estimate(phi: Phi): Option[Estimate] = Option.when(count > 0)(quantile(phi))

  /** The φ-quantile. The sketch must not be empty. */
  def quantile(phi: Phi): Estimate = {
    val (low, high) = profile.quantileBounds(phi)
    if (low == high) Estimate.of(low, currentDomain) else between(low, high)
  }

  private def between(low: Long, high: Long): Estimate =
    if (currentDomain.isFloating) {
      val value = Bins.middle(DoubleKeys.value(low), DoubleKeys.value(high))
      Estimate(DoubleKeys.key(if (currentDomain.kind == Kind.Float) value.toFloat.toDouble else value), value)
    } else {
      val middle = Bins.middle(low.toDouble, high.toDouble)
      val unit = math.pow(10, currentDomain.second)
      Estimate(math.max(low, math.min(high, math.rint(middle).toLong)), middle / unit)
    }

  private def stored: StoredBins = StoredBins(least, greatest, total, counts.sorted)

  /** The bins as sketches-java numbers them. */
  private[chronosketch] def exportedBins: ExportedBins = {
    count
    ExportedBins.of(bins, counts.sorted)
  }

  def write(writer: Wire.Writer): Unit = {
    count
    DDSketchWire.write(writer, stored)
  }

  protected def heldBytes: Long = 2 * Meter.ObjectBytes + counts.sizeBytes
}

private[ddsketch] object DDSketch {

  /** How many rows are mapped to bins at once, so that they stay in the cache. */
  private val Block = 4096

  /** Fewer rows are inserted one by one. */
  private val MinBatch = 8
}

/** The whole content of a sketch: minimum, maximum, count, and the non-empty bins. */
private[ddsketch] final case class StoredBins(least: Long, greatest: Long, total: Long, bins: SortedCounts)

/** The family of sketches with a bounded relative error. */
object DDSketches extends InsertingFamily[DDSketch] {
  val id = 6
  val name = "ddsketch"
  def aggregate: Seq[String] = Seq("ddsketch_agg", "value")

  val Alpha: Parameter = Parameter("alpha", default = 0.01, least = 1e-4, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Alpha)

  /** Only numeric types: a relative error of a date or a time has no meaning. */
  override def takes(domain: Domain): Boolean = domain.isNumeric

  def recipe(domain: Domain, numbers: Seq[Double]): DDSketchRecipe = DDSketchRecipe(domain, numbers.head)
}

/** The parameters of a DDSketch, which are also the header of a stored one. */
final case class DDSketchRecipe(domain: Domain, alpha: Double) extends InsertingRecipe[DDSketch] {
  def family: Family[DDSketch] = DDSketches
  def numbers: Seq[Double] = Seq(alpha)
  def empty: DDSketch = new DDSketch(domain, alpha)

  /** Counts are added. */
  override def mergesInAnyOrder: Boolean = true

  def read(reader: Wire.Reader): DDSketch = {
    val sketch = empty
    sketch.add(DDSketchWire.read(reader, domain, Bins.of(alpha)))
    sketch
  }

  override def mergeInto(summary: Summary, reader: Wire.Reader): Unit = summary match {
    case sketch: DDSketch => sketch.mergeStored(this, reader)
    case foreign => super.mergeInto(foreign, reader)
  }
}
