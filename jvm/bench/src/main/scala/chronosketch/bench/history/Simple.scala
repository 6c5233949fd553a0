package chronosketch.bench.history

import java.util.Arrays

import chronosketch.codec.Wire

/** The paper's simple alternative (Tao, Yi, Sheng, Pei, Li 2010, §3.6): stores the values at every (εN/4)-th rank again after each εN/4
  * changes; if at most 4/ε values are alive, all of them after each change. Here ranks count from the smallest value.
  *
  * It knows all keys before the first change, which the paper's algorithm does not, and is faster for it.
  */
final class Simple(data: Changes, epsilon: Double) {
  private val sets = new scala.collection.mutable.ArrayBuffer[Array[Long]]
  private var starts = new Array[Int](16)
  private var counts = new Array[Int](16)

  locally {
    val alive = new KnownKeys(data)
    var next = data.first - 1
    data.changes.indices.foreach { i =>
      alive(data.changes(i))
      if (i == next) {
        addSet(i, alive)
        next = i + 1 + (if (isSmall(alive.count)) 0 else (epsilon * alive.count / 4).toInt)
      }
    }
  }

  private def isSmall(n: Int): Boolean = n <= 4 / epsilon

  private def addSet(i: Int, alive: KnownKeys): Unit = {
    if (sets.size == starts.length) {
      starts = Arrays.copyOf(starts, 2 * sets.size)
      counts = Arrays.copyOf(counts, 2 * sets.size)
    }
    starts(sets.size) = i
    counts(sets.size) = alive.count
    val n = alive.count
    sets += Array.tabulate(if (isSmall(n)) n else math.ceil(4 / epsilon).toInt)(k =>
      alive.key(rank(k + 1, n))
    )
  }

  /** The rank of value k of a set, from 1. */
  private def rank(k: Int, n: Int): Int =
    if (isSmall(n)) k else math.max(1, math.min(n, (k * epsilon * n / 4).toInt))

  /** The bytes of all sets, with keys encoded as differences. Ranks follow from the counts. */
  def bytes: Int = {
    val w = new Wire.Writer
    sets.indices.foreach { i =>
      w.varint((if (i == 0) starts(0) else starts(i) - starts(i - 1)).toLong)
      w.varint(counts(i).toLong)
      var before = 0L
      sets(i).foreach { key => w.varint(key - before); before = key }
    }
    w.length
  }

  def size: Int = sets.size

  /** The quantile after change i: the stored value with the least rank at or above the target. */
  def quantile(i: Int, phi: Double): Long = {
    val found = Arrays.binarySearch(starts, 0, sets.size, i)
    val at = if (found >= 0) found else -found - 2
    val set = sets(at)
    val n = counts(at)
    val target = phi * n
    var low = 0
    var high = set.length - 1
    while (low < high) {
      val middle = (low + high) >>> 1
      if (rank(middle + 1, n) >= target) high = middle else low = middle + 1
    }
    if (set.isEmpty) 0L else set(low)
  }
}
