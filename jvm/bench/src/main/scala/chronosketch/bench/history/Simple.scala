package chronosketch.bench.history

import java.util.Arrays

import chronosketch.codec.Wire

/** The paper's alternative (Tao, Yi, Sheng, Pei, Li 2010, §3.6): the values at every ε/4-th rank, anew after each εN/4 changes. Ranks
  * count from the smallest here.
  */
final class Simple(data: PaperChanges, epsilon: Double) {
  private val starts = new scala.collection.mutable.ArrayBuffer[Int]
  private val sets = new scala.collection.mutable.ArrayBuffer[Array[Long]]
  private val counts = new scala.collection.mutable.ArrayBuffer[Long]

  locally {
    var alive = Array.emptyLongArray
    var from = 0
    var until = data.first
    while (from < data.changes.length) {
      alive = apply(alive, Arrays.copyOfRange(data.changes, from, until))
      starts += until - 1
      counts += alive.length.toLong
      val k = math.ceil(4 / epsilon).toInt
      sets += Array.tabulate(k)(i => alive(rank(i + 1, alive.length) - 1))
      from = until
      until = math.min(data.changes.length, until + 1 + (epsilon * alive.length / 4).toInt)
    }
  }

  private def rank(k: Int, n: Int): Int = math.max(1, math.min(n, (k * epsilon * n / 4).toInt))

  private def apply(alive: Array[Long], changes: Array[Long]): Array[Long] = {
    val come = changes.filter(_ >= 0).sorted
    val go = changes.filter(_ < 0).map(c => ~c).sorted
    val both = new Array[Long](alive.length + come.length)
    System.arraycopy(alive, 0, both, 0, alive.length)
    System.arraycopy(come, 0, both, alive.length, come.length)
    Arrays.sort(both)
    var o, g = 0
    both.indices.foreach { i =>
      if (g < go.length && go(g) == both(i)) g += 1 else { both(o) = both(i); o += 1 }
    }
    Arrays.copyOf(both, o)
  }

  /** The bytes of all sets, as differences. */
  def bytes: Int = {
    val w = new Wire.Writer
    sets.indices.foreach { i =>
      w.varint(starts(i).toLong)
      w.varint(counts(i))
      var before = 0L
      sets(i).foreach { key => w.zigzag(key - before); before = key }
    }
    w.length
  }

  /** After change i. */
  def quantile(i: Int, phi: Double): Long = {
    val at = starts.search(i) match {
      case scala.collection.Searching.Found(found) => found
      case scala.collection.Searching.InsertionPoint(next) => next - 1
    }
    val n = counts(at).toInt
    val sought = phi * n
    val k = sets(at).indices.find(i => rank(i + 1, n) >= sought).getOrElse(sets(at).length - 1)
    sets(at)(k)
  }
}
