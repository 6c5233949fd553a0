package chronosketch.domain

/** How does a floating-point value become a whole number that sorts the same way?
  *
  * Guarantee  a < b in Spark's order of doubles (−∞ … +∞, then NaN) exactly when key(a) < key(b); −0.0 has the key of 0.0,
  *            every NaN that of the canonical NaN; value(key(d)) == d otherwise, bit for bit
  * Cost       five instructions, no branch
  * Source     IEEE 754 total order folded as in sortable-bits folklore; departs: −0.0 and NaN (docs/algorithms.md, Keys)
  */
object DoubleKeys {

  /** Adding 0.0 turns −0.0 into 0.0; `doubleToLongBits` gives every NaN one pattern, above +∞. */
  def key(value: Double): Long = {
    val bits = java.lang.Double.doubleToLongBits(value + 0.0)
    bits ^ ((bits >> 63) & Long.MaxValue)
  }

  def value(key: Long): Double = java.lang.Double.longBitsToDouble(key ^ ((key >> 63) & Long.MaxValue))

  val PositiveInfinity: Long = key(Double.PositiveInfinity)
  val NegativeInfinity: Long = key(Double.NegativeInfinity)
  val NaN: Long = key(Double.NaN)

  /** What −0.0 would have; no value maps to it. */
  val NegativeZero: Long = -1L

  /** Whether some value has this key: one NaN has, of all that there are between +∞ and the canonical one and beyond. */
  def isKey(key: Long): Boolean =
    key >= NegativeInfinity && (key <= PositiveInfinity || key == NaN) && key != NegativeZero
}
