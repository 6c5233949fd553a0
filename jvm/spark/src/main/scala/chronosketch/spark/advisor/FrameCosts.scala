package chronosketch.spark.advisor

/** The predicted costs of one structure for a large frame.
  *
  * @param nanos          CPU nanoseconds per row
  * @param bytes          the memory that the structure takes
  * @param isExtrapolated whether the frame is larger, or its error smaller, than what was measured
  */
final case class FrameCost(structure: String, nanos: Double, bytes: Double, isExtrapolated: Boolean)

/** Predicts what each structure costs for quantiles OVER large frames, from a cost model measured on Spark by `chronosketch calibrate`.
  *
  * A frame that is larger than all measured ones, or an error that is smaller, is replaced by the nearest measured value: powers of
  * logarithms fit well inside the measured range, but can be far off outside it.
  */
object FrameCosts {
  private val Frame = "frame"

  /** The costs for a frame of `rows` rows; empty if the model has no measurements of the structure. */
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
