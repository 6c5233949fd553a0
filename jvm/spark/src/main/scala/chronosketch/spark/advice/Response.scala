package chronosketch.spark.advice

/** A predicted cost and its interval of 95 %.
  *
  * @param isClipped whether the model gave less than was ever measured
  */
final case class Prediction(value: Double, low: Double, high: Double, isClipped: Boolean = false)

/** One fitted cost, as a function of a workload (docs/advisor.md, The file).
  *
  * @param isPower        whether the terms add up to the logarithm of the cost
  * @param isProportional whether the noise grows with the cost
  * @param scale          the variance of residuals
  * @param t              the quantile of Student's t for the interval
  * @param smallest       the least cost that was measured: nothing below it is predicted
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
    val ofModel = product(x, covariance.map(product(_, x)))
    val around = scale * (if (isProportional) middle * middle else 1.0)
    val half = t * math.sqrt(math.max(0.0, ofModel + around))
    val free =
      if (isPower) Prediction(exp(middle), exp(middle - half), exp(middle + half))
      else Prediction(middle, math.max(0.0, middle - half), middle + half)
    if (free.value >= smallest) free
    else Prediction(smallest, math.min(free.low, smallest), math.max(free.high, smallest), isClipped = true)
  }

  private def product(a: IndexedSeq[Double], b: IndexedSeq[Double]): Double =
    a.indices.map(i => a(i) * b(i)).sum

  // far outside of what was measured: a number all the same
  private def exp(power: Double): Double = math.exp(math.min(power, 700.0))
}
