package chronosketch.comparison

/** The standard normal distribution. */
private[comparison] object Normal {

  /** The probability to be above z ≥ 0, with a relative error below 1e-12. */
  def tail(z: Double): Double = if (z < 3) 0.5 - density(z) * series(z) else density(z) * millsRatio(z)

  /** The z that is exceeded with this probability, which is above 0 and at most one half.
    *
    * Newton's steps on log tail, which is concave: from a z that is too great they only fall. tail(z) ≤ exp(−z²/2)/2 gives the first.
    */
  def quantile(tailProbability: Double): Double = {
    val target = StrictMath.log(tailProbability)
    var z = math.sqrt(math.max(0.0, -2 * (target + StrictMath.log(2))))
    var step = 1.0
    var steps = 0
    while (step > 1e-13 * (1 + z) && steps < 50) {
      val above = tail(z)
      step = (target - StrictMath.log(above)) * above / density(z)
      z -= step
      steps += 1
    }
    math.max(0.0, z)
  }

  private def density(z: Double): Double = StrictMath.exp(-z * z / 2) / math.sqrt(2 * Math.PI)

  /** z + z³/3 + z⁵/(3·5) + … */
  private def series(z: Double): Double = {
    var term = z
    var sum = z
    var k = 3
    while (term > sum * 1e-17) {
      term *= z * z / k
      sum += term
      k += 2
    }
    sum
  }

  /** 1/(z + 1/(z + 2/(z + 3/(z + …)))) */
  private def millsRatio(z: Double): Double = {
    var fraction = z
    var k = 120
    while (k > 0) {
      fraction = z + k / fraction
      k -= 1
    }
    1 / fraction
  }
}
