package chronosketch.qlove

import chronosketch.counted.KeyWeights

/** The values that the panes of a sliding window kept for one φ, merged incrementally as panes are added and removed.
  *
  * Guarantee  the same results as [[Tails]] of the same panes
  * Cost       per pane, its values from [[floor]] on. The floor is chosen so that about twice the window's `need` elements are above it,
  *            about 2·need/m per pane if panes are alike. Choosing it takes O(need · log m), and happens again after about as many
  *            elements were added or removed
  *
  * @param panes the tails of the current panes
  */
private[qlove] final class SlidingTails(panes: () => Array[Tail]) extends WeightedKeys {
  private val above = new KeyWeights

  /** Keys below the floor are not merged. */
  private var floor = Long.MinValue
  private var maxWeight = SlidingTails.MinWeight
  private var reached = 0L

  def add(tail: Tail): Unit = {
    var i = 0
    while (i < tail.size && tail.key(i) >= floor) { above.add(tail.key(i), tail.weight(i)); i += 1 }
  }

  def remove(tail: Tail): Unit = {
    var i = 0
    while (i < tail.size && tail.key(i) >= floor) { above.remove(tail.key(i), tail.weight(i)); i += 1 }
  }

  def weight: Long = reached

  def seek(need: Long): Option[Long] = {
    val isShort = above.total < need && floor > Long.MinValue
    if (isShort || (above.total > maxWeight && above.total > 4 * need)) chooseFloor(need)
    reached = math.min(above.total, need)
    Option.when(reached == need)(above.seek(need))
  }

  private def chooseFloor(need: Long): Unit = {
    val tails = panes()
    floor = new Tails(tails).seek(2 * need).getOrElse(Long.MinValue)
    above.clear()
    tails.foreach(add)
    // with many equal keys a new floor would not reduce the weight: wait until it has doubled
    maxWeight = math.max(SlidingTails.MinWeight, 2 * above.total)
  }
}

private object SlidingTails {

  /** Up to this weight a floor is not worth the effort. */
  private val MinWeight = 1024L
}
