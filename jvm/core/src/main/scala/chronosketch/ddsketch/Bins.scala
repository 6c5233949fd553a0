package chronosketch.ddsketch

import chronosketch.domain.DoubleKeys

/** Maps doubles to bins of relative width alpha, and bins to the range of their doubles.
  *
  * Guarantee  every double in a bin is from [[least]] to [[greatest]]; the harmonic mean of these differs from each double between them
  *            by at most alpha times the latter, even after rounding to a double
  * Cost       [[of]] 4 ns, only arithmetic; [[ofAll]] 2.5 ns per number if all are above 0, else 4; [[least]] and [[greatest]] two roots
  *            each
  * Units      bins are numbered in increasing order: bin 0 holds 0, and bin −b holds the negated numbers of bin b; infinities and NaN have
  *            bins of their own
  * Source     Masson, Rim, Lee, DDSketch, VLDB 2019, §2, as in Datadog's sketches-java; differs for subnormal numbers, which the library
  *            treats as 0, and for the last binade, part of which it refuses
  *
  * The library's edges have a relative error of up to 2⁻⁴², so a number next to an edge may be in either bin. So the reported ranges are
  * widened by [[Bins.Margin]], and the bins are made narrower than alpha by [[Bins.Share]].
  */
private[ddsketch] final class Bins private (val alpha: Double) {
  import Bins._
  import Cubic.{AboveUsual, LeastUsual}

  private val normal = new Cubic(alpha * Share)
  private val first = normal.indexOf(bits(MinNormal))
  private val last = normal.indexOf(bits(Double.MaxValue))

  // Subnormal numbers are multiples of the least one, and an answer is rounded to a multiple, by at most half of it. With bins of a
  // quarter of alpha, the multiples n and n + 1 share a bin only if n > 1/alpha, and half of n·alpha remains for the rounding.
  private val tiny = new Cubic(alpha / 4)
  private val tinyFirst = tiny.indexOf(bits(Double.MinPositiveValue * Up))
  private val tinyLast = tiny.indexOf(bits(MinNormal * Up))
  private val firstNormal = tinyLast - tinyFirst + 2
  private val lastNormal = firstNormal + last - first

  /** The bins of +∞ and of NaN; the bin of −∞ is −infinity. */
  val infinity: Int = lastNormal + 1
  val nan: Int = infinity + 1

  private val added = firstNormal - first

  /** The library's index of a bin of positive normal numbers, and the parameters of its mapping. */
  def libraryIndex(bin: Int): Int = bin - added
  def libraryGamma: Double = normal.gamma
  def libraryAlpha: Double = alpha * Share

  /** Whether a bin holds normal numbers: not 0, subnormal, infinite or NaN. */
  def isNormal(bin: Int): Boolean = math.abs(bin) >= firstNormal && math.abs(bin) <= lastNormal

  def of(value: Double): Int = ofKey(DoubleKeys.key(value))

  /** The bin of the double with this key. */
  def ofKey(key: Long): Int = {
    val sign = (key >> 63).toInt
    val magnitude = key ^ (key >> 63)
    val bin =
      // only in the last binade can rounding lead beyond the last bin
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

  /** Sets `bins(i)` to the bin of the double with the key `keys(from + i)`, for i < n. Extends `extremes`, the least and the greatest key
    * so far, by these keys.
    */
  def ofAll(keys: Array[Long], from: Int, n: Int, bins: Array[Int], extremes: Array[Long]): Unit = {
    // most columns have only numbers above 0
    if (extremes(0) >= LeastUsual && extremes(1) < AboveUsual)
      normal.indicesOf(keys, from, n, bins, added, extremes)
    if (!(extremes(0) >= LeastUsual && extremes(1) < AboveUsual))
      if (normal.signedIndicesOf(keys, from, n, bins, added, extremes) > 0) {
        var i = 0
        while (i < n) {
          if (bins(i) == Cubic.Special) bins(i) = ofKey(keys(from + i))
          i += 1
        }
      }
  }

  /** The least double that can be in a bin. If it is above [[greatest]], the bin is empty. */
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

  /** Factors between subnormal numbers and normal ones of full precision. */
  private val Up = math.pow(2, 200)
  private val Down = math.pow(2, -200)

  private[ddsketch] val Margin = math.pow(2, -36)
  private val Share = 1 - math.pow(2, -20)

  @volatile private var latest = Vector(new Bins(DDSketches.Alpha.default))

  /** The bins of an alpha. They are cached, so that sketches of the same alpha share them and their tables. */
  def of(alpha: Double): Bins = {
    val cached = latest
    if (cached.head.alpha == alpha) cached.head
    else
      cached.find(_.alpha == alpha).getOrElse {
        val bins = new Bins(alpha)
        latest = (bins +: cached).take(MaxCached)
        bins
      }
  }

  private val MaxCached = 16

  /** The number with the least relative error to all numbers from `least` to `greatest`: their harmonic mean. */
  def middle(least: Double, greatest: Double): Double =
    if (least == greatest) least
    else if (greatest < 0) -middle(-greatest, -least)
    else if (least < MinNormal) middle(least * Up, greatest * Up) * Down
    else least * (2 / (1 + least / greatest))
}
