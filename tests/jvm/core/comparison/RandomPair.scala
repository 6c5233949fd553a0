package chronosketch.comparison

import java.math.BigDecimal
import java.util.SplittableRandom

import chronosketch.ddsketch.RandomDDSketch
import chronosketch.domain.{Conversion, Domain, DoubleKeys}
import chronosketch.history.RandomHistory
import chronosketch.interchange.{ImportedHistogram, Limits}
import chronosketch.quantile.{QuantileFamily, RandomSketch}
import chronosketch.rank.Tail
import chronosketch.summary.{Bounded, Distribution, Distributions, ExactBag}
import chronosketch.window.RandomWindow

/** Two random summaries with their elements, from a seed: of any two families whose bounds always hold, of any distributions. */
final class RandomPair(seed: Long) {
  import RandomPair._

  private val random = new SplittableRandom(seed)
  private def one[A](choices: Seq[A]): A = choices(random.nextInt(choices.size))

  private val domain = one(Seq(Domain.Double, Domain.BigInt))
  private val distributions = Distributions.all.filter(_.domain == domain)
  private val a = side(distributions)
  // half of the pairs are of one distribution: then their shares are close
  private val b =
    side(if (random.nextBoolean()) distributions.filter(_.name == a.distribution) else distributions)
  private val bins = one(Seq(2, 4, 10, 10, 50))

  /** The families of both. */
  def families: String = Seq(a.family, b.family).sorted.mkString(" and ")

  private def side(among: Seq[Distribution]): Side = {
    val some = if (among.isEmpty) distributions else among
    val seed = random.nextLong()
    val families = Seq("quantile sketch", "quantile sketch", "sketch of a tail", "ddsketch", "histogram")
    one(if (domain == Domain.BigInt) families ++ Seq("window", "version") else families) match {
      case "quantile sketch" =>
        val made = new RandomSketch(seed, among = some)
        Side("quantile sketch", made.distribution.name, made.sketch, made.seen)
      case "sketch of a tail" =>
        val made = new RandomSketch(seed, family = QuantileFamily.of(Some(one(Tail.all))), among = some)
        Side("sketch of a tail", made.distribution.name, made.sketch, made.seen)
      case "ddsketch" =>
        val made = new RandomDDSketch(seed, some)
        Side("ddsketch", made.distribution.name, made.sketch, made.seen)
      case "window" =>
        val made = new RandomWindow(seed)
        val (window, seen) = made.in(made.anyWindow)
        Side("window", "", window, seen)
      case "version" =>
        val made = new RandomHistory(seed, maxVersions = 60)
        val (version, alive) = one(made.bags)
        Side("version", made.shape, made.build().at(version), ExactBag.of(alive))
      case _ => histogram(one(some), seed)
    }
  }

  /** A histogram whose bounds are some of the keys. */
  private def histogram(distribution: Distribution, seed: Long): Side = {
    val keys = distribution.sample(1 + random.nextInt(500), seed).filter(isNumber)
    val bounds = keys.filter(_ => random.nextInt(20) == 0).distinct.sorted
    val counts = new Array[Long](bounds.length + 1)
    keys.foreach(key => counts(bounds.count(_ < key)) += 1)
    val knowsEnds = random.nextBoolean()
    def known(end: Option[Long]): Option[Long] = end.filter(_ => knowsEnds)
    val limits = Limits(domain, known(keys.minOption), known(keys.maxOption), Conversion.text(_, domain))
    Side("histogram", distribution.name, ImportedHistogram.of(bounds, counts, limits), ExactBag.of(keys))
  }

  private def isNumber(key: Long): Boolean = !domain.isFloating || key != DoubleKeys.NaN

  /** A text for every distance outside of its bounds. */
  def violations: Seq[String] =
    SketchPair.of(a.summary, b.summary).toSeq.flatMap { pair =>
      val distances = KolmogorovSmirnov.of(pair)
      val index = StabilityIndex.of(pair, bins)
      val moved = Wasserstein.of(pair)
      val unordered =
        Seq("distance" -> distances.distance, "p-value" -> distances.pValue, "index" -> index).collect {
          case (what, n) if !(0 <= n.low && n.low <= n.value && n.value <= n.high) => s"$what: $n"
        } ++ Seq(distances.distance, distances.pValue).filter(_.high > 1).map(n => s"above 1: $n")
      val outside =
        if (a.bag.isEmpty || b.bag.isEmpty) Nil
        else {
          val (exact, _) = ExactDistances.kolmogorovSmirnov(a.bag, b.bag)
          val edges = StabilityIndex.edges(pair.leftEstimates, bins)
          val stability = ExactDistances.stabilityIndex(a.bag, b.bag, edges)
          val slack = 1e-14 * (1 + stability)
          Option.when(exact < distances.distance.low || exact > distances.distance.high)(
            s"distance $exact: ${distances.distance}"
          ).toSeq ++ Option.when(stability < index.low - slack || stability > index.high + slack)(
            s"index of $bins bins $stability: $index"
          ) ++ wrongly(moved, pair)
        }
      (unordered ++ outside).map(v => s"seed $seed, ${a.text}, ${b.text}: $v")
    }

  private def wrongly(moved: BoundedNumber, pair: SketchPair): Option[String] = {
    val BoundedNumber(value, low, high) = moved
    lazy val exact = ExactDistances.wasserstein(a.bag, b.bag, pair.domain)
    val isRight =
      if (pair.mayHaveNaN) value.isNaN && low.isNaN && high.isNaN
      else if (!(0 <= low && low <= value && value <= high)) false
      else
        exact match {
          case None => high.isInfinite
          case Some((part, whole)) =>
            !low.isInfinite && new BigDecimal(low).multiply(whole).compareTo(part) <= 0 &&
            (high.isInfinite || new BigDecimal(high).multiply(whole).compareTo(part) >= 0)
        }
    Option.unless(isRight)(s"Wasserstein: $moved")
  }
}

object RandomPair {
  private final case class Side(family: String, distribution: String, summary: Bounded, bag: ExactBag) {
    def text: String = s"$family of ${bag.count} $distribution"
  }
}
