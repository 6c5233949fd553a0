package chronosketch.sliding.certified

import chronosketch.summary.Distributions

/** Every distribution in frames of every shape, by every structure, at every ε, by a command:
  * `./sbt "core/Test/runMain chronosketch.sliding.certified.FrameQuantilesCampaign"`, with another number of rows behind it if wanted.
  * Every claim is held against the frame's own elements. Writes a line for each distribution; fails on a violation.
  */
object FrameQuantilesCampaign {
  private val Seed = 5L
  private val Asked = 116 // frames of a shape whose answers are checked

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
