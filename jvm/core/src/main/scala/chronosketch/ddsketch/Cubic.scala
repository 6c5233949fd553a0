package chronosketch.ddsketch

import com.datadoghq.sketch.ddsketch.mapping.CubicallyInterpolatedMapping

/** Which number has the interval that a number lies in, where each is some percent wide?
  *
  * Guarantee  for every normal number that of sketches-java's mapping of the same alpha ∈ [10⁻⁴, ½], by [[indexOf]] as by
  *            [[indicesOf]]
  * Cost       alone 4 ns; of many 2.5 ns, where they are above 0, from a table of 8 KiB
  * Units      bits of doubles
  * Source     Masson, Rim, Lee, DDSketch, VLDB 2019, §2, by Datadog's sketches-java: the same operations on doubles in the same order;
  *            departs: [[indicesOf]], a chord of the polynomial in whole numbers, and the polynomial where that might not tell
  */
private[ddsketch] final class Cubic(alpha: Double) {
  import Cubic._

  // The library has no way to tell its factor. From the same gamma it has the same.
  val gamma: Double = math.pow((1 + alpha) / (1 - alpha), 1 / Correction)
  private val factor = math.log(2) / math.log1p(gamma - 1)
  private val mapping = new CubicallyInterpolatedMapping(gamma, 0.0)

  def lowerBound(index: Int): Double = mapping.lowerBound(index)
  def upperBound(index: Int): Double = mapping.upperBound(index)

  /** Of a normal number above 0, by its bits. */
  def indexOf(bits: Long): Int = {
    val share = java.lang.Double.longBitsToDouble((bits & MantissaMask) | One) - 1.0
    val log = ((A * share + B) * share + C) * share + ((bits >>> MantissaBits) - Bias).toDouble
    val place = log * factor
    // not the floor: a whole number below 0 has the index below it
    if (place >= 0) place.toInt else place.toInt - 1
  }

  // Binary fractions of 32 bits, an index before them.
  private val ofBinade = Math.round(factor * Whole)

  /** The chord is below the polynomial, which bends down: by no more than this, what is cut off and rounded to it added. */
  private val below =
    0.15 * factor / Cells / Cells + 1.43 * factor / Cells / (1 << RestBits) + math.pow(
      2,
      RestBits - FractionBits
    )

  /** What doubles round, and the binade's width here. */
  private val rounded = factor * math.pow(2, -38) + math.pow(2, -21)

  /** As long as the fraction of a sum is less, read without a sign, the polynomial has the same number before its own. */
  private val certainBelow = ((1 - below - 2 * rounded) * Whole).toLong.toInt

  /** For each cell of a binade where the polynomial begins in it, less what is rounded, and how much it rises in a part of it. */
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

  /** [[indexOf]] by the table, whose parts loops hold in variables. */
  private def tabled(bits: Long, table: Array[Long], binade: Long, certain: Int): Int = {
    val cell = (bits >>> (MantissaBits - CellBits - 1)).toInt & (2 * Cells - 2)
    val rest = (bits >>> (MantissaBits - CellBits - RestBits)) & RestMask
    val place = (bits >>> MantissaBits) * binade + table(cell) + table(cell + 1) * rest
    if (Integer.compareUnsigned(place.toInt, certain) < 0) (place >> FractionBits).toInt else indexOf(bits)
  }

  /** Of numbers from the least normal one on, below 2¹⁰²³, by their keys: `indices(i)` = that of keys(from + i) plus `added`, i < n.
    * `ends`, of which more keys are known, then has the least and the greatest of all. Where a number is none of these, its index
    * is any.
    */
  def indicesOf(
      keys: Array[Long],
      from: Int,
      n: Int,
      indices: Array[Int],
      added: Int,
      ends: Array[Long]
  ): Unit = {
    val table = cells
    val binade = ofBinade
    val certain = certainBelow
    var least = ends(0)
    var greatest = ends(1)
    var i = 0
    while (i < n) {
      val bits = keys(from + i)
      indices(i) = tabled(bits, table, binade, certain) + added
      if (bits < least) least = bits
      if (bits > greatest) greatest = bits
      i += 1
    }
    ends(0) = least
    ends(1) = greatest
  }

  /** The same of any numbers: of one below 0 less than 0, of 0 itself 0; [[Special]] for those that are subnormal, or 2¹⁰²³ and more. How
    * many of these there are.
    */
  def signedIndicesOf(
      keys: Array[Long],
      from: Int,
      n: Int,
      indices: Array[Int],
      added: Int,
      ends: Array[Long]
  ): Int = {
    val table = cells
    val binade = ofBinade
    val certain = certainBelow
    var least = ends(0)
    var greatest = ends(1)
    var special = 0
    var i = 0
    while (i < n) {
      val key = keys(from + i)
      val sign = key >> 63
      val magnitude = key ^ sign
      // all bits for 0 alone: where every other number is 0, a branch would be guessed wrong every other time
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
    ends(0) = least
    ends(1) = greatest
    special
  }
}

private[ddsketch] object Cubic {

  /** No index. */
  final val Special = Int.MinValue

  /** Bits of the numbers that are neither subnormal nor of the last binade. */
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
