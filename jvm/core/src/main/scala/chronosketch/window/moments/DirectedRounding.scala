package chronosketch.window.moments

/** Directed rounding: arithmetic on doubles that rounds down or up, for intervals that contain the exact result.
  *
  * Guarantee  `…Down` ≤ exact ≤ `…Up`; both equal the exact result if it is a double, except for products and quotients below
  *            2⁻⁹⁰⁰, which keep their sign. A result that is not a number is −∞ down and ∞ up
  * Cost       five additions for a sum; one fused multiply-add for a product or a quotient
  * Source     Knuth's TwoSum; Ogita, Rump and Oishi, Accurate sum and dot product, 2005
  */
private[moments] object DirectedRounding {

  /** Below this, a remainder may underflow. */
  private val Small = Math.scalb(1.0, -900)

  /** Up to this, no difference of two summands overflows. */
  private val Large = Math.scalb(1.0, 1000)

  /** Whole numbers up to this are doubles. */
  private val Whole = 1L << 53

  /** The difference between a + b and `sum`, the double that is nearest to it: Knuth's TwoSum. */
  def errorOf(a: Double, b: Double, sum: Double): Double = {
    val other = sum - a
    (a - (sum - other)) + (b - other)
  }

  def addDown(a: Double, b: Double): Double = {
    val sum = a + b
    if (Math.abs(sum) <= Large && Math.abs(a) <= Large) downIfNegative(sum, errorOf(a, b, sum))
    else addLargeDown(a, b)
  }

  def addUp(a: Double, b: Double): Double = {
    val sum = a + b
    if (Math.abs(sum) <= Large && Math.abs(a) <= Large) {
      val other = sum - a
      upIfNegative(sum, ((sum - other) - a) + (other - b))
    } else addLargeUp(a, b)
  }

  private def addLargeDown(a: Double, b: Double): Double = {
    val sum = a + b
    if (Math.abs(sum) <= Double.MaxValue) if (errorOf(a, b, sum) >= 0) sum else Math.nextDown(sum)
    else down(sum)
  }

  private def addLargeUp(a: Double, b: Double): Double = {
    val sum = a + b
    if (Math.abs(sum) <= Double.MaxValue) if (errorOf(a, b, sum) <= 0) sum else Math.nextUp(sum)
    else up(sum)
  }

  /** The next lower double if `error` is below 0, else `x`. `x` is not 0 then, and `error` is never −0. It has no branch, because
    * half of all sums are rounded in either direction and no processor predicts which.
    */
  private def downIfNegative(x: Double, error: Double): Double = {
    val bits = java.lang.Double.doubleToRawLongBits(x)
    val step = ((bits >> 63) | 1L) & (java.lang.Double.doubleToRawLongBits(error) >> 63)
    java.lang.Double.longBitsToDouble(bits - step)
  }

  private def upIfNegative(x: Double, error: Double): Double = {
    val bits = java.lang.Double.doubleToRawLongBits(x)
    val step = ((bits >> 63) | 1L) & (java.lang.Double.doubleToRawLongBits(error) >> 63)
    java.lang.Double.longBitsToDouble(bits + step)
  }

  def mulDown(a: Double, b: Double): Double =
    if (a == 0 || b == 0) 0.0
    else {
      val product = a * b
      val size = Math.abs(product)
      if (size <= Double.MaxValue)
        if (size >= Small) downIfNegative(product, Math.fma(a, b, -product))
        else if ((a > 0) == (b > 0)) Math.max(0.0, Math.nextDown(product))
        else Math.nextDown(product)
      else down(product)
    }

  def mulUp(a: Double, b: Double): Double =
    if (a == 0 || b == 0) 0.0
    else {
      val product = a * b
      val size = Math.abs(product)
      if (size <= Double.MaxValue)
        if (size >= Small) upIfNegative(product, Math.fma(-a, b, product))
        else if ((a > 0) == (b > 0)) Math.nextUp(product)
        else Math.min(0.0, Math.nextUp(product))
      else up(product)
    }

  /** a / b for b > 0, rounded down. */
  def divDown(a: Double, b: Double): Double =
    if (a == 0) 0.0
    else {
      val quotient = a / b
      val size = Math.abs(quotient)
      if (size <= Double.MaxValue)
        if (isLarge(size, a) && Math.fma(-quotient, b, a) >= 0) quotient
        else if (a > 0) Math.max(0.0, Math.nextDown(quotient))
        else Math.nextDown(quotient)
      else down(quotient)
    }

  /** a / b for b > 0, rounded up. */
  def divUp(a: Double, b: Double): Double =
    if (a == 0) 0.0
    else {
      val quotient = a / b
      val size = Math.abs(quotient)
      if (size <= Double.MaxValue)
        if (isLarge(size, a) && Math.fma(-quotient, b, a) <= 0) quotient
        else if (a > 0) Math.nextUp(quotient)
        else Math.min(0.0, Math.nextUp(quotient))
      else up(quotient)
    }

  private def isLarge(quotient: Double, a: Double): Boolean = quotient >= Small && Math.abs(a) >= Small

  /** The square root of a ≥ 0, rounded down. */
  def rootDown(a: Double): Double = {
    val root = Math.sqrt(a)
    if (a == 0 || root > Double.MaxValue || (a >= Small && Math.fma(-root, root, a) >= 0)) root
    else Math.max(0.0, Math.nextDown(root))
  }

  def rootUp(a: Double): Double = {
    val root = Math.sqrt(a)
    if (a == 0 || root > Double.MaxValue || (a >= Small && Math.fma(-root, root, a) <= 0)) root
    else Math.nextUp(root)
  }

  /** A whole number n ≥ 0 as a double, rounded down. */
  def wholeDown(n: Long): Double = if (n <= Whole) n.toDouble else Math.nextDown(n.toDouble)
  def wholeUp(n: Long): Double = if (n <= Whole) n.toDouble else Math.nextUp(n.toDouble)

  // the product of two intervals
  def timesDown(a: Double, b: Double, c: Double, d: Double): Double =
    Math.min(Math.min(mulDown(a, c), mulDown(a, d)), Math.min(mulDown(b, c), mulDown(b, d)))
  def timesUp(a: Double, b: Double, c: Double, d: Double): Double =
    Math.max(Math.max(mulUp(a, c), mulUp(a, d)), Math.max(mulUp(b, c), mulUp(b, d)))

  // the square of an interval
  def squareDown(a: Double, b: Double): Double =
    if (a <= 0 && b >= 0) 0.0
    else {
      val least = Math.min(Math.abs(a), Math.abs(b))
      mulDown(least, least)
    }
  def squareUp(a: Double, b: Double): Double = {
    val most = Math.max(Math.abs(a), Math.abs(b))
    mulUp(most, most)
  }

  /** Lower bound for a result that overflowed or is NaN. */
  private def down(result: Double): Double =
    if (result == Double.PositiveInfinity) Double.MaxValue else Double.NegativeInfinity
  private def up(result: Double): Double =
    if (result == Double.NegativeInfinity) -Double.MaxValue else Double.PositiveInfinity
}
