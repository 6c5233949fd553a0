package chronosketch.qlove

/** The Mann–Whitney test: whether two samples come from the same distribution, judged by the order of their values.
  *
  * Guarantee  the two-sided p of the normal approximation with average ranks and the variance under ties, which is good from about eight
  *            values per sample on. 1 if a sample is empty or all values are equal
  * Cost       one pass over both
  * Source     Mann, Whitney, On a test of whether one of two random variables is stochastically larger than the other, 1947; the
  *            variance under ties: Lehmann, Nonparametrics, 1975, §1.4
  *
  * Samples are given in decreasing order. The arithmetic is strict, so that the result has the same bits on all machines.
  */
private[qlove] object MannWhitney {

  def p(x: Tail, y: Tail): Double = {
    val (n, m) = (x.size, y.size)
    // twice the number of pairs in which x is greater; a tie counts as one half
    var twiceWins = 0.0
    var ties = 0.0 // Σ t³ − t over the runs of equal values
    var i, j = 0
    while (i < n || j < m) {
      val key =
        if (j == m) x.key(i)
        else if (i == n) y.key(j)
        else math.max(x.key(i), y.key(j))
      val (i0, j0) = (i, j)
      while (i < n && x.key(i) == key) i += 1
      while (j < m && y.key(j) == key) j += 1
      val (inX, inY) = ((i - i0).toDouble, (j - j0).toDouble)
      twiceWins += inX * (inY + 2.0 * (m - j))
      val t = inX + inY
      ties += t * t * t - t
    }
    val (a, b) = (n.toDouble, m.toDouble)
    val all = a + b
    val variance = a * b / 12 * (all + 1 - ties / (all * (all - 1)))
    if (n == 0 || m == 0 || !(variance > 0)) 1.0
    else math.min(1.0, 2 * Normal.above(math.abs(twiceWins - a * b) / 2 / math.sqrt(variance)))
  }
}

/** The standard normal distribution. */
private[qlove] object Normal {

  /** The probability of values above z ≥ 0.
    *
    * Guarantee  relative error below 10⁻¹³ up to z = 35
    * Source     Abramowitz, Stegun, Handbook of mathematical functions, 1964: 26.2.11 and 26.2.14
    */
  def above(z: Double): Double = {
    val density = StrictMath.exp(-z * z / 2) / StrictMath.sqrt(2 * Math.PI)
    if (z < 3) {
      var term = z
      var sum = z
      var k = 1
      while (term > 1e-17 * sum) {
        term *= z * z / (2 * k + 1)
        sum += term
        k += 1
      }
      0.5 - density * sum
    } else {
      // the continued fraction, evaluated from the innermost term outwards
      var fraction = z
      var k = 120
      while (k > 0) { fraction = z + k / fraction; k -= 1 }
      density / fraction
    }
  }

}
