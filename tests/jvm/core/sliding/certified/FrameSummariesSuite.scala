package chronosketch.sliding.certified

import java.util.SplittableRandom

import chronosketch.{Cases, Suite}
import chronosketch.rank.Phi
import chronosketch.summary.{Distributions, ExactBag}

/** Tests the papers' guarantees for each structure, error and space, on random streams and steps. */
class FrameSummariesSuite extends Suite {
  import FrameSummariesSuite.Law

  private val phis = Seq("0", "0.1", "0.5", "0.9", "0.999", "1").map(p => Phi(new java.math.BigDecimal(p)))
  private val elements = 30000

  private def log2(x: Double): Double = math.log(x) / math.log(2)

  private def arasuManku(epsilon: Double, capacity: Double): Double = {
    val levels = math.ceil(log2(4 / epsilon)) + 1
    // each level has R/length + 2 blocks of 1/ε_l quantiles, and 2.5/ε_l tuples in the current block
    (0 until levels.toInt).map { l =>
      val length = math.max(1.0, math.floor(epsilon * capacity / 4)) * math.pow(2, l.toDouble)
      val each = math.min(length, 2 * (2 * levels) / epsilon / math.pow(2, levels - 1 - l) + 2)
      (capacity / length + 2) * each + math.min(length, 4 * each)
    }.sum
  }

  private val laws = Seq(
    Law(ArasuManku, arasuManku, (_, capacity) => capacity),
    Law(
      ArasuMankuVariable,
      (epsilon, capacity) =>
        Iterator.iterate(2 / epsilon)(_ * 2).takeWhile(_ < 4 * capacity).map(arasuManku(epsilon / 2, _)).sum,
      (n, _) => n
    ),
    Law(ExpirationList, (_, capacity) => capacity, (_, _) => 0),
    // 2/ε + 1 panes of 5/ε tuples
    Law(
      Cmqs,
      (epsilon, capacity) => (2 / epsilon + 2) * math.min(epsilon * capacity / 2 + 1, 5 / epsilon + 2),
      (_, capacity) => capacity
    )
  )

  private val sizes =
    Seq(Seq(0.1 -> 500, 0.02 -> 20000), Seq(0.1 -> 20000, 0.02 -> 500))

  for (law <- laws; (distribution, i) <- Distributions.all.zipWithIndex)
    test(s"${law.structure}: ${distribution.name}") {
      for ((epsilon, capacity) <- Cases.turn(i, sizes).flatten) {
        val random = new SplittableRandom(17L)
        val keys = distribution.sample(elements, 3L)
        val summary = law.structure.of(capacity.toLong, epsilon)
        val ranks = new FrameRanks
        var from, until = 0
        while (until < elements) {
          val step = math.min(1 + random.nextInt(capacity / 2), elements - until)
          var i = 0
          while (i < step) {
            if (until - from == capacity) { summary.expire(1L); from += 1 }
            summary.append(keys(until))
            until += 1
            i += 1
          }
          val leave = if (random.nextInt(3) == 0) random.nextInt(until - from) else 0
          summary.expire(leave.toLong)
          from += leave
          val n = until - from
          val seen = ExactBag.of(keys.slice(from, until))
          ranks.clear()
          summary.describe(ranks)
          assertEquals((summary.count, ranks.count), (n.toLong, n.toLong))
          phis.foreach { phi =>
            val rank = phi.rank(n.toLong)
            val key = ranks.find(rank)
            val off =
              math.max(
                0L,
                math.max(
                  rank - seen.rank(key),
                  (if (key == Long.MinValue) 0L else seen.rank(key - 1)) + 1 - rank
                )
              )
            def clue = s"$off ranks off, certified ${ranks.error}, at $phi of $n, R = $capacity, ε = $epsilon"
            assert(
              off <= ranks.error && ranks.error <= epsilon * law.errorBase(n.toDouble, capacity.toDouble),
              clue
            )
            val exact = seen.at(rank)
            assert(ranks.least(rank) <= exact && exact <= ranks.greatest(rank), clue)
          }
          val most = law.most(epsilon, capacity.toDouble)
          assert(
            summary.stored <= most,
            s"${summary.stored} kept, $most allowed, R = $capacity, ε = $epsilon"
          )
        }
      }
    }
}

object FrameSummariesSuite {

  /** The guarantee of a structure: how many values it may store, given ε and R, and to how many elements its error is relative,
    * given their number and R.
    */
  private final case class Law(
      structure: FrameStructure,
      most: (Double, Double) => Double,
      errorBase: (Double, Double) => Double
  )
}
