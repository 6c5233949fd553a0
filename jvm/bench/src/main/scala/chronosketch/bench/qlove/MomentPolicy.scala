package chronosketch.bench.qlove

import java.util.Arrays

import scala.collection.mutable.ArrayDeque

import chronosketch.rank.Phi

/** The moment sketch: keeps the moments of the logarithms of each pane, and answers from the density of maximal entropy that has the
  * window's moments.
  *
  * Source  Gan, Ding, Tai, Sharan, Bailis, Moment-based quantile sketches for efficient high cardinality aggregation queries, 2018, §4;
  *         differs: uses only logarithms, and moments of Chebyshev polynomials over a range known beforehand instead of powers, which
  *         lose precision
  */
final class MomentPolicy(phis: Seq[Phi], panes: Int, least: Double, greatest: Double)
    extends Policy("Moment") {
  private val k = 12
  private val (low, high) = (math.log(least), math.log(greatest))
  private val window = new Array[Double](k + 1)
  private val sums = new ArrayDeque[Array[Double]]
  private var filling = new Array[Double](k + 1)

  // the Chebyshev polynomials at the points of a grid, by degree
  private val points = 2048
  private val values = Array.ofDim[Double](k + 1, points)
  (0 until points).foreach { p =>
    val at = polynomials(2 * (p + 0.5) / points - 1)
    (0 to k).foreach(i => values(i)(p) = at(i))
  }

  private def polynomials(x: Double): Array[Double] = {
    val t = new Array[Double](k + 1)
    t(0) = 1
    t(1) = x
    var i = 2
    while (i <= k) { t(i) = 2 * x * t(i - 1) - t(i - 2); i += 1 }
    t
  }

  def insert(key: Long): Unit = {
    val t = polynomials(2 * (math.log(key.toDouble) - low) / (high - low) - 1)
    var i = 0
    while (i <= k) { filling(i) += t(i); i += 1 }
  }

  def endPane(): Unit = {
    sums.append(filling)
    if (sums.size > panes) sums.removeHead()
    Arrays.fill(window, 0.0)
    sums.foreach(s => (0 to k).foreach(i => window(i) += s(i)))
    filling = new Array[Double](k + 1)
  }

  def variables: Long = sums.size * (k + 3L)

  def answers(): Array[Double] = {
    val density = fit(window.map(_ / window(0)))
    val total = density.sum
    var upTo = 0.0
    var p = -1
    phis.map { phi =>
      val target = phi.decimal.doubleValue * total
      while (p < points - 1 && upTo < target) {
        p += 1
        upTo += density(p)
      }
      val within = if (p < 0) 0.0 else p + 1 - (upTo - target) / density(p)
      math.exp(low + (high - low) * within / points)
    }.toArray
  }

  /** Fits exp(Σ λᵢ Tᵢ) on the grid by Newton's method on the convex potential, with smaller steps where it would increase. */
  private def fit(moments: Array[Double]): Array[Double] = {
    var lambda = new Array[Double](k + 1)
    lambda(0) = -math.log(2.0)
    var density = densityOf(lambda)
    var potential = potentialOf(lambda, density, moments)
    var rounds = 0
    var isDone = false
    while (!isDone && rounds < 200) {
      val means = Array.tabulate(k + 1)(i => product(i, 0, density))
      val gradient = Array.tabulate(k + 1)(i => means(i) - moments(i))
      isDone = gradient.forall(math.abs(_) < 1e-9)
      val step = solve(Array.tabulate(k + 1, k + 1)((i, j) => product(i, j, density)), gradient)
      var share = 1.0
      var isLower = false
      while (!isDone && !isLower) {
        val next = Array.tabulate(k + 1)(i => lambda(i) - share * step(i))
        val nextDensity = densityOf(next)
        val nextPotential = potentialOf(next, nextDensity, moments)
        isLower = nextPotential < potential
        if (isLower) {
          lambda = next
          density = nextDensity
          potential = nextPotential
        }
        share /= 2
        if (share < 1e-6) isDone = true
      }
      rounds += 1
    }
    density
  }

  private def densityOf(lambda: Array[Double]): Array[Double] = Array.tabulate(points) { p =>
    var sum = 0.0
    var i = 0
    while (i <= k) { sum += lambda(i) * values(i)(p); i += 1 }
    math.exp(sum) * 2 / points
  }

  private def potentialOf(lambda: Array[Double], density: Array[Double], moments: Array[Double]): Double =
    density.sum - (0 to k).map(i => lambda(i) * moments(i)).sum

  private def product(i: Int, j: Int, density: Array[Double]): Double = {
    var sum = 0.0
    var p = 0
    while (p < points) { sum += values(i)(p) * values(j)(p) * density(p); p += 1 }
    sum
  }

  /** Solves a linear system by Gaussian elimination, with a small regularization of the diagonal. */
  private def solve(a: Array[Array[Double]], b: Array[Double]): Array[Double] = {
    val n = b.length
    val x = b.clone()
    (0 until n).foreach(i => a(i)(i) += 1e-12)
    (0 until n).foreach { i =>
      val pivot = (i until n).maxBy(r => math.abs(a(r)(i)))
      val row = a(i)
      a(i) = a(pivot)
      a(pivot) = row
      val value = x(i)
      x(i) = x(pivot)
      x(pivot) = value
      (i + 1 until n).foreach { r =>
        val f = a(r)(i) / a(i)(i)
        (i until n).foreach(c => a(r)(c) -= f * a(i)(c))
        x(r) -= f * x(i)
      }
    }
    (n - 1 to 0 by -1).foreach { i =>
      (i + 1 until n).foreach(c => x(i) -= a(i)(c) * x(c))
      x(i) /= a(i)(i)
    }
    x
  }
}
