package chronosketch.quantile

import chronosketch.{Campaign, Counts}
import chronosketch.rank.Tail

/** Compares random sketches of a tail, of up to a thousand parts, with sorted data. Run it with
  * `./sbt "core/Test/runMain chronosketch.quantile.TailCampaign 100000"`, optionally followed by the first case and the seed. Counts the
  * cases; fails on a claim that does not hold.
  */
object TailCampaign {
  private val Parts = Seq(1, 1, 2, 3, 8, 30, 100, 300, 1000)

  def main(arguments: Array[String]): Unit = {
    val seed = Campaign.seed(arguments)
    val tails, inputs, parts = new Counts
    Campaign.run("tails", arguments) { number =>
      val sketch = one(seed, number)
      tails.add(s"'${sketch.sketch.family.tail.get.name}'")
      inputs.add(sketch.distribution.name)
      parts.add(f"${sketch.parts}%4d")
      val found = sketch.violations
      if (found.nonEmpty) throw new AssertionError(found.take(3).mkString("; "))
    } {
      Seq("tails" -> tails.json, "inputs" -> inputs.json, "merged parts" -> parts.json)
    }
  }

  /** The sketch of a case. Each tail has its turn. */
  def one(seed: Long, number: Long): RandomSketch = {
    val tail = Tail.all((number % Tail.all.size).toInt)
    new RandomSketch(Campaign.seedOf(seed, number), family = QuantileFamily.of(Some(tail)), merged = Parts)
  }
}
