package chronosketch.bench.history

import java.util.SplittableRandom

import chronosketch.rank.Phi

/** Asks one contestant for quantiles at many versions, and compares the answers with the values alive.
  *
  * @param epsilon the greatest allowed error
  */
final class CheckedAnswers(val contestant: Contestant, val epsilon: Double) {
  private val random = new SplittableRandom(7)

  /** The errors of the paper's workload, which asks for one random φ at each version. */
  var versions = 0
  var sum, worst, certified = 0.0

  /** How many answers were checked, and how many of them violate their guarantee. */
  var answers, violations = 0

  /** Asks after change i, given the sorted values alive then. Returns the error of the paper's workload. */
  def ask(i: Int, alive: Array[Long]): Double = {
    val phi = CheckedAnswers.Phis(random.nextInt(CheckedAnswers.Phis.length))
    val error = CheckedAnswers.error(contestant.quantile(i, phi), phi, alive)
    versions += 1
    sum += error
    worst = math.max(worst, error)
    check(i, alive)
    error
  }

  private def check(i: Int, alive: Array[Long]): Unit = {
    val profile = contestant.profile(i)
    profile.foreach(p => certified = math.max(certified, p.rankError))
    var k = 4
    while (k < CheckedAnswers.Phis.length) {
      val phi = CheckedAnswers.Phis(k)
      val answer = contestant.quantile(i, phi)
      val isCorrect = profile match {
        case None => CheckedAnswers.isWithin(epsilon, answer, phi, alive)
        case Some(p) =>
          val exact = alive(phi.rank(alive.length.toLong).toInt - 1)
          val (low, high) = p.quantileBounds(phi)
          low <= exact && exact <= high && p.rankError <= epsilon && p.quantile(phi) == answer &&
          CheckedAnswers.error(answer, phi, alive) <= p.rankError
      }
      answers += 1
      if (!isCorrect) violations += 1
      k += 10
    }
  }

  def mean: Double = sum / versions
}

object CheckedAnswers {

  /** The φs 0.001, 0.002, …, 1. */
  val Phis: Array[Phi] = Array.tabulate(1000)(k => Phi((k + 1) / 1000.0))

  /** The distance of an answer's ranks from ⌈φN⌉, relative to N. A repeated value has all its ranks. */
  def error(answer: Long, phi: Phi, alive: Array[Long]): Double = {
    val rank = phi.rank(alive.length.toLong)
    val off = math.max(rank - below(answer + 1, alive), below(answer, alive) + 1 - rank)
    math.max(0L, off).toDouble / alive.length
  }

  /** Whether an answer is an ε-approximate quantile by the paper's definition, with ranks from the smallest value. */
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
