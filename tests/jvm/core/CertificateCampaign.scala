package chronosketch

import chronosketch.bucketing.RandomWindow
import chronosketch.ddsketch.RandomDDSketch
import chronosketch.history.RandomHistory
import chronosketch.summary.RandomSketch

/** Random sketches held against sorted data, by a command: `./sbt "core/Test/runMain chronosketch.CertificateCampaign 100000"`, with
  * the first case and the seed behind it if wanted. Each case is a quantile sketch; every hundredth also a window sketch, a history
  * and a DDSketch. Counts what was tried; fails on a claim that does not hold.
  */
object CertificateCampaign {
  private val Others = 100L

  def main(arguments: Array[String]): Unit = {
    val seed = Campaign.seed(arguments)
    val kinds, inputs = new Counts
    Campaign.run("certificates", arguments) { number =>
      kinds.add("quantile sketches")
      val (input, found) = one(seed, number)
      inputs.add(input)
      if (number % Others == 0) Seq("windows", "histories", "ddsketches").foreach(kinds.add)
      if (found.nonEmpty) throw new AssertionError(found.take(3).mkString("; "))
    } {
      Seq("tried" -> kinds.json, "inputs" -> inputs.json)
    }
  }

  /** What a case was made from, and all that is wrong with it. */
  def one(seed: Long, number: Long): (String, Seq[String]) = {
    val own = seed + number * Campaign.Apart
    val sketch = new RandomSketch(own)
    val others =
      if (number % Others != 0) Nil
      else {
        val history = new RandomHistory(own, maxVersions = 100)
        new RandomWindow(own).violations ++ new RandomDDSketch(own).violations ++
          history.violations(history.build(), asked = 8)
      }
    (sketch.distribution.name, sketch.violations ++ others)
  }
}
