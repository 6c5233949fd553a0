package chronosketch.spark.sliding.functions

import chronosketch.sliding.certified.FrameStructure
import chronosketch.spark.advisor.{AdviceConf, CostModel, FrameCost, FrameCosts}

/** Predicts the cost of structures for frames of a given length, by the session's cost model. */
private final class FramePredictions(rows: Long, epsilon: Double, delta: Double) {
  private lazy val model: CostModel = AdviceConf.model

  private def cost(structure: String): Option[FrameCost] =
    FrameCosts.of(structure, rows, epsilon, delta, model)

  /** Sorts structures by time per row, fastest first. Structures without a prediction come last, in the given order. */
  def ranked(structures: Seq[FrameStructure]): Seq[FrameStructure] =
    structures.sortBy(s => cost(s.name).fold(Double.PositiveInfinity)(_.nanos))

  /** The predicted cost of a structure, for EXPLAIN.
    *
    * @param next the name and the text of the second-best structure, to compare with
    */
  def text(structure: String, next: Option[(String, String)]): Option[String] = cost(structure).map { cost =>
    val beyond = if (cost.isExtrapolated) ", estimated from the nearest measurement" else ""
    val other = next.flatMap { case (name, text) =>
      this.cost(name).map(c => s"; next: $text, ${FramePredictions.nanos(c)}")
    }
    s"predicted ${FramePredictions.nanos(cost)} and ${FramePredictions.bytes(cost)}$beyond${other.getOrElse("")}"
  }
}

private object FramePredictions {
  private def nanos(cost: FrameCost): String = s"${math.round(cost.nanos)} ns a row"
  private def bytes(cost: FrameCost): String = s"${math.max(1L, math.round(cost.bytes / 1024))} KiB"
}
