package chronosketch

import chronosketch.ddsketch.RandomDDSketch
import chronosketch.history.RandomHistory
import chronosketch.quantile.{QuantileFamily, RandomSketch}
import chronosketch.rank.Tail
import chronosketch.window.RandomWindow

/** Compares random sketches with sorted data. Run it with `./sbt "core/Test/runMain chronosketch.CertificateCampaign 100000"`,
  * optionally followed by the first case and the seed. Each case is a quantile sketch and one of a tail; every hundredth also has a
  * window sketch, a history and a DDSketch. Counts the cases; fails on a claim that does not hold.
  */
object CertificateCampaign {
  private val Others = 100L

  def main(arguments: Array[String]): Unit = {
    val seed = Campaign.seed(arguments)
    val kinds, inputs = new Counts
    Campaign.run("certificates", arguments) { number =>
      kinds.add("quantile sketches")
      kinds.add(s"sketches of the tail '${tailOf(number).name}'")
      val (input, found) = one(seed, number)
      inputs.add(input)
      if (number % Others == 0) Seq("windows", "histories", "ddsketches").foreach(kinds.add)
      if (found.nonEmpty) throw new AssertionError(found.take(3).mkString("; "))
    } {
      Seq("tried" -> kinds.json, "inputs" -> inputs.json)
    }
  }

  /** Runs a case. Returns the name of its distribution and its violations. */
  def one(seed: Long, number: Long): (String, Seq[String]) = {
    val caseSeed = Campaign.seedOf(seed, number)
    val sketch = new RandomSketch(caseSeed)
    val ofTail = new RandomSketch(~caseSeed, family = QuantileFamily.of(Some(tailOf(number))))
    val others =
      if (number % Others != 0) Nil
      else {
        val history = new RandomHistory(caseSeed, maxVersions = 100)
        new RandomWindow(caseSeed).violations ++ new RandomDDSketch(caseSeed).violations ++
          history.violations(history.build(), asked = 8)
      }
    (sketch.distribution.name, sketch.violations ++ ofTail.violations ++ others)
  }

  /** The tail of a case: each one in turn. */
  private def tailOf(number: Long): Tail = Tail.all((number % Tail.all.size).toInt)
}
