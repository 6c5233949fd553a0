package chronosketch.comparison

import chronosketch.{Campaign, Counts}

/** Compares distances of random pairs of summaries with exact ones. Run it with
  * `./sbt "core/Test/runMain chronosketch.comparison.ComparisonCampaign 100000"`, optionally followed by the first case and the seed.
  * Counts the pairs by their families; fails on a distance outside of its bounds.
  */
object ComparisonCampaign {
  def main(arguments: Array[String]): Unit = {
    val seed = Campaign.seed(arguments)
    val families = new Counts
    Campaign.run("comparisons", arguments) { number =>
      val one = pair(seed, number)
      families.add(one.families)
      val found = one.violations
      if (found.nonEmpty) throw new AssertionError(found.take(3).mkString("; "))
    } {
      Seq("tried" -> families.json)
    }
  }

  /** The pair of a case. */
  def pair(seed: Long, number: Long): RandomPair = new RandomPair(Campaign.seedOf(seed, number))
}
