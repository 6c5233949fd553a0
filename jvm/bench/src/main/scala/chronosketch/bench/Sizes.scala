package chronosketch.bench

import chronosketch.rank.RankProfile
import chronosketch.summary.Envelope

/** Measures the bytes of stored sketches and of merged ones. Prints a JSON object per line. KLL's random choices and our seeds differ
  * between rounds.
  */
object Sizes {
  private val Epsilon = 1e-3

  def main(arguments: Array[String]): Unit = {
    val rounds = arguments(0).toInt
    for (n <- Seq(100000, 1000000, 10000000); round <- 1 to rounds) {
      stored("lognormal", round, Inputs.lognormal(n, seed = round.toLong))
    }
    // one round suffices: the inputs have a fixed seed
    for (input <- Inputs.Names.tail) stored(input, round = 1, Inputs(input, 10000000))
    for (shape <- Seq("balanced", "chain"); round <- 1 to rounds) {
      val values = Inputs.lognormal(Merging.Parts * Merging.ValuesAPart, seed = round.toLong)
      val parts =
        Merging.stored(values)((from, until) => Envelope.seal(Sketches.ours(values, from, until, Epsilon)))
      val theirs = Merging.stored(values) { (from, until) =>
        Sketches.kll(values, from, until, Sketches.KllAtThousandth).toByteArray
      }
      val ours = Merging.ours(parts, shape)
      say(
        "what" -> quoted("merged"),
        "of" -> quoted(shape),
        "round" -> round,
        "gk" -> Envelope.seal(ours).length,
        "kll" -> Merging.kll(theirs, shape).toByteArray.length,
        "tuples" -> ours.tuples,
        "certified" -> certified(ours.profile)
      )
    }
  }

  private def stored(input: String, round: Int, values: Array[Double]): Unit = {
    val ours = Sketches.ours(values, 0, values.length, Epsilon)
    val theirs = Sketches.kll(values, 0, values.length, Sketches.KllAtThousandth)
    say(
      "what" -> quoted("bytes"),
      "of" -> quoted(s"$input, ${values.length / 1000} thousand"),
      "round" -> round,
      "gk" -> Envelope.seal(ours).length,
      "kll" -> theirs.toByteArray.length,
      "tuples" -> ours.tuples,
      "certified" -> certified(ours.profile)
    )
  }

  /** The certified rank error in units of ε. */
  private def certified(profile: RankProfile): Double = profile.rankError / Epsilon

  private def quoted(text: String): String = s"\"$text\""

  private def say(fields: (String, Any)*): Unit =
    println(fields.map { case (name, value) => s"\"$name\": $value" }.mkString("{", ", ", "}"))
}
