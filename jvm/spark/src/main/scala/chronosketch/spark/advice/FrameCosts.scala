package chronosketch.spark.advice

/** What a structure is predicted to cost for a row of a large frame.
  *
  * @param nanos          CPU time
  * @param bytes          that it keeps
  * @param isExtrapolated whether the frame is larger, or its error smaller, than what was measured
  */
final case class FrameCost(structure: String, nanos: Double, bytes: Double, isExtrapolated: Boolean)

/** What quantiles OVER large frames cost by each structure, from a cost model: `chronosketch calibrate` measures it on Spark. */
object FrameCosts {
  private val Frame = "frame"

  /** Of a frame of so many rows; none where the model knows nothing of the structure. */
  def of(
      structure: String,
      rows: Long,
      epsilon: Double,
      delta: Double,
      model: CostModel
  ): Option[FrameCost] = {
    val at = Workload(rows.toDouble, 1.0, epsilon, delta)
    model.of(Frame).get(structure)
      .filter(m => m.time.isDefined(at) && m.bytes.isDefined(at))
      .map(m => FrameCost(structure, m.time.predict(at).value, m.bytes.predict(at).value, isBeyond(m, at)))
  }

  private def isBeyond(measured: Measured, at: Workload): Boolean =
    Seq("retention", "epsilon").exists { factor =>
      val (least, greatest) = measured.ranges(factor)
      at.factor(factor) < least || at.factor(factor) > greatest
    }
}
