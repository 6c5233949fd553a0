package chronosketch.bench.windows

import scala.collection.mutable.ArrayBuffer

import chronosketch.domain.Domain
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.RankProfile

/** The paper's window sketch: nested sketches, each of all rows since its bucket began.
  *
  * Guarantee  rank error ≤ ε·(elements in the window) for windows that end at the newest row
  * Cost       a row is inserted into every sketch
  * Units      rows are inserted in order of time
  * Source     Xu, Lin, Zhou, Space efficient quantile summary for constrained sliding windows, 2004, §3, Algorithm 1: at most
  *            ⌊1/λ⌋ + 1 buckets of each distance, λ = ε/2
  */
final class NestedWindows(epsilon: Double) {
  private final class Bucket(val time: Long) {
    val sketch = new GreenwaldKhanna(Domain.BigInt, epsilon / 2)
  }

  // newest first; groups(i) has the buckets 2^i apart, newest first
  private val groups = ArrayBuffer.empty[ArrayBuffer[Bucket]]
  private val maxBuckets = (2 / epsilon).toInt + 1

  def insert(key: Long, time: Long): Unit = {
    var moved = new Bucket(time)
    var i = 0
    while (moved != null) {
      if (i == groups.size) groups += ArrayBuffer.empty
      val group = groups(i)
      group.insert(0, moved)
      moved = null
      if (group.size > maxBuckets) {
        group.remove(group.size - 2)
        moved = group.remove(group.size - 1)
      }
      i += 1
    }
    i = 0
    while (i < groups.size) {
      val group = groups(i)
      var j = 0
      while (j < group.size) { group(j).sketch.insert(key); j += 1 }
      i += 1
    }
  }

  /** The sketch of the earliest bucket that began after a time. */
  def since(time: Long): RankProfile = {
    val inside = groups.iterator.flatten.filter(_.time > time)
    if (inside.isEmpty) RankProfile.empty else inside.reduceLeft((_, older) => older).sketch.profile
  }

  def buckets: Int = groups.map(_.size).sum
  def tuples: Long = groups.iterator.flatten.map(_.sketch.tuples.toLong).sum
  def storedBytes: Long = groups.iterator.flatten.map { b =>
    chronosketch.summary.Envelope.seal(b.sketch).length.toLong
  }.sum
}
