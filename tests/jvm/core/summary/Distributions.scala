package chronosketch.summary

import java.util.SplittableRandom

import chronosketch.domain.{Domain, DoubleKeys}

/** A distribution of test input: n keys, the same ones for the same seed. */
final case class Distribution(name: String, domain: Domain, keys: (Int, SplittableRandom) => Array[Long]) {
  def sample(n: Int, seed: Long): Array[Long] = keys(n, new SplittableRandom(seed))
}

object Distributions {
  private def doubles(name: String)(value: (Int, Int, SplittableRandom) => Double): Distribution =
    Distribution(
      name,
      Domain.Double,
      (n, random) => Array.tabulate(n)(i => DoubleKeys.key(value(i, n, random)))
    )

  private def longs(name: String)(value: (Int, Int, SplittableRandom) => Long): Distribution =
    Distribution(name, Domain.BigInt, (n, random) => Array.tabulate(n)(i => value(i, n, random)))

  /** Box and Muller, 1958. */
  private def normal(random: SplittableRandom): Double =
    math.sqrt(-2 * math.log(1 - random.nextDouble())) * math.cos(2 * math.Pi * random.nextDouble())

  val random: Seq[Distribution] = Seq(
    doubles("uniform")((_, _, r) => r.nextDouble()),
    doubles("lognormal")((_, _, r) => math.exp(1.5 * normal(r))),
    doubles("pareto")((_, _, r) => 10 / (1 - r.nextDouble())),
    doubles("1e15+noise")((_, _, r) => 1e15 + r.nextInt(1000000) / 8.0)
  )

  val sorted: Distribution = longs("sorted")((i, _, _) => i * 3L)
  val reversed: Distribution = longs("reversed")((i, n, _) => (n - i) * 3L)
  val inward: Distribution = longs("zigzag inward")((i, n, _) => if (i % 2 == 0) i / 2L else n - i / 2L)
  val outward: Distribution = longs("zigzag outward")((i, n, _) => if (i % 2 == 0) n + i / 2L else n - i / 2L)

  val few: Seq[Distribution] = Seq(
    longs("all equal")((_, _, _) => 42L),
    longs("two-valued")((_, _, r) => if (r.nextInt(10) == 0) Long.MaxValue else Long.MinValue),
    longs("100 distinct")((_, _, r) => r.nextInt(100) * 1000000007L),
    longs("100 distinct, sorted")((i, n, _) => i.toLong * 100 / n)
  )

  private val odd =
    Array(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, 0.0, -0.0, Double.MinPositiveValue)

  val mixed: Seq[Distribution] = Seq(
    doubles("specials")((_, _, r) => if (r.nextInt(4) == 0) odd(r.nextInt(odd.length)) else normal(r)),
    longs("skewed counts")((_, _, r) => math.exp(1.5 * normal(r)).toLong),
    longs("every Long")((_, _, r) => r.nextLong()),
    // half of the rows have the same value, in the middle of the others
    longs("half at one value")((_, _, r) => if (r.nextBoolean()) 0L else r.nextLong())
  )

  val all: Seq[Distribution] = random ++ Seq(sorted, reversed, inward, outward) ++ few ++ mixed
}
