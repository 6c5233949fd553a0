package chronosketch.bench.qlove

import java.util.Arrays

import chronosketch.rank.Phi

/** The exact quantiles of the last n rows, by a Fenwick tree of the counts of all distinct values. */
final class ExactWindow(data: Array[Long], n: Int) {
  private val values = {
    val sorted = data.clone()
    Arrays.sort(sorted)
    var o = 0
    var i = 0
    while (i < sorted.length) {
      if (i == 0 || sorted(i) != sorted(i - 1)) { sorted(o) = sorted(i); o += 1 }
      i += 1
    }
    Arrays.copyOf(sorted, o)
  }
  private val places = data.map(v => Arrays.binarySearch(values, v) + 1)
  private val tree = new Array[Int](values.length + 1)
  private val highest = Integer.highestOneBit(values.length)
  private var arrived = 0

  private def add(place: Int, more: Int): Unit = {
    var i = place
    while (i < tree.length) { tree(i) += more; i += i & -i }
  }

  def insert(): Unit = {
    add(places(arrived), 1)
    if (arrived >= n) add(places(arrived - n), -1)
    arrived += 1
  }

  def isFull: Boolean = arrived >= n

  def quantile(phi: Phi): Double = {
    var rest = phi.rank(n.toLong)
    var at = 0
    var step = highest
    while (step > 0) {
      if (at + step < tree.length && tree(at + step) < rest) {
        at += step
        rest -= tree(at)
      }
      step >>= 1
    }
    values(at).toDouble
  }

  /** The number of rows at or below a value. */
  private def atMost(value: Double): Long = {
    var low = 0
    var high = values.length
    while (low < high) {
      val mid = (low + high) >>> 1
      if (values(mid) <= value) low = mid + 1 else high = mid
    }
    var sum = 0L
    while (low > 0) { sum += tree(low); low -= low & -low }
    sum
  }

  /** The rank error of an answer, relative to the number of rows. */
  def rankError(phi: Phi, answer: Double): Double = {
    val rank = phi.rank(n.toLong)
    val (last, before) = (atMost(answer), atMost(Math.nextDown(answer)))
    math.max(0L, math.max(rank - last, before + 1 - rank)).toDouble / n
  }
}
