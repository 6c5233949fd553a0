package chronosketch.calibration

import scala.util.Random

/** Which cells are measured, and how long all of them may take? */
final case class Grid(
    name: String,
    seconds: Int,
    retentions: Seq[Int],
    slides: Seq[Int => Int],
    epsilons: Seq[Double]
) {

  /** In an order of chance, so that a run that ends early has measured a bit of everything. */
  def cells(seed: Long): Seq[Cell] = new Random(seed).shuffle(for {
    (aggregate, approach) <- Approaches.all
    epsilon <- if (Approaches.isExact(approach)) Seq(0.0) else epsilons
    retention <- retentions
    slide <- slides.map(_(retention)).distinct
  } yield Cell(aggregate, approach, retention, slide, epsilon))
}

object Grid {
  private def part(n: Int): Int => Int = retention => math.max(1, retention / n)

  // Whole slides, and none at the same place between two powers of two: some arrays are as long as the next one.
  val all: Seq[Grid] = Seq(
    Grid("small", 20, Seq(1200, 16800), Seq(part(60)), Seq(0.1, 0.01)),
    Grid(
      "default",
      120,
      Seq(1200, 4080, 16800, 70320),
      Seq(_ => 1, part(60), part(4)),
      Seq(0.1, 0.03, 0.01)
    ),
    Grid(
      "large",
      1200,
      Seq(1200, 4080, 16800, 50400, 302400),
      Seq(_ => 1, part(240), part(60), part(15), part(4)),
      Seq(0.1, 0.05, 0.02, 0.01)
    )
  )
}
