package chronosketch.qlove

import chronosketch.counted.KeyWeights
import chronosketch.domain.{Cast, Domain}

/** The greatest values that a pane keeps for one φ: the top ones with weight 1, and below them every `interval`-th with weight `interval`. */
private[qlove] final class Tail(val tops: Array[Long], val samples: Array[Long], val interval: Long) {
  def size: Int = tops.length + samples.length

  /** The keys in decreasing order. */
  def key(i: Int): Long = if (i < tops.length) tops(i) else samples(i - tops.length)
  def weight(i: Int): Long = if (i < tops.length) 1L else interval

  def castBy(cast: Cast): Tail =
    new Tail(cast.all(tops, tops.length), cast.all(samples, samples.length), interval)

  def isOf(domain: Domain): Boolean = (0 until size).forall(i => domain.holds(key(i)))
}

/** The values that all panes of a window kept for one φ. */
private[qlove] trait WeightedKeys {

  /** How many of the window's greatest elements the kept values represent, at most the `need` of the last `seek`. */
  def weight: Long

  /** The key at which the cumulative weight, from the greatest key down, first reaches `need`. None if it never does; then [[weight]] is
    * less than `need`.
    */
  def seek(need: Long): Option[Long]
}

/** The few-k merge: merges the tails of panes in decreasing order. */
private[qlove] final class Tails(tails: Array[Tail]) extends WeightedKeys {
  private var reached = 0L

  def weight: Long = reached

  def seek(need: Long): Option[Long] = {
    // a heap of panes, ordered by the greatest remaining key of each
    val heap = tails.indices.filter(tails(_).size > 0).toArray
    val at = new Array[Int](tails.length)
    def head(place: Int): Long = tails(heap(place)).key(at(heap(place)))
    var size = heap.length
    def sink(from: Int): Unit = {
      var place = from
      var isPlaced = false
      while (!isPlaced) {
        var child = 2 * place + 1
        if (child + 1 < size && head(child + 1) > head(child)) child += 1
        if (child < size && head(child) > head(place)) {
          val moved = heap(place)
          heap(place) = heap(child)
          heap(child) = moved
          place = child
        } else isPlaced = true
      }
    }
    var i = size / 2 - 1
    while (i >= 0) { sink(i); i -= 1 }
    reached = 0L
    var found = 0L
    while (size > 0 && reached < need) {
      val pane = heap(0)
      val tail = tails(pane)
      found = tail.key(at(pane))
      val more = tail.weight(at(pane))
      reached = if (need - reached <= more) need else reached + more
      at(pane) += 1
      if (at(pane) == tail.size) {
        size -= 1
        heap(0) = heap(size)
      }
      sink(0)
    }
    Option.when(reached >= need)(found)
  }
}

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
