package chronosketch.bench.history

import java.util.{Arrays, SplittableRandom}

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

/** The changes of the paper's experiments (Tao, Yi, Sheng, Pei, Li 2010, §4.2): 100 000 uniform values at the first version, then a
  * million changes, one per version. Inserts are `ratio` times as likely as deletes, which delete a random value. Values inserted in the
  * first half are Gaussian, in the second half uniform.
  *
  * @param drifting whether values increase and the oldest is deleted, which the paper does not test
  */
final class PaperChanges(
    ratio: Int,
    seed: Long,
    drifting: Boolean = false,
    val first: Int = 100000,
    later: Int = 1000000,
    domain: Long = 1L << 30
) extends Changes {
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
}

/** A replacement for the paper's packets of the Abilene network (§4.3), which are not available: as many packets over about as many ports.
  * A packet replaces its port's number of packets by one more: it deletes the old number and inserts the new one. Ports follow Zipf's law
  * with the exponent with which 1.6 million packets reach about 53 940 of 65 535 ports, as in the paper's data.
  */
final class PortChanges(seed: Long) extends Changes {
  private val packets = 1600000
  private val ports = 65535
  private val exponent = 1.14

  def first: Int = 1

  val changes: Array[Long] = {
    val random = new SplittableRandom(seed)
    val cumulated = new Array[Double](ports)
    var sum = 0.0
    cumulated.indices.foreach { i => sum += math.pow(i + 1.0, -exponent); cumulated(i) = sum }
    val seen = new Array[Long](ports)
    val all = new Array[Long](2 * packets)
    var n = 0
    (0 until packets).foreach { _ =>
      val found = Arrays.binarySearch(cumulated, random.nextDouble() * sum)
      val port = math.min(ports - 1, if (found >= 0) found else -found - 1)
      if (seen(port) > 0) { all(n) = ~seen(port); n += 1 }
      seen(port) += 1
      all(n) = seen(port)
      n += 1
    }
    Arrays.copyOf(all, n)
  }
}
