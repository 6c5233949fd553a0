package chronosketch.advisor

import java.util.SplittableRandom

/** A cyclic sequence of random network latencies in µs: median 798, p90 1247, p99 1874, p999 10156, maximum 74265; whole numbers with many
  * duplicates. It is longer than a frame, up to [[Latencies.MaxSize]].
  *
  * Source  the quantiles that Lim et al. 2019 print of their data (docs/algorithms.md, QLOVE)
  */
final class Latencies(minSize: Int, seed: Long) {
  val size: Int = math.min(Latencies.MaxSize, Integer.highestOneBit(math.max(1 << 16, minSize)) * 2)

  val keys: Array[Long] = {
    val random = new SplittableRandom(seed)
    Array.fill(size)(Latencies.at(random.nextDouble()))
  }
  val values: Array[Double] = keys.map(_.toDouble)

  /** Element i of the cyclic sequence. */
  def key(i: Long): Long = keys((i & (size - 1)).toInt)
  def value(i: Long): Double = values((i & (size - 1)).toInt)
}

object Latencies {

  /** At most this many latencies are drawn. A larger frame contains some of them twice. */
  final val MaxSize = 1 << 25

  /** The greatest number of elements in a frame. */
  final val MaxFrame = 1 << 29

  private val shares = Array(.5, .8, .93, .985, .997, .9996)
  private val values = Array(798, 1050.5, 1362.0, 1593.4, 3033.3, 27828.4)
  private val powers = Array(.30, .2474, .1019, .40, 1.10, .1183)

  private def at(u: Double): Long = {
    val value =
      if (u < 0.5) 798 * math.pow(2 * u, 0.30)
      else {
        val j = shares.lastIndexWhere(_ <= u)
        values(j) * math.pow((1 - shares(j)) / (1 - u), powers(j))
      }
    math.floor(math.min(74265.0, value) + 0.5).toLong
  }
}
