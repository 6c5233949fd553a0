package chronosketch.quantile

import chronosketch.counted.{ElementCount, SortedKeys}
import chronosketch.domain.Domain

/** Merges many sketches and sorted keys into one sketch, and drops tuples only once, after all are united.
  *
  * Guarantee  the union has every tuple of each sketch before it is thinned, within ε
  * Cost       log₂(lists) steps per tuple, in arrays that are used again, and a few passes over the union. If there are only
  *            keys, one load per key that stays
  * Source     as [[GreenwaldKhanna]]
  */
private[chronosketch] final class TupleUnion(domain: Domain, epsilon: Double) {
  private val lists = new WaitingTuples

  def isEmpty: Boolean = lists.isEmpty

  def add(sketch: GreenwaldKhanna): Unit = if (sketch.tuples > 0) { lists.add(sketch.summarised); () }

  /** Returns the sketch of everything added and of `keys`, and removes what was added. The sketch has at most `most(n)` tuples for n
    * elements, or as few as ε allows. The share `ends` of the elements on either side gets more certain ranks than the others:
    * [[TupleDropping.dropTo]].
    */
  def summary(keys: SortedKeys, ends: Double, most: Long => Int): GreenwaldKhanna = {
    val sketch = new GreenwaldKhanna(domain, epsilon)
    if (lists.isEmpty) sketch.restore(ofKeys(keys, most(keys.total)))
    else {
      if (keys.total > 0) lists.add(CountedTuples.exact(keys))
      sketch.restore(united(ends, most))
    }
    sketch
  }

  /** All ranks are known, so the keys at some of them are enough. */
  private def ofKeys(sorted: SortedKeys, most: Int): Tuples =
    if (sorted.exactTuples <= most) CountedTuples.exact(sorted)
    else {
      // one tuple is the least key, the others end a step each
      val step = (sorted.total + most - 3) / (most - 1)
      CountedTuples.atRanks(
        sorted,
        math.max(1L, math.min(step, ElementCount.share(2 * epsilon, sorted.total)))
      )
    }

  private def united(ends: Double, most: Long => Int): Tuples = {
    val whole = lists.drain(TupleScratch.own.waiting)
    val tuples = new Tuples
    val union = TupleScratch.own
    union.insert(whole, Array.emptyLongArray, 0)
    val target = most(whole.count)
    if (union.length > target)
      union.dropTo(
        target,
        ElementCount.share(2 * epsilon, whole.count),
        ElementCount.share(ends, whole.count)
      )
    tuples.size = union.length
    tuples.count = whole.count
    tuples.reserve(tuples.size)
    union.copyTo(tuples.keys, tuples.gs, tuples.deltas)
    whole.trim()
    tuples
  }
}
