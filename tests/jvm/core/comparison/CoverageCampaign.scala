package chronosketch.comparison

import scala.collection.mutable

import chronosketch.{Campaign, Counts}

/** Counts how often intervals of simulated experiments contain the population's quantile, or the difference of two. Run it with
  * `./sbt "core/Test/runMain chronosketch.comparison.CoverageCampaign 100000"`, optionally followed by the first case and the seed.
  * Fails if a share is below the confidence by more than half a point, and more than chance explains.
  */
object CoverageCampaign {
  def main(arguments: Array[String]): Unit = {
    val seed = Campaign.seed(arguments)
    val coverage = new Coverage
    Campaign.run("coverage", arguments)(number => coverage.add(experiment(seed, number))) {
      coverage.json
    }
    coverage.violations.foreach(Console.err.println)
    if (coverage.violations.nonEmpty) sys.exit(1)
  }

  /** The experiment of a case. */
  def experiment(seed: Long, number: Long): RandomExperiment =
    new RandomExperiment(Campaign.seedOf(seed, number))
}

/** Counts intervals by what they are of, and those that contain the truth. */
final class Coverage {
  private val tried, hit = mutable.TreeMap.empty[(String, Double), Long].withDefaultValue(0L)

  /** Small samples count twice: among all, and by themselves. */
  def add(experiment: RandomExperiment): Unit = {
    val shape = experiment.shape
    val shapes = if (experiment.isSmall) Seq(shape, s"$shape, n < ${RandomExperiment.Small}") else Seq(shape)
    for {
      (what, contains) <-
        Seq("quantiles" -> experiment.hasQuantile, "differences" -> experiment.hasDifference)
      of <- shapes
    } {
      val cell = (s"$what, $of", experiment.confidence)
      tried(cell) += 1
      if (contains) hit(cell) += 1
    }
  }

  /** How many intervals there were by cell, and how many of them contain the truth. */
  def json: Seq[(String, String)] = Seq("intervals" -> counts(tried), "contain" -> counts(hit))

  private def counts(of: mutable.Map[(String, Double), Long]): String =
    Counts.json(tried.keys.toSeq.map { case cell @ (what, confidence) =>
      s"$what, ${confidence * 100} %" -> of(cell).toString
    })

  /** A text for each cell that is below its confidence by more than half a point, beyond three standard errors. */
  def violations: Seq[String] = tried.toSeq.collect {
    case (cell @ (what, confidence), n)
        if hit(cell) < n * (confidence - 0.005) - 3 * math.sqrt(n * confidence * (1 - confidence)) =>
      s"$what: ${hit(cell)} of $n intervals of $confidence"
  }
}
