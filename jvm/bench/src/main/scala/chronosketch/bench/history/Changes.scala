package chronosketch.bench.history

import java.util.Arrays

/** A sequence of inserts and deletes. The first changes make the first version, and each later change a version. */
trait Changes {

  /** The inserted values, and the complements of the deleted ones. */
  def changes: Array[Long]

  /** The number of changes in the first version. */
  def first: Int

  final def version(i: Int): Long = math.max(1L, i - first + 2L)

  /** The index of the change that made a version. */
  final def change(version: Long): Int = (version - 2L + first).toInt

  final def lastVersion: Long = version(changes.length - 1)

  /** The key of a change. */
  final def key(i: Int): Long = if (changes(i) < 0) ~changes(i) else changes(i)

  /** All distinct keys, sorted. */
  final lazy val keys: Array[Long] = {
    val all = Array.tabulate(changes.length)(key)
    Arrays.sort(all)
    var n = 0
    all.indices.foreach { i =>
      if (i == 0 || all(i) != all(i - 1)) { all(n) = all(i); n += 1 }
    }
    Arrays.copyOf(all, n)
  }

  /** Calls f with the sorted values alive after each of `count` evenly spread changes, computed by brute force. */
  final def foreachChecked(count: Int)(f: (Int, Array[Long]) => Unit): Unit = {
    val copies = new Array[Int](keys.length)
    val later = (changes.length - first).toLong
    var n, done = 0
    (1 to count).foreach { k =>
      val last = change(1 + later * k / count)
      while (done <= last) {
        val by = if (changes(done) < 0) -1 else 1
        copies(Arrays.binarySearch(keys, key(done))) += by
        n += by
        done += 1
      }
      val alive = new Array[Long](n)
      var o = 0
      keys.indices.foreach { i =>
        Arrays.fill(alive, o, o + copies(i), keys(i))
        o += copies(i)
      }
      if (n > 0) f(last, alive)
    }
  }
}
