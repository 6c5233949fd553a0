package chronosketch.spark.advice

/** What a structure is predicted to cost for a row of a large frame.
  *
  * @param nanos          CPU time
  * @param bytes          that it keeps
  * @param isExtrapolated whether the frame is larger, or its error smaller, than what was measured
  */
final case class FrameCost(structure: String, nanos: Double, bytes: Double, isExtrapolated: Boolean)

/** What quantiles OVER large frames cost by each structure, from a cost model: `chronosketch calibrate` measures it on Spark.
  *
  * Frames larger than those that were measured, and errors that are smaller, count as the nearest that were: powers of logarithms, which fit well in
  * between, may be anything beyond.
  */
object FrameCosts {
  private val Frame = "frame"

  /** Of a frame of so many rows; none where the model knows nothing of the structure. */
  def of(structure: String, rows: Long, epsilon: Double, delta: Double, model: CostModel): Option[FrameCost] =
    model.of(Frame).get(structure).flatMap { measured =>
      val asked = Workload(rows.toDouble, 1.0, epsilon, delta)
      val at = asked.copy(
        retention = nearest(measured, "retention", asked.retention),
        epsilon = nearest(measured, "epsilon", asked.epsilon)
      )
      Option.when(measured.time.isDefined(at) && measured.bytes.isDefined(at))(
        FrameCost(structure, measured.time.predict(at).value, measured.bytes.predict(at).value, at != asked)
      )
    }

  private def nearest(measured: Measured, factor: String, value: Double): Double = {
    val (least, greatest) = measured.ranges(factor)
    math.max(least, math.min(greatest, value))
  }
}
