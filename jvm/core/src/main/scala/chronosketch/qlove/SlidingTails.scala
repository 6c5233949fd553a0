package chronosketch.qlove

import chronosketch.counted.KeyWeights

/** What the panes of a sliding window kept for one φ, merged while panes come and go.
  *
  * Guarantee  finds what [[Tails]] of the same panes does
  * Cost       the values that a pane has from [[floor]] on, where about twice the window's `need` lie: about 2·need/m a pane where panes
  *            are alike. The floor is found anew, O(need · log m), after about as many came or went
  *
  * @param panes the tails of the panes that are there
  */
private[qlove] final class SlidingTails(panes: () => Array[Tail]) extends WeightedKeys {
  private val above = new KeyWeights

  /** Keys below are left where they are, in their panes. */
  private var floor = Long.MinValue
  private var most = SlidingTails.Fewest
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
    if (isShort || (above.total > most && above.total > 4 * need)) settle(need)
    reached = math.min(above.total, need)
    Option.when(reached == need)(above.seek(need))
  }

  private def settle(need: Long): Unit = {
    val tails = panes()
    floor = new Tails(tails).seek(2 * need).getOrElse(Long.MinValue)
    above.clear()
    tails.foreach(add)
    // many may be alike: no more would be left of them the next time
    most = math.max(SlidingTails.Fewest, 2 * above.total)
  }
}

private object SlidingTails {

  /** Below this weight nothing is worth leaving out. */
  private val Fewest = 1024L
}
