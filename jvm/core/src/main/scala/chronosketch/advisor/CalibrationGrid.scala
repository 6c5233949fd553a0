package chronosketch.advisor

import scala.util.Random

/** A set of cells to measure, and the seconds that they may take together. */
final case class CalibrationGrid(
    name: String,
    seconds: Int,
    retentions: Seq[Int],
    slides: Seq[Int => Int],
    epsilons: Seq[Double]
) {

  /** The cells in random order, so that a run that ends early has measured cells of all kinds. */
  def cells(seed: Long): Seq[Cell] = new Random(seed).shuffle(for {
    (aggregate, approach) <- Approaches.all
    epsilon <- if (Approaches.isExact(approach)) Seq(0.0) else epsilons
    retention <- retentions
    slide <- slides.map(_(retention)).distinct
  } yield Cell(aggregate, approach, retention, slide, epsilon))
}

object CalibrationGrid {
  private def part(n: Int): Int => Int = retention => math.max(1, retention / n)

  // Retentions are multiples of the slides. Their distances to the next power of two differ, because some arrays are rounded up to it.
  val all: Seq[CalibrationGrid] = Seq(
    CalibrationGrid("small", 20, Seq(480, 16800), Seq(part(60)), Seq(0.1, 0.01)),
    CalibrationGrid(
      "default",
      120,
      Seq(480, 4080, 16800, 70320),
      Seq(_ => 1, part(60), part(4)),
      Seq(0.1, 0.03, 0.01)
    ),
    CalibrationGrid(
      "large",
      1440,
      Seq(480, 1200, 4080, 16800, 50400, 302400),
      Seq(_ => 1, part(240), part(60), part(15), part(4)),
      Seq(0.1, 0.05, 0.02, 0.01)
    )
  )
}

/** One configuration to measure: an aggregate of sliding frames, computed by one approach, with one answer per frame.
  *
  * @param retention number of elements in a frame
  * @param slide     number of elements by which the frame moves
  * @param epsilon   the requested error; 0 for exact approaches
  */
final case class Cell(aggregate: String, approach: String, retention: Int, slide: Int, epsilon: Double) {
  def text: String =
    s"$aggregate $approach R=$retention S=$slide" + (if (epsilon > 0) s" epsilon=$epsilon" else "")
}

object Cell {

  /** The probability with which a sample's error may exceed ε. */
  final val Delta = 1e-4
}
