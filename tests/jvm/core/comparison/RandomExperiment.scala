package chronosketch.comparison

import java.util.{Arrays, SplittableRandom}

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.Phi

/** A simulated experiment, from a seed: two samples of populations whose quantiles are known, with rows that are independent, that are
  * mostly equal, or that belong to users.
  */
final class RandomExperiment(seed: Long) {
  import RandomExperiment._

  private val random = new SplittableRandom(seed)
  private def one[A](choices: Seq[A]): A = choices(random.nextInt(choices.size))

  val shape: String = one(Shapes)
  val confidence: Double = one(Seq(0.9, 0.95, 0.99))
  private val share = one(Seq(0.25, 0.5, 0.9))
  private val phi = Phi(share)
  private val epsilon = one(Seq(0.0, 0.001, 0.01))
  // rows, or users
  private val n =
    math.exp(math.log(50) + random.nextDouble() * math.log(if (shape == Clusters) 10 else 40)).toInt
  val isSmall: Boolean = n < Small
  private val ofUser = math.sqrt(one(Seq(0.1, 0.5, 0.95)))

  private val truth: Double = {
    val z = if (share == 0.5) 0.0 else math.signum(share - 0.5) * Normal.quantile(math.min(share, 1 - share))
    shape match {
      case Lognormal => math.exp(z)
      case Ties => math.ceil(share * Kinds) - 1
      case _ => z
    }
  }

  /** Whether the interval of the quantile, and that of the difference of two samples, contain those of the populations. */
  val (hasQuantile: Boolean, hasDifference: Boolean) = {
    val ((a, effectA), (b, effectB)) = (sample(), sample())
    val interval = QuantileInterval.of(a, phi, confidence, effectA).get
    val key = DoubleKeys.key(truth)
    val difference = QuantileDifference.of(a, b, phi, confidence, math.max(effectA, effectB)).get
    (
      interval.low.forall(_ <= key) && interval.high.forall(_ >= key),
      difference.low.forall(_ <= 0) && difference.high.forall(_ >= 0)
    )
  }

  /** A sketch of a sample, and its design effect. */
  private def sample(): (GreenwaldKhanna, Double) = {
    val users = Array.fill(n) {
      val rows = if (shape == Clusters) math.exp(random.nextDouble() * math.log(1000)).toInt else 1
      val level = ofUser * random.nextGaussian()
      Array.fill(rows)(DoubleKeys.key(value(level)))
    }
    val sketch = new GreenwaldKhanna(Domain.Double, epsilon)
    users.foreach(rows => sketch.insertAll(rows, 0, rows.length))
    (sketch, if (shape == Clusters) designEffect(users) else 1.0)
  }

  private def value(level: Double): Double = shape match {
    case Lognormal => math.exp(random.nextGaussian())
    case Ties => math.floor(random.nextDouble() * Kinds)
    case _ => level + math.sqrt(1 - ofUser * ofUser) * random.nextGaussian()
  }

  /** The design effect at the sample's own quantile. */
  private def designEffect(users: Array[Array[Long]]): Double = {
    val all = users.flatten
    Arrays.sort(all)
    val quantile = all(phi.rank(all.length.toLong).toInt - 1)
    val sums = new Array[Double](DesignEffect.Sums)
    users.foreach { rows =>
      DesignEffect.add(rows.count(_ <= quantile).toDouble, rows.length.toDouble)((i, x) => sums(i) += x)
    }
    DesignEffect.of(sums(_)).get
  }
}

object RandomExperiment {
  val Lognormal = "lognormal"
  val Ties = "heavy ties"
  val Clusters = "clusters of 1 to 1000 rows"
  val Shapes: Seq[String] = Seq(Lognormal, Ties, Clusters)

  /** Samples of fewer rows, or users, are small. */
  val Small = 100

  /** How many values rows with ties have. */
  private val Kinds = 4
}
