package chronosketch.spark.advisor

/** A predicted cost with its 95 % interval.
  *
  * @param isClipped whether the model's prediction was below the least measured cost and was raised to it
  */
final case class Prediction(value: Double, low: Double, high: Double, isClipped: Boolean = false)

/** One fitted cost as a function of a workload (docs/advisor.md, The file).
  *
  * @param isPower        whether the sum of the terms is the logarithm of the cost
  * @param isProportional whether the noise is proportional to the cost
  * @param scale          the variance of the residuals
  * @param t              the quantile of Student's t distribution for the interval
  * @param smallest       the least measured cost; no prediction is below it
  */
final case class Response(
    isPower: Boolean,
    isProportional: Boolean,
    terms: IndexedSeq[Term],
    coefficients: IndexedSeq[Double],
    covariance: IndexedSeq[IndexedSeq[Double]],
    scale: Double,
    t: Double,
    smallest: Double
) {
  def isDefined(at: Workload): Boolean = terms.forall(_.isDefined(at))

  def predict(at: Workload): Prediction = {
    val x = terms.map(_(at))
    val middle = product(coefficients, x)
    val modelVariance = product(x, covariance.map(product(_, x)))
    val noiseVariance = scale * (if (isProportional) middle * middle else 1.0)
    val half = t * math.sqrt(math.max(0.0, modelVariance + noiseVariance))
    val raw =
      if (isPower) Prediction(exp(middle), exp(middle - half), exp(middle + half))
      else Prediction(middle, math.max(0.0, middle - half), middle + half)
    if (raw.value >= smallest) raw
    else Prediction(smallest, math.min(raw.low, smallest), math.max(raw.high, smallest), isClipped = true)
  }

  private def product(a: IndexedSeq[Double], b: IndexedSeq[Double]): Double =
    a.indices.map(i => a(i) * b(i)).sum

  // keeps the result finite far outside the measured range
  private def exp(power: Double): Double = math.exp(math.min(power, 700.0))
}
