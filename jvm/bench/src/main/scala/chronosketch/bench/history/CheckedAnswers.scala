package chronosketch.bench.history

import java.util.SplittableRandom

import chronosketch.rank.Phi

/** Answers of one side held against what was alive, version by version.
  *
  * @param epsilon what no answer may be off by more than
  */
final class Asked(val side: Side, val epsilon: Double) {
  private val random = new SplittableRandom(7)

  /** The paper's workload: one φ a version, any. */
  var versions = 0
  var sum, worst, certified = 0.0

  /** All that was asked, and what broke its promise. */
  var answers, violations = 0

  /** `alive` is what there was after change i, sorted. */
  def ask(i: Int, alive: Array[Long]): Double = {
    val phi = Asked.Phis(random.nextInt(Asked.Phis.length))
    val error = Asked.error(side.quantile(i, phi), phi, alive)
    versions += 1
    sum += error
    worst = math.max(worst, error)
    hold(i, alive)
    error
  }

  private def hold(i: Int, alive: Array[Long]): Unit = {
    val profile = side.profile(i)
    profile.foreach(p => certified = math.max(certified, p.rankError))
    var k = 4
    while (k < Asked.Phis.length) {
      val phi = Asked.Phis(k)
      val answer = side.quantile(i, phi)
      val isHeld = profile match {
        case None => Asked.isWithin(epsilon, answer, phi, alive)
        case Some(p) =>
          val exact = alive(phi.rank(alive.length.toLong).toInt - 1)
          val (low, high) = p.quantileBounds(phi)
          low <= exact && exact <= high && p.rankError <= epsilon && p.quantile(phi) == answer &&
          Asked.error(answer, phi, alive) <= p.rankError
      }
      answers += 1
      if (!isHeld) violations += 1
      k += 10
    }
  }

  def mean: Double = sum / versions
}

object Asked {

  /** 0.001, 0.002, …, 1. */
  val Phis: Array[Phi] = Array.tabulate(1000)(k => Phi((k + 1) / 1000.0))

  /** By how many ranks an answer misses ⌈φN⌉, as a share of N; equal values take all their ranks. */
  def error(answer: Long, phi: Phi, alive: Array[Long]): Double = {
    val rank = phi.rank(alive.length.toLong)
    val off = math.max(rank - below(answer + 1, alive), below(answer, alive) + 1 - rank)
    math.max(0L, off).toDouble / alive.length
  }

  /** The paper's definition of an ε-approximate quantile, of ranks from the smallest. */
  def isWithin(epsilon: Double, answer: Long, phi: Phi, alive: Array[Long]): Boolean = {
    val share = phi.decimal.doubleValue
    below(answer + 1, alive) >= (share - epsilon) * alive.length - 1e-6 &&
    below(answer, alive) <= (share + epsilon) * alive.length + 1e-6
  }

  private def below(key: Long, alive: Array[Long]): Long = {
    var low = 0
    var high = alive.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (alive(middle) < key) low = middle + 1 else high = middle
    }
    low.toLong
  }
}
