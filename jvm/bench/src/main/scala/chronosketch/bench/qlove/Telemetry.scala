package chronosketch.bench.qlove

import java.util.SplittableRandom

/** Synthetic data shaped like that of QLOVE's paper, the same on every machine. */
object Telemetry {
  final val Rows = 10000000

  /** Network latencies in µs: median 798, p90 1247, p99 1874, p999 10156, maximum 74265. */
  def netMon(n: Int = Rows): Array[Long] = {
    val u0 = Array(.5, .8, .93, .985, .997, .9996)
    val v0 = Array(798, 1050.5, 1362.0, 1593.4, 3033.3, 27828.4)
    val a0 = Array(.30, .2474, .1019, .40, 1.10, .1183)
    permuted(Array.tabulate(n) { i =>
      val u = (i + 0.5) / n
      val q =
        if (u < 0.5) 798 * math.pow(2 * u, 0.30)
        else {
          val j = u0.lastIndexWhere(_ <= u)
          v0(j) * math.pow((1 - u0(j)) / (1 - u), a0(j))
        }
      math.floor(math.min(74265.0, q) + 0.5).toLong
    })
  }

  /** Response times of a search engine's index node in µs. The paper prints no quantiles of them; it says that queries are terminated at
    * 200 ms, and that terminated queries begin at Q0.9. So the logarithm here is normal with a median of 25 ms, and the values above Q0.92
    * are replaced by 200 ms plus an exponential tail with a mean of 150 µs, up to 1.5 ms.
    */
  def search(n: Int = Rows): Array[Long] = {
    val random = new java.util.Random(9)
    permuted(Array.fill(n) {
      val served = 25000 * math.exp(1.48 * random.nextGaussian())
      if (served < 200000) math.max(1L, served.toLong)
      else 200000L + math.min(1500.0, -150 * math.log(1 - random.nextDouble())).toLong
    })
  }

  /** The data rounded down to multiples of 100. */
  def lowPrecision(data: Array[Long]): Array[Long] = data.map(v => v / 100 * 100)

  /** Pareto values with Q0.5 = 20, Q0.999 = 10 000 and a maximum of 1.1·10⁹. */
  def pareto(n: Int = Rows): Array[Long] =
    permuted(Array.tabulate(n)(i => if (i == n - 1) 1100000000L else (10 / (1 - (i + 0.5) / n)).toLong))

  /** An AR(1) process of normal values with coefficient `psi`, mean a million and standard deviation 50 000. */
  def autoregressive(psi: Double, n: Int = Rows): Array[Long] = {
    val random = new java.util.Random(7)
    val spread = math.sqrt(1 - psi * psi)
    var z = random.nextGaussian()
    Array.fill(n) {
      z = psi * z + spread * random.nextGaussian()
      math.round(1e6 + 5e4 * z)
    }
  }

  def uniform(n: Int = Rows): Array[Long] = {
    val random = new SplittableRandom(8)
    Array.fill(n)(90L + random.nextInt(21))
  }

  /** The data with the `top` greatest values of every m-th pane multiplied by ten. */
  def burst(data: Array[Long], pane: Int, m: Int, top: Int): Array[Long] = {
    val out = data.clone()
    (m - 1 until data.length / pane by m).foreach { p =>
      val from = p * pane
      (from until from + pane).sortBy(-out(_)).take(top).foreach(i => out(i) *= 10)
    }
    out
  }

  private def permuted(values: Array[Long]): Array[Long] = {
    val random = new SplittableRandom(1)
    var i = values.length - 1
    while (i > 0) {
      val j = random.nextInt(i + 1)
      val moved = values(i)
      values(i) = values(j)
      values(j) = moved
      i -= 1
    }
    values
  }
}
