package chronosketch.bench.history

import java.util.{Arrays, SplittableRandom}

/** The changes of the paper's experiments (Tao, Yi, Sheng, Pei, Li 2010, §4.2): 100 000 uniform values at the first version, then a
  * million, one a version; inserts are `ratio` times as likely as deletes, which take any of what is alive. Values inserted
  * in the first half are Gaussian, in the second uniform.
  *
  * @param drifting not the paper's: values rise, and the oldest is deleted
  */
final class PaperChanges(val ratio: Int, seed: Long, val drifting: Boolean = false) {
  val first = 100000
  val later = 1000000
  private val domain = 1L << 30

  /** A value, or the complement of one that is deleted. */
  val changes: Array[Long] = {
    val random = new SplittableRandom(seed)
    val gaussian = new java.util.Random(seed)
    val all = new Array[Long](first + later)
    val alive = new Array[Long](first + later)
    var n = 0
    var oldest = 0
    all.indices.foreach { i =>
      if (i < first || random.nextInt(ratio + 1) > 0 || n == oldest) {
        all(i) =
          if (drifting) i * 1000L + random.nextInt(1000)
          else if (i < first || i >= first + later / 2) 1 + random.nextLong(domain)
          else near(gaussian)
        alive(n) = all(i)
        n += 1
      } else if (drifting) {
        all(i) = ~alive(oldest)
        oldest += 1
      } else {
        val at = random.nextInt(n)
        all(i) = ~alive(at)
        n -= 1
        alive(at) = alive(n)
      }
    }
    all
  }

  private def near(gaussian: java.util.Random): Long = {
    var value = 0L
    while (value < 1 || value > domain)
      value = math.round(domain / 2.0 + domain * gaussian.nextGaussian())
    value
  }

  /** 1 for the first values, then one more for each change. */
  def version(i: Int): Long = math.max(1L, i - first + 2L)

  /** Calls with the ranks of what is alive after each of 100 changes evenly spread: their number, and how many are ≤ a key. */
  def foreachAsked(f: (Int, Long, Long => Long) => Unit): Unit = {
    val keys = changes.map(c => if (c < 0) ~c else c).sorted
    val tree = new Array[Long](keys.length + 1)
    def position(key: Long): Int = {
      var i = Arrays.binarySearch(keys, key)
      while (i >= 0 && i + 1 < keys.length && keys(i + 1) == key) i += 1
      if (i >= 0) i + 1 else -i - 1
    }
    def rank(key: Long): Long = {
      var sum = 0L
      var i = position(key)
      while (i > 0) { sum += tree(i); i -= i & -i }
      sum
    }
    var n = 0L
    changes.indices.foreach { i =>
      val change = if (changes(i) < 0) -1 else 1
      n += change
      var at = position(if (changes(i) < 0) ~changes(i) else changes(i))
      while (at <= keys.length) { tree(at) += change; at += at & -at }
      if (i >= first && (i - first + 1) % (later / 100) == 0) f(i, n, rank)
    }
  }
}
