package chronosketch.domain

import org.scalacheck.Gen

/** Generates domains of every kind, and keys of a domain, among them many edge cases. */
object DomainGen {
  val all: Seq[Domain] = Seq(
    Domain.TinyInt,
    Domain.SmallInt,
    Domain.Int,
    Domain.BigInt,
    Domain.Float,
    Domain.Double,
    Domain.decimal(1, 0),
    Domain.decimal(5, 2),
    Domain.decimal(18, 0),
    Domain.decimal(18, 18),
    Domain.Date,
    Domain.Timestamp,
    Domain.TimestampNtz,
    Domain.yearMonthInterval(0, 1),
    Domain.yearMonthInterval(1, 1),
    Domain.dayTimeInterval(0, 3),
    Domain.dayTimeInterval(2, 3),
    Domain.time(6),
    Domain.time(9)
  )

  val numeric: Seq[Domain] = all.filter(_.isNumeric)

  val domain: Gen[Domain] = Gen.oneOf(all)

  private val edges: Seq[Double] = Seq(
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    127.5,
    1e15,
    9007199254740993.0,
    9.3e18,
    -9.3e18,
    0.1,
    Double.NaN,
    Double.PositiveInfinity,
    Double.NegativeInfinity,
    Double.MinPositiveValue,
    -Double.MinPositiveValue,
    Double.MaxValue,
    Double.MinValue,
    Float.MaxValue.toDouble,
    java.lang.Double.MIN_NORMAL
  )

  private val doubles: Gen[Double] = Gen.frequency(
    3 -> Gen.oneOf(edges),
    3 -> Gen.choose(-1e6, 1e6),
    2 -> Gen.choose(-(1L << 53), 1L << 53).map(_ / 1024.0),
    2 -> Gen.long.map(java.lang.Double.longBitsToDouble)
  )

  private val floats: Gen[Float] = Gen.frequency(
    2 -> doubles.map(_.toFloat),
    1 -> Gen.choose(-1000000, 1000000).map(_ / 64f),
    1 -> Gen.long.map(bits => java.lang.Float.intBitsToFloat(bits.toInt))
  )

  def value(domain: Domain): Gen[Long] = domain.kind match {
    case Kind.Double => doubles.map(DoubleKeys.key)
    case Kind.Float => floats.map(f => DoubleKeys.key(f.toDouble))
    case _ =>
      val (least, greatest) = (domain.least, domain.greatest)
      val ends = Seq(least, least + 1, -1L, 0L, 1L, (1L << 53) + 1, -(1L << 53) - 1, greatest - 1, greatest)
      Gen.frequency(
        1 -> Gen.oneOf(ends.filter(k => least <= k && k <= greatest)),
        2 -> Gen.choose(least, greatest),
        2 -> Gen.choose(math.max(least, -1000L), math.min(greatest, 1000L))
      )
  }

  /** The next greater key of a domain. */
  def next(domain: Domain, key: Long): Option[Long] =
    if (!domain.isFloating) Some(key).filter(_ < domain.greatest).map(_ + 1)
    else {
      val value = DoubleKeys.value(key)
      if (value.isNaN) None
      else if (value == Double.PositiveInfinity) Some(DoubleKeys.NaN)
      else if (domain == Domain.Double) Some(DoubleKeys.key(Math.nextUp(value)))
      else Some(DoubleKeys.key(Math.nextUp(value.toFloat).toDouble))
    }
}
