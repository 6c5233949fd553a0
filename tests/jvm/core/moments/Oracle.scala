package chronosketch.moments

import java.math.{BigDecimal => Exact, MathContext}

/** The oracle: sums over values with multiplicities, computed with 150 digits. */
final class Oracle(values: Seq[(Exact, Long)]) {
  import Oracle.{context, fold}

  val n: Exact = new Exact(values.map(v => BigInt(v._2)).sum.bigInteger)
  val sum: Exact = fold(values.map { case (v, times) => v.multiply(new Exact(times)) })
  val magnitude: Exact = values.map(_._1.abs).reduce(_ max _)
  val range: Exact = values.map(_._1).reduce(_ max _).subtract(values.map(_._1).reduce(_ min _))

  /** A double may have more digits than the oracle keeps, so the mean of equal values is not computed by division. */
  val mean: Exact = if (range.signum == 0) values.head._1 else sum.divide(n, context)

  val distances: Seq[(Exact, Long)] =
    values.map { case (v, times) => (v.subtract(mean).round(context), times) }

  def moment(power: Int): Exact =
    fold(distances.map { case (d, times) => d.pow(power, context).multiply(new Exact(times), context) })

  /** The sum of the products of these distances and those of the paired values. */
  def product(that: Oracle): Exact = fold(distances.zip(that.distances).map { case ((a, times), (b, _)) =>
    a.multiply(b, context).multiply(new Exact(times), context)
  })
}

object Oracle {
  val context = new MathContext(150)

  def fold(terms: Seq[Exact]): Exact = terms.foldLeft(Exact.ZERO)(_.add(_))

  def of(values: Seq[Double]): Oracle = new Oracle(values.map(new Exact(_) -> 1L))

  val u: Exact = new Exact(math.pow(2, -53))

  /** The error that the guarantees of the tallies allow, in units of u·n·range^p. */
  def factor(power: Int, parts: Long): Exact =
    new Exact(Seq(0, 0, 16, 64, 256)(power)).multiply(new Exact(parts + 256)).multiply(u)

  def isNear(found: Double, exact: Exact, allowed: Exact): Boolean =
    java.lang.Double.isFinite(found) && new Exact(found).subtract(exact).abs.compareTo(allowed) <= 0
}
