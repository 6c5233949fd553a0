package chronosketch.window.moments

/** Arithmetic of doubles that rounds down or up: what an interval of doubles needs to have the exact result in it.
  *
  * Guarantee  `…Down` ≤ exact ≤ `…Up`; both are the exact result where a double is, but for products and quotients below 2⁻⁹⁰⁰,
  *            which keep their sign. What has no number is −∞ down and ∞ up
  * Cost       five additions for a sum; a fused multiplication and addition for a product or a quotient
  * Source     Knuth's TwoSum; Ogita, Rump and Oishi, Accurate sum and dot product, 2005
  */
private[moments] object Directed {

  /** Below this a remainder may be lost. */
  private val Small = Math.scalb(1.0, -900)

  /** Whole numbers up to here are doubles. */
  private val Whole = 1L << 53

  def addDown(a: Double, b: Double): Double = {
    val sum = a + b
    if (Math.abs(sum) <= Double.MaxValue) {
      val other = sum - a
      if ((a - (sum - other)) + (b - other) >= 0) sum else Math.nextDown(sum)
    } else down(sum)
  }

  def addUp(a: Double, b: Double): Double = {
    val sum = a + b
    if (Math.abs(sum) <= Double.MaxValue) {
      val other = sum - a
      if ((a - (sum - other)) + (b - other) <= 0) sum else Math.nextUp(sum)
    } else up(sum)
  }

  def mulDown(a: Double, b: Double): Double =
    if (a == 0 || b == 0) 0.0
    else {
      val product = a * b
      val size = Math.abs(product)
      if (size <= Double.MaxValue)
        if (size >= Small) { if (Math.fma(a, b, -product) >= 0) product else Math.nextDown(product) }
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
        if (size >= Small) { if (Math.fma(a, b, -product) <= 0) product else Math.nextUp(product) }
        else if ((a > 0) == (b > 0)) Math.nextUp(product)
        else Math.min(0.0, Math.nextUp(product))
      else up(product)
    }

  /** By b > 0. */
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

  /** By b > 0. */
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

  /** Of a ≥ 0. */
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

  /** Of a whole number ≥ 0. */
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

  /** Of a result that is no finite double. */
  private def down(result: Double): Double =
    if (result == Double.PositiveInfinity) Double.MaxValue else Double.NegativeInfinity
  private def up(result: Double): Double =
    if (result == Double.NegativeInfinity) -Double.MaxValue else Double.PositiveInfinity
}
