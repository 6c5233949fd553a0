package chronosketch.spark.advice

/** What a structure is predicted to cost for a row of a large frame.
  *
  * @param nanos          CPU time
  * @param bytes          that it keeps
  * @param isExtrapolated whether the frame is larger, or its error smaller, than what was measured
  */
final case class FrameCost(structure: String, nanos: Double, bytes: Double, isExtrapolated: Boolean)

/** What quantiles OVER large frames cost by each structure, from a cost model.
  *
  * A summary has half of ε, and is asked anew only where a quarter of ε's ranks have come or gone. So a row costs an update,
  * and a small share of a question.
  */
object FrameCosts {
  private val Quantile = "quantile"

  /** Of a frame of so many rows; none where the model knows nothing of the structure. */
  def of(
      structure: String,
      rows: Long,
      epsilon: Double,
      delta: Double,
      model: CostModel
  ): Option[FrameCost] = {
    val at = Workload(rows.toDouble, 1.0, epsilon / 2, delta)
    for {
      measured <- model.of(Quantile).get(structure)
      update <- measured.update if update.isDefined(at)
      query <- measured.query if query.isDefined(at)
      if measured.bytes.isDefined(at)
    } yield {
      val asked = math.min(1.0, 4 / (epsilon * rows.toDouble))
      FrameCost(
        structure,
        update.predict(at).value + asked * query.predict(at).value,
        measured.bytes.predict(at).value,
        isBeyond(measured, at)
      )
    }
  }

  private def isBeyond(measured: Measured, at: Workload): Boolean =
    Seq("retention", "epsilon").exists { factor =>
      val (least, greatest) = measured.ranges(factor)
      at.factor(factor) < least || at.factor(factor) > greatest
    }
}
