package chronosketch.quantile

/** Between which neighbours among the tuples do most values of one buffer lie?
  *
  * Guarantee  a crowd is all that lies between two neighbours and has the key of neither; there are none unless at least half of a
  *            few values, drawn evenly from those in order that lie between the first and the last tuple, lie in crowds
  * Cost       a binary search for each of the few
  *
  * Values of several sources that each rise or fall, such as the two ends of a zigzag, lie where the last ones did, and so will the
  * next.
  */
private[quantile] final class Crowds {
  private val lows, highs = new Array[Long](Crowds.Samples)
  private var found = 0

  /** How many there are, from left to right. */
  def size: Int = found

  /** The keys of the two neighbours that a crowd lies between. */
  def low(crowd: Int): Long = lows(crowd)
  def high(crowd: Int): Long = highs(crowd)

  def clear(): Unit = found = 0

  /** Those of the first n values, which are in order. */
  def find(tuples: Tuples, values: Array[Long], n: Int): Unit = {
    clear()
    val share = n / Crowds.Samples
    if (share > 1 && tuples.size >= Crowds.FewestTuples) {
      var before = Crowds.Outside
      var among = 0
      var inside = 0
      var i = 0
      // as long as those that are left, and the last one with them, can make it half
      while (i < Crowds.Samples && inside <= 2 * among + 2 + Crowds.Samples - i) {
        val place = Crowds.gap(tuples, values(i * share))
        if (place != Crowds.Outside) inside += 1
        if (place >= 0 && place == before) {
          if (found == 0 || highs(found - 1) != tuples.keys(place)) {
            lows(found) = tuples.keys(place - 1)
            highs(found) = tuples.keys(place)
            found += 1
            among += 1
          }
          among += 1
        }
        before = place
        i += 1
      }
      if (inside < Crowds.Fewest || 2 * among < inside) clear()
    }
  }
}

private[quantile] object Crowds {

  /** How many values are drawn; a crowd has two of them at least. */
  private val Samples = 16

  /** So many of them must lie between the first and the last tuple: what lies outside leaves nothing in doubt. */
  private val Fewest = 4

  // what is no gap: outside of all tuples, or at the key of one
  private val Outside = -2
  private val Held = -1

  /** Among fewer tuples two in one gap are no rarity. */
  private val FewestTuples = 64

  /** The tuple that ends the gap in which a value lies, if it lies in one. */
  private def gap(tuples: Tuples, value: Long): Int = {
    val place = TupleArrays.place(tuples.keys, 0, tuples.size, value)
    if (place == 0 || place == tuples.size) Outside else if (tuples.keys(place) == value) Held else place
  }
}
