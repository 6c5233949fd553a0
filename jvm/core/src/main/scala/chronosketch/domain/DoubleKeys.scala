package chronosketch.domain

/** Maps doubles to integer keys that sort the same way, and back.
  *
  * Guarantee  a < b in Spark's order of doubles (−∞ … +∞, then NaN) exactly when key(a) < key(b); −0.0 has the key of 0.0,
  *            every NaN that of the canonical NaN; value(key(d)) == d otherwise, bit for bit
  * Cost       five instructions, no branch
  * Source     the well-known mapping of IEEE 754 bits to sortable integers; departs: −0.0 and NaN (docs/algorithms.md, Keys)
  */
object DoubleKeys {

  /** Adding 0.0 turns −0.0 into 0.0. `doubleToLongBits` gives every NaN the same bits, which sort above +∞. */
  def key(value: Double): Long = {
    val bits = java.lang.Double.doubleToLongBits(value + 0.0)
    bits ^ ((bits >> 63) & Long.MaxValue)
  }

  def value(key: Long): Double = java.lang.Double.longBitsToDouble(key ^ ((key >> 63) & Long.MaxValue))

  val PositiveInfinity: Long = key(Double.PositiveInfinity)
  val NegativeInfinity: Long = key(Double.NegativeInfinity)
  val NaN: Long = key(Double.NaN)

  /** The key that −0.0 would have. No value maps to it. */
  val NegativeZero: Long = -1L

  /** Whether some value has this key. Above +∞ only the canonical NaN has one. */
  def isKey(key: Long): Boolean =
    key >= NegativeInfinity && (key <= PositiveInfinity || key == NaN) && key != NegativeZero
}
