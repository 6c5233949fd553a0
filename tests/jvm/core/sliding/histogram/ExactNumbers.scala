package chronosketch.sliding.histogram

import java.math.{BigDecimal => Exact, MathContext}

/** The oracle: prefix sums of whole numbers and of their squares, whose differences are the sums of frames. */
final class ExactNumbers(values: Array[Double]) {
  private val context = new MathContext(60)
  private val sums = values.scanLeft(BigInt(0))((sum, x) => sum + BigDecimal(x).toBigIntExact.get)
  private val squares = values.scanLeft(BigInt(0))((sum, x) => sum + BigDecimal(x).toBigIntExact.get.pow(2))

  def of(asked: FrameNumber, from: Int, until: Int): Exact = {
    val n = BigInt(until - from)
    val sum = sums(until) - sums(from)
    def share(total: BigInt, parts: BigInt) =
      new Exact(total.bigInteger).divide(new Exact(parts.bigInteger), context)
    asked match {
      case FrameNumber.Count => new Exact(n.bigInteger)
      case FrameNumber.Sum => new Exact(sum.bigInteger)
      case FrameNumber.Mean => share(sum, n)
      case FrameNumber.Variance => share(n * (squares(until) - squares(from)) - sum * sum, n * n)
    }
  }
}

object ExactNumbers {
  import java.util.SplittableRandom

  private def normal(random: SplittableRandom): Double =
    math.sqrt(-2 * math.log(1 - random.nextDouble())) * math.cos(2 * math.Pi * random.nextDouble())

  /** Whole numbers of many shapes, each computed from its position and a random generator. */
  val shapes: Seq[(String, (Int, SplittableRandom) => Double)] = Seq(
    "uniform" -> ((_, r) => r.nextInt(1000).toDouble),
    "lognormal" -> ((_, r) => math.floor(1000 * math.exp(1.5 * normal(r)))),
    "far from 0" -> ((_, r) => 1e9 + r.nextInt(100)),
    "all equal" -> ((_, _) => 7.0),
    "mostly 0" -> ((_, r) => if (r.nextInt(50) == 0) 1000.0 else 0.0),
    "rising" -> ((i, _) => i.toDouble),
    "falling" -> ((i, _) => 100000.0 - i),
    "stairs" -> ((i, _) => (i / 700 % 3) * 1000.0),
    "bursts" -> ((i, r) => if (i % 900 < 30) 5000.0 + r.nextInt(1000) else r.nextInt(10).toDouble),
    "growing" -> ((i, r) => math.floor(math.pow(10, i % 5000 / 1000.0) * (1 + r.nextDouble()))),
    "fading" -> ((i, r) => math.floor(math.pow(10, 5 - i % 5000 / 1000.0) * (1 + r.nextDouble()))),
    "zigzag" -> ((i, _) => if (i % 2 == 0) 10.0 + i % 300 else 5000.0 - i % 300)
  )

  def sample(shape: (Int, SplittableRandom) => Double, n: Int): Array[Double] = {
    val random = new SplittableRandom(3L)
    Array.tabulate(n)(shape(_, random))
  }
}
