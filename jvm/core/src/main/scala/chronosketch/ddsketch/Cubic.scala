package chronosketch.ddsketch

import com.datadoghq.sketch.ddsketch.mapping.CubicallyInterpolatedMapping

/** Maps positive normal doubles to the indexes of bins by a cubic approximation of the logarithm.
  *
  * Guarantee  for every normal number, [[indexOf]] and [[indicesOf]] give the same index as sketches-java's mapping with the same
  *            alpha ∈ [10⁻⁴, ½]
  * Cost       4 ns for one number; in batches 2.5 ns per number above 0, with a table of 8 KiB
  * Units      bits of doubles
  * Source     Masson, Rim, Lee, DDSketch, VLDB 2019, §2, as in Datadog's sketches-java, with the same operations on doubles in the same
  *            order; [[indicesOf]] differs: it uses a chord of the polynomial in fixed-point numbers, and the polynomial itself where
  *            the chord is not accurate enough
  */
private[ddsketch] final class Cubic(alpha: Double) {
  import Cubic._

  // The library does not expose its factor; computed from the same gamma it is the same.
  val gamma: Double = math.pow((1 + alpha) / (1 - alpha), 1 / Correction)
  private val factor = math.log(2) / math.log1p(gamma - 1)
  private val mapping = new CubicallyInterpolatedMapping(gamma, 0.0)

  def lowerBound(index: Int): Double = mapping.lowerBound(index)
  def upperBound(index: Int): Double = mapping.upperBound(index)

  /** The index of a positive normal number, given its bits. */
  def indexOf(bits: Long): Int = {
    val share = java.lang.Double.longBitsToDouble((bits & MantissaMask) | One) - 1.0
    val log = ((A * share + B) * share + C) * share + ((bits >>> MantissaBits) - Bias).toDouble
    val place = log * factor
    // this is not the floor: a negative integer gets the index below it
    if (place >= 0) place.toInt else place.toInt - 1
  }

  // the width of a binade, in fixed-point numbers with a fraction of 32 bits
  private val ofBinade = Math.round(factor * Whole)

  /** The polynomial is concave, so the chord is below it: by at most this, including truncation and rounding. */
  private val below =
    0.15 * factor / Cells / Cells + 1.43 * factor / Cells / (1 << RestBits) + math.pow(
      2,
      RestBits - FractionBits
    )

  /** The greatest rounding error of the doubles and of `ofBinade`. */
  private val rounded = factor * math.pow(2, -38) + math.pow(2, -21)

  /** If the fraction of the sum, as an unsigned number, is below this, the polynomial has the same integer part. */
  private val certainBelow = ((1 - below - 2 * rounded) * Whole).toLong.toInt

  /** For each cell of a binade: the polynomial at its beginning, minus the rounding error, and its slope in the cell. */
  private lazy val cells: Array[Long] = {
    val table = new Array[Long](2 * Cells)
    var i = 0
    while (i < Cells) {
      val start = polynomial(i.toDouble / Cells) * factor
      val end = polynomial((i + 1.0) / Cells) * factor
      table(2 * i) = Math.round((start - rounded) * Whole) - Bias * ofBinade
      table(2 * i + 1) = math.floor((end - start) * (Whole / (1 << RestBits))).toLong
      i += 1
    }
    table
  }

  /** [[indexOf]] by the table. The parameters are the fields, which the loops keep in local variables. */
  private def tabled(bits: Long, table: Array[Long], binade: Long, certain: Int): Int = {
    val cell = (bits >>> (MantissaBits - CellBits - 1)).toInt & (2 * Cells - 2)
    val rest = (bits >>> (MantissaBits - CellBits - RestBits)) & RestMask
    val place = (bits >>> MantissaBits) * binade + table(cell) + table(cell + 1) * rest
    if (Integer.compareUnsigned(place.toInt, certain) < 0) (place >> FractionBits).toInt else indexOf(bits)
  }

  /** Sets `indices(i)` to the index of `keys(from + i)` plus `added`, for i < n, and extends `extremes`, the least and the greatest key so
    * far. The keys should be of normal numbers above 0 and below 2¹⁰²³; the index of any other number is undefined.
    */
  def indicesOf(
      keys: Array[Long],
      from: Int,
      n: Int,
      indices: Array[Int],
      added: Int,
      extremes: Array[Long]
  ): Unit = {
    val table = cells
    val binade = ofBinade
    val certain = certainBelow
    var least = extremes(0)
    var greatest = extremes(1)
    var i = 0
    while (i < n) {
      val bits = keys(from + i)
      indices(i) = tabled(bits, table, binade, certain) + added
      if (bits < least) least = bits
      if (bits > greatest) greatest = bits
      i += 1
    }
    extremes(0) = least
    extremes(1) = greatest
  }

  /** As [[indicesOf]] for any numbers. A negative number gets the negated value of its magnitude, 0 gets 0, and subnormal numbers and
    * magnitudes from 2¹⁰²³ on get [[Special]]. Returns how many got [[Special]].
    */
  def signedIndicesOf(
      keys: Array[Long],
      from: Int,
      n: Int,
      indices: Array[Int],
      added: Int,
      extremes: Array[Long]
  ): Int = {
    val table = cells
    val binade = ofBinade
    val certain = certainBelow
    var least = extremes(0)
    var greatest = extremes(1)
    var special = 0
    var i = 0
    while (i < n) {
      val key = keys(from + i)
      val sign = key >> 63
      val magnitude = key ^ sign
      // all bits are set for 0 only; a branch would be mispredicted often if many numbers are 0
      val isZero = ~((magnitude | -magnitude) >> 63)
      val bits = magnitude | (isZero & LeastUsual)
      if (java.lang.Long.compareUnsigned(bits - LeastUsual, AboveUsual - LeastUsual) < 0) {
        val index = tabled(bits, table, binade, certain) + added
        indices(i) = ((index ^ sign.toInt) - sign.toInt) & ~isZero.toInt
      } else {
        indices(i) = Special
        special += 1
      }
      if (key < least) least = key
      if (key > greatest) greatest = key
      i += 1
    }
    extremes(0) = least
    extremes(1) = greatest
    special
  }
}

private[ddsketch] object Cubic {

  /** Marks a number without an index. */
  final val Special = Int.MinValue

  /** The range of the bits of numbers that are neither subnormal nor in the last binade. */
  final val LeastUsual = 1L << 52
  final val AboveUsual = 2046L << 52

  private val A = 6.0 / 35
  private val B = -3.0 / 5
  private val C = 10.0 / 7
  private val Correction = 1 / (C * math.log(2))

  private def polynomial(share: Double): Double = ((A * share + B) * share + C) * share

  final val MantissaBits = 52
  private final val MantissaMask = (1L << MantissaBits) - 1
  private final val Bias = 1023L
  private final val One = Bias << MantissaBits

  private final val CellBits = 9
  private final val Cells = 1 << CellBits
  private final val RestBits = 20
  private final val RestMask = (1L << RestBits) - 1
  private final val FractionBits = 32
  private final val Whole = (1L << FractionBits).toDouble
}
