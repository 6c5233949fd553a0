package chronosketch.ddsketch

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.counted.{ElementCount, SortedCounts}
import chronosketch.domain.{Domain, DoubleKeys, Kind}
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{Bounded, Estimate, Estimates, Family, Header, Inserts, Parameter, Summary}

/** Which number has a given rank, within a share of that number?
  *
  * Guarantee  |[[quantile]]'s value − exact| ≤ alpha·|exact| for every φ, after any inserts and merges, for every double and whole
  *            number; exact where it can be only one. The exact one lies in the profile's bounds, always; minimum, maximum
  *            and count are exact. The key of a type with gaps may be off by half a gap more
  * Cost       3 to 5 ns a row of many above 0, 6 of any sign, 6 to 15 of one alone (the library's own sketch: 12 to 14, and 5 where rows
  *            are sorted or few values repeat); 15 ns a bin of a stored one that is merged. A bin that has rows takes 8 to 64 bytes, as
  *            [[BinCounts]] says, some 2 stored. A factor of ten between least and greatest is ln 10/(2·alpha) bins, 115 at 0.01; all
  *            numbers that there are, 160 000
  * Units      keys of `domain`, decimals by their unscaled value: shares do not change with the unit
  * Merge      legal when the value types widen and alpha is the same: counts add up. No trace of any order
  * Source     Masson, Rim, Lee, DDSketch: a fast and fully-mergeable quantile sketch with relative-error guarantees, VLDB 2019;
  *            departs: no bins collapse, counts are whole numbers of 63 bits (sketches-java: doubles), what [[Bins]] says
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

  private var cachedProfile: RankProfile = null

  def family: Family[DDSketch] = DDSketches
  def domain: Domain = currentDomain
  def header: Header[DDSketch] = DDSketchRecipe(currentDomain, alpha)
  def fresh: DDSketch = new DDSketch(currentDomain, alpha)
  def count: Long = ElementCount.of(total)

  /** Bins that have rows. */
  def size: Int = counts.distinct

  def insert(key: Long): Unit = add(key, 1L)

  def insertAll(keys: Array[Long], from: Int, until: Int): Unit =
    if (until - from < DDSketch.Few) {
      var i = from
      while (i < until) { add(keys(i), 1L); i += 1 }
    } else insertBlocks(keys, from, until)

  private def insertBlocks(keys: Array[Long], from: Int, until: Int): Unit = {
    val room = math.min(DDSketch.Block, until - from)
    val found = new Array[Int](room)
    val converted = if (isFloating) null else new Array[Long](room)
    val ends = Array.fill(2)(doubleKey(keys(from)))
    var start = from
    while (start < until) {
      val n = math.min(room, until - start)
      if (isFloating) bins.ofAll(keys, start, n, found, ends)
      else {
        var i = 0
        while (i < n) {
          val key = keys(start + i)
          if (key < least) least = key
          if (key > greatest) greatest = key
          converted(i) = DoubleKeys.key(key.toDouble)
          i += 1
        }
        bins.ofAll(converted, 0, n, found, ends)
      }
      counts.addAll(found, n, areAbove = ends(0) > 0)
      start += n
    }
    if (isFloating) {
      least = math.min(least, ends(0))
      greatest = math.max(greatest, ends(1))
    }
    total += (until - from).toLong
    cachedProfile = null
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
    cachedProfile = null
    val before = counts.sizeBytes
    counts.add(bins.ofKey(doubleKey(key)), copies)
    if (counts.sizeBytes != before) report()
  }

  private def doubleKey(key: Long): Long = if (isFloating) key else DoubleKeys.key(key.toDouble)

  override protected def requireAlike(that: DDSketch): Unit = requireAlpha(that.alpha)

  private def requireAlpha(other: Double): Unit =
    if (alpha != other)
      throw Refusal(
        "CHRONOSKETCH_ALPHAS_DIFFER",
        "left" -> Parameter.text(alpha),
        "right" -> Parameter.text(other)
      )

  protected def unite(that: DDSketch, wider: Domain): Unit = {
    counts.addAll(that.counts)
    currentDomain = wider
    added(that.least, that.greatest, that.total)
  }

  /** The union with a stored one. */
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
    added(stored.least, stored.greatest, stored.total)
  }

  private def added(itsLeast: Long, itsGreatest: Long, n: Long): Unit = {
    least = math.min(least, itsLeast)
    greatest = math.max(greatest, itsGreatest)
    total += n
    cachedProfile = null
    report()
  }

  def profile: RankProfile = {
    if (cachedProfile == null)
      cachedProfile =
        if (count == 0) RankProfile.empty
        else BinProfile.of(new BinKeys(bins, currentDomain), stored)
    cachedProfile
  }

  def estimate(phi: Phi): Option[Estimate] = Option.when(count > 0)(quantile(phi))

  /** The φ-quantile, of a sketch that has seen something. */
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

  /** What it has, for sketches-java. */
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

  /** Rows of which the bins are told at once: they stay in a cache that is near. */
  private val Block = 4096

  /** Fewer rows are taken singly. */
  private val Few = 8
}

/** All that a sketch keeps: minimum, maximum and count, and the bins that have rows. */
private[ddsketch] final case class StoredBins(least: Long, greatest: Long, total: Long, bins: SortedCounts)
