package chronosketch.moments

import java.math.BigInteger

import chronosketch.codec.Wire

/** Encodes whole numbers beyond 64 bits: one byte for the length, then the shortest two's complement, most significant byte
  * first.
  */
private[moments] object WholeNumbers {
  def write(w: Wire.Writer, number: BigInteger): Unit = {
    val bytes = number.toByteArray
    w.byte(bytes.length)
    bytes.foreach(b => w.byte(b.toInt))
  }

  /** Reads a number of at most `mostBytes` bytes that [[write]] wrote. */
  def read(r: Wire.Reader, mostBytes: Int): BigInteger = {
    val length = r.byte()
    if (length == 0 || length > mostBytes) throw r.corrupt(s"a sum has $length bytes")
    val number = new BigInteger(Array.fill(length)(r.byte().toByte))
    if (number.bitLength / 8 + 1 != length) throw r.corrupt("a sum has more bytes than it needs")
    number
  }

  /** Rejects sums of powers that no n numbers with this least and greatest one can have. The other n − 2 numbers lie between
    * these two; their sums satisfy Cauchy's inequality, and are 0 if there are no others. Moreover 6 divides x³ − x, and 12
    * divides x⁴ − x².
    */
  def requirePowers(r: Wire.Reader, n: Long, least: Long, greatest: Long, sums: Array[BigInteger]): Unit = {
    val (low, high) = (BigInteger.valueOf(least), BigInteger.valueOf(greatest))
    val others = BigInteger.valueOf(n - 2)
    requireTwoPowers(r, n, least, greatest, sums(0), sums(1))
    val rest = sums.indices.map(i => sums(i).subtract(low.pow(i + 1)).subtract(high.pow(i + 1)))
    val isPossible = isAtMost(rest(1).pow(2), others.multiply(rest(3))) &&
      isAtMost(rest(2).pow(2), rest(1).multiply(rest(3))) &&
      areCongruent(sums(2), sums(0), 6) && areCongruent(sums(3), sums(1), 12) &&
      isAtMost(rest(3), rest(1).multiply(low.pow(2).max(high.pow(2))))
    if (!isPossible) throw r.corrupt(
      "no values between its least and greatest value have its sums of third and fourth powers"
    )
  }

  /** Does the same for the sums of the numbers and of their squares. */
  def requireTwoPowers(
      r: Wire.Reader,
      n: Long,
      least: Long,
      greatest: Long,
      sum: BigInteger,
      squares: BigInteger
  ): Unit = {
    val (low, high) = (BigInteger.valueOf(least), BigInteger.valueOf(greatest))
    val others = BigInteger.valueOf(n - 2)
    val rest = sum.subtract(low).subtract(high)
    if (!(isAtMost(others.multiply(low), rest) && isAtMost(rest, others.multiply(high))))
      throw r.corrupt("no values between its least and greatest value have its sum")
    val restSquares = squares.subtract(low.pow(2)).subtract(high.pow(2))
    // because (x − low)(high − x) ≥ 0 for each number
    val most = low.add(high).multiply(rest).subtract(others.multiply(low).multiply(high))
    if (
      !(isAtMost(rest.pow(2), others.multiply(restSquares)) && isAtMost(
        restSquares,
        most
      ) && areCongruent(squares, sum, 2))
    )
      throw r.corrupt("no values between its least and greatest value have its sum of squares")
  }

  private def areCongruent(a: BigInteger, b: BigInteger, modulo: Long): Boolean =
    a.subtract(b).mod(BigInteger.valueOf(modulo)).signum == 0

  def isAtMost(a: BigInteger, b: BigInteger): Boolean = a.compareTo(b) <= 0
}

/** Rounds a quotient of two whole numbers to the nearest double.
  *
  * Guarantee  ties go to the even double; holds if the result is 0, or finite and at least 2⁻¹⁰²²
  * Cost       one division of the whole numbers
  */
private[moments] object Ratio {

  /** More bits than a double has, so that the last one can record whether any lower bit is set. */
  private val Bits = 66

  def toDouble(numerator: BigInteger, denominator: BigInteger): Double =
    if (numerator.signum == 0) 0.0
    else {
      val shift = Bits - (numerator.bitLength - denominator.bitLength)
      val above = numerator.abs.shiftLeft(math.max(shift, 0))
      val below = denominator.abs.shiftLeft(math.max(-shift, 0))
      val parts = above.divideAndRemainder(below)
      val quotient = if (parts(1).signum == 0) parts(0) else parts(0).setBit(0)
      val value = Math.scalb(quotient.doubleValue, -shift)
      if (numerator.signum == denominator.signum) value else -value
    }

  /** The square root of the quotient, with the sign of `sign`. It is rounded at most twice, so it is within 1 ulp. */
  def root(sign: Int, numerator: BigInteger, denominator: BigInteger): Double =
    sign * math.sqrt(toDouble(numerator, denominator))
}
