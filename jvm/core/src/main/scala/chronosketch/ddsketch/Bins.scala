package chronosketch.ddsketch

import chronosketch.domain.DoubleKeys

/** Which bin does a number fall into, and which numbers can a bin hold?
  *
  * Guarantee  every double in a bin lies in [[least]] … [[greatest]]; a number between them, their harmonic mean, is off by at most
  *            alpha times any of them, even where it is rounded to a double
  * Cost       [[of]] 4 ns, arithmetic alone; [[ofAll]] 2.5 ns a number, where they are above 0, 4 elsewhere; [[least]] and [[greatest]]
  *            two roots each
  * Units      bins are numbered as their numbers rise: 0 holds 0, −b what b holds with its sign turned; infinities and NaN have
  *            bins of their own
  * Source     Masson, Rim, Lee, DDSketch, VLDB 2019, §2, by Datadog's sketches-java; departs: subnormal numbers, which the library
  *            takes for 0, and the last binade, of which it refuses a part
  *
  * The library's edges are those of exact arithmetic up to 2⁻⁴² of them, so that a number beside an edge may be in either bin: bins
  * are told wider by [[Bins.Margin]], and made narrower than alpha by [[Bins.Share]].
  */
private[ddsketch] final class Bins private (val alpha: Double) {
  import Bins._
  import Cubic.{AboveUsual, LeastUsual}

  private val normal = new Cubic(alpha * Share)
  private val first = normal.indexOf(bits(MinNormal))
  private val last = normal.indexOf(bits(Double.MaxValue))

  // Subnormal numbers are multiples of the least of them, and an answer is rounded to one: by half of it at most. In bins of a
  // quarter of alpha n and n + 1 times it are together only where n is above 1/alpha, and half of n·alpha is left for rounding.
  private val tiny = new Cubic(alpha / 4)
  private val tinyFirst = tiny.indexOf(bits(Double.MinPositiveValue * Up))
  private val tinyLast = tiny.indexOf(bits(MinNormal * Up))
  private val firstNormal = tinyLast - tinyFirst + 2
  private val lastNormal = firstNormal + last - first

  /** The bins of +∞ and of NaN; that of −∞ is the one's negative. */
  val infinity: Int = lastNormal + 1
  val nan: Int = infinity + 1

  private val added = firstNormal - first

  /** The library's numbers of bins, for those of normal numbers above 0, and what its mapping is made of. */
  def libraryIndex(bin: Int): Int = bin - added
  def libraryGamma: Double = normal.gamma
  def libraryAlpha: Double = alpha * Share

  /** Whether the numbers of a bin are neither 0 nor subnormal, NaN or infinite. */
  def isNormal(bin: Int): Boolean = math.abs(bin) >= firstNormal && math.abs(bin) <= lastNormal

  def of(value: Double): Int = ofKey(DoubleKeys.key(value))

  /** Of a double by its key. */
  def ofKey(key: Long): Int = {
    val sign = (key >> 63).toInt
    val magnitude = key ^ (key >> 63)
    val bin =
      // only in the last binade is it possible that what doubles round leads beyond the last bin
      if (magnitude >= LeastUsual && magnitude < AboveUsual) added + normal.indexOf(magnitude)
      else ofSpecial(magnitude)
    (bin ^ sign) - sign
  }

  private def ofSpecial(magnitude: Long): Int =
    if (magnitude == 0) 0
    else if (magnitude < LeastUsual)
      1 - tinyFirst + math.max(
        tinyFirst,
        math.min(tinyLast, tiny.indexOf(bits(DoubleKeys.value(magnitude) * Up)))
      )
    else if (magnitude < DoubleKeys.PositiveInfinity) added + math.min(last, normal.indexOf(magnitude))
    else if (magnitude == DoubleKeys.PositiveInfinity) infinity
    else nan

  /** Of doubles by their keys: `bins(i)` has that of keys(from + i), i < n. `ends` has the least and the greatest of them and of the keys
    * that it had.
    */
  def ofAll(keys: Array[Long], from: Int, n: Int, bins: Array[Int], ends: Array[Long]): Unit = {
    // most columns are of numbers above 0
    if (ends(0) >= LeastUsual && ends(1) < AboveUsual) normal.indicesOf(keys, from, n, bins, added, ends)
    if (!(ends(0) >= LeastUsual && ends(1) < AboveUsual))
      if (normal.signedIndicesOf(keys, from, n, bins, added, ends) > 0) {
        var i = 0
        while (i < n) {
          if (bins(i) == Cubic.Special) bins(i) = ofKey(keys(from + i))
          i += 1
        }
      }
  }

  /** The least double that can be in a bin; none is in one where it is above [[greatest]]. */
  def least(bin: Int): Double = if (bin < 0) -greatest(-bin) else leastMagnitude(bin)

  /** The greatest double that can be in a bin. */
  def greatest(bin: Int): Double = if (bin < 0) -leastMagnitude(-bin) else greatestMagnitude(bin)

  private def leastMagnitude(bin: Int): Double =
    if (bin >= infinity) beyond(bin)
    else if (bin > firstNormal) normal.lowerBound(bin - firstNormal + first) * (1 - Margin)
    else if (bin == firstNormal) MinNormal
    else if (bin == 0) 0.0
    else {
      val edge = tiny.lowerBound(bin - 1 + tinyFirst) * (1 - Margin)
      val nearest = edge * Down
      math.max(Double.MinPositiveValue, if (nearest * Up < edge) Math.nextUp(nearest) else nearest)
    }

  private def greatestMagnitude(bin: Int): Double =
    if (bin >= infinity) beyond(bin)
    else if (bin == lastNormal) Double.MaxValue
    else if (bin >= firstNormal) normal.upperBound(bin - firstNormal + first) * (1 + Margin)
    else if (bin == 0) 0.0
    else {
      val edge = tiny.upperBound(bin - 1 + tinyFirst) * (1 + Margin)
      val nearest = edge * Down
      math.min(Math.nextDown(MinNormal), if (nearest * Up > edge) Math.nextDown(nearest) else nearest)
    }

  private def beyond(bin: Int): Double = if (bin == infinity) Double.PositiveInfinity else Double.NaN
}

private[ddsketch] object Bins {
  private val MinNormal = java.lang.Double.MIN_NORMAL

  private def bits(value: Double): Long = java.lang.Double.doubleToRawLongBits(value)

  /** Between subnormal numbers and those of which a double has every digit. */
  private val Up = math.pow(2, 200)
  private val Down = math.pow(2, -200)

  private[ddsketch] val Margin = math.pow(2, -36)
  private val Share = 1 - math.pow(2, -20)

  @volatile private var latest = Vector(new Bins(DDSketches.Alpha.default))

  /** Mostly those asked for before: sketches of one alpha share them, and what they keep. */
  def of(alpha: Double): Bins = {
    val known = latest
    if (known.head.alpha == alpha) known.head
    else
      known.find(_.alpha == alpha).getOrElse {
        val bins = new Bins(alpha)
        latest = (bins +: known).take(Remembered)
        bins
      }
  }

  private val Remembered = 16

  /** The number of a bin's that is off least: by half of what the ends differ, relative to their mean. */
  def middle(least: Double, greatest: Double): Double =
    if (least == greatest) least
    else if (greatest < 0) -middle(-greatest, -least)
    else if (least < MinNormal) middle(least * Up, greatest * Up) * Down
    else least * (2 / (1 + least / greatest))
}
