package chronosketch.sliding.certified

import chronosketch.summary.Distributions

/** Checks every distribution in frames of every shape, with every structure and every ε, against the frames' own elements. Run it
  * with `./sbt "core/Test/runMain chronosketch.sliding.certified.FrameQuantilesCampaign"`, optionally followed by a number of
  * rows. It prints one line per distribution, and fails on a violation.
  */
object FrameQuantilesCampaign {
  private val Seed = 5L
  private val Asked = 116 // number of frames of a shape whose answers are checked

  def main(arguments: Array[String]): Unit = {
    val rows = arguments.headOption.fold(5000)(_.toInt)
    var runs, violations = 0
    for (distribution <- Distributions.all) {
      val keys = distribution.sample(rows, Seed)
      for {
        shape <- FrameShapes.names
        structure <-
          Seq(ArasuManku, ArasuMankuVariable, Cmqs) ++ Option.when(shape == "growing")(GrowingFrame)
        epsilon <- Seq(0.5, 0.1, 0.02, 0.001)
      } {
        val every = math.max(1, rows / Asked)
        val found =
          FrameCertificate.violations(structure, keys, _ => true, FrameShapes.of(shape, rows), epsilon, every)
        found.take(3).foreach(v => Console.err.println(s"${distribution.name}, $shape: $v"))
        runs += 1
        violations += found.size
      }
      println(s"${distribution.name}: $runs runs so far, $violations violations")
    }
    println(s"$rows rows, seed $Seed: $runs runs, $violations violations")
    if (violations > 0) sys.exit(1)
  }
}
