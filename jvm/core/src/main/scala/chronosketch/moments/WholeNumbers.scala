package chronosketch.moments

import java.math.BigInteger

import chronosketch.codec.Wire

/** Whole numbers beyond 64 bits as bytes: how many, in a byte, and two's complement, most significant first, no more than it takes. */
private[moments] object WholeNumbers {
  def write(w: Wire.Writer, number: BigInteger): Unit = {
    val bytes = number.toByteArray
    w.byte(bytes.length)
    bytes.foreach(b => w.byte(b.toInt))
  }

  /** What [[write]] wrote, of at most so many bytes. */
  def read(r: Wire.Reader, mostBytes: Int): BigInteger = {
    val length = r.byte()
    if (length == 0 || length > mostBytes) throw r.corrupt(s"a sum has $length bytes")
    val number = new BigInteger(Array.fill(length)(r.byte().toByte))
    if (number.bitLength / 8 + 1 != length) throw r.corrupt("a sum has more bytes than it needs")
    number
  }

  /** Refuses sums of powers that no n numbers have of which these two are the least and the greatest. The others, n − 2 of them, lie
    * between; their sums obey Cauchy's inequality, and are 0 where there are no others. And 6 divides x³ − x, 12 divides x⁴ − x².
    */
  def requirePowers(r: Wire.Reader, n: Long, least: Long, greatest: Long, sums: Array[BigInteger]): Unit = {
    val (low, high) = (BigInteger.valueOf(least), BigInteger.valueOf(greatest))
    val others = BigInteger.valueOf(n - 2)
    requireTwoPowers(r, n, least, greatest, sums(0), sums(1))
    val rest = sums.indices.map(i => sums(i).subtract(low.pow(i + 1)).subtract(high.pow(i + 1)))
    val isPossible = isNoMore(rest(1).pow(2), others.multiply(rest(3))) &&
      isNoMore(rest(2).pow(2), rest(1).multiply(rest(3))) &&
      isAlike(sums(2), sums(0), 6) && isAlike(sums(3), sums(1), 12) &&
      isNoMore(rest(3), rest(1).multiply(low.pow(2).max(high.pow(2))))
    if (!isPossible) throw r.corrupt(
      "no values between its least and greatest value have its sums of third and fourth powers"
    )
  }

  /** The same of the sums of the numbers and of their squares. */
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
    if (!(isNoMore(others.multiply(low), rest) && isNoMore(rest, others.multiply(high))))
      throw r.corrupt("no values between its least and greatest value have its sum")
    val restSquares = squares.subtract(low.pow(2)).subtract(high.pow(2))
    // (x − low)(high − x) ≥ 0 for each
    val most = low.add(high).multiply(rest).subtract(others.multiply(low).multiply(high))
    if (
      !(isNoMore(rest.pow(2), others.multiply(restSquares)) && isNoMore(
        restSquares,
        most
      ) && isAlike(squares, sum, 2))
    )
      throw r.corrupt("no values between its least and greatest value have its sum of squares")
  }

  private def isAlike(a: BigInteger, b: BigInteger, modulo: Long): Boolean =
    a.subtract(b).mod(BigInteger.valueOf(modulo)).signum == 0

  def isNoMore(a: BigInteger, b: BigInteger): Boolean = a.compareTo(b) <= 0
}
