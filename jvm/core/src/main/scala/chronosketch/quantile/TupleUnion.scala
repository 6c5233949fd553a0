package chronosketch.quantile

import chronosketch.counted.{Share, SortedKeys}
import chronosketch.domain.Domain

/** Which summary has the elements of many, and of keys, when none of them is summarised further until all are together?
  *
  * Guarantee  every tuple of each is in the union, which is thinned but once, within ε
  * Cost       log₂(lists) steps a tuple in room that is used again, and a few passes over the union; of keys alone a
  *            load of those that stay
  * Merge      summaries are gathered here, in any number, and taken as one
  * Source     as [[GreenwaldKhanna]]
  */
private[chronosketch] final class TupleUnion(domain: Domain, epsilon: Double) {
  private val lists = new WaitingTuples

  def isEmpty: Boolean = lists.isEmpty

  def add(sketch: GreenwaldKhanna): Unit = if (sketch.tuples > 0) { lists.add(sketch.summarised); () }

  /** All of it, and keys; then nothing. Down to the tuples that `most` has for so many elements, or as near as ε allows. The outermost
    * elements, a share `ends` of all on either side, keep ranks more certain than the others do: [[TupleDropping.dropTo]].
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

  /** Every rank is known: the keys at some of them are enough. */
  private def ofKeys(sorted: SortedKeys, most: Int): Tuples =
    if (sorted.onceOrTwice <= most) CountedTuples.exact(sorted)
    else {
      // the least key, and the last of as many steps as are left
      val step = (sorted.total + most - 3) / (most - 1)
      CountedTuples.atRanks(sorted, math.max(1L, math.min(step, Share.of(2 * epsilon, sorted.total))))
    }

  private def united(ends: Double, most: Long => Int): Tuples = {
    val whole = lists.drain(TupleScratch.own.waiting)
    val tuples = new Tuples
    val union = TupleScratch.own
    union.insert(whole, Array.emptyLongArray, 0)
    val target = most(whole.count)
    if (union.length > target)
      union.dropTo(target, Share.of(2 * epsilon, whole.count), Share.of(ends, whole.count))
    tuples.size = union.length
    tuples.count = whole.count
    tuples.reserve(tuples.size)
    union.copyTo(tuples.keys, tuples.gs, tuples.deltas)
    whole.trim()
    tuples
  }
}
