package chronosketch.history

import java.util.SplittableRandom

import scala.collection.mutable

import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.history.span.CountedSpan
import chronosketch.rank.Phi
import chronosketch.summary.{Certificate, Envelope, ExactBag}
import chronosketch.window.WindowCertificate

/** Random changes of every shape, from a seed, and the exact elements alive after each version. */
final class RandomHistory(seed: Long, maxVersions: Int = 300) {
  import RandomHistory._

  private val random = new SplittableRandom(seed)
  val shape: String = shapes(random.nextInt(shapes.size))
  val epsilon: Double = epsilons(random.nextInt(epsilons.size))
  private val batch = Seq(1, 1, 4, 40)(random.nextInt(4))
  private val heavy = Seq(1, 1, 1, 30)(random.nextInt(4))
  private val gap = Seq(1L, 1L, 5L, 1L << 40)(random.nextInt(4))
  private val shares = Seq.fill(3)(Seq(0.3, 0.5, 0.5, 0.8, 1.0)(random.nextInt(5)))

  /** (version, key, change), sorted by version. */
  val updates: Vector[(Long, Long, Long)] = {
    val all = Vector.newBuilder[(Long, Long, Long)]
    val n = 1 + random.nextInt(maxVersions)
    var version = random.nextLong(-1000, 1000)
    // deletes choose among the keys inserted so far; a delete of a key that is already deleted is ignored
    val inserted = mutable.ArrayBuffer.empty[Long]
    var oldest = 0
    (0 until n).foreach { i =>
      val load = if (i == 0) random.nextInt(600) else 0
      def insert(): Unit = {
        val key = next(inserted.size)
        inserted += key
        all += ((version, key, 1L + random.nextInt(heavy)))
      }
      (0 until load).foreach(_ => insert())
      (0 until 1 + random.nextInt(batch)).foreach { _ =>
        if (inserted.isEmpty || random.nextDouble() < shares(3 * i / n)) insert()
        else {
          val from = if (shape == "sliding") { oldest += 1; math.min(oldest - 1, inserted.size - 1) }
          else random.nextInt(inserted.size)
          all += ((version, inserted(from), -1L - random.nextInt(heavy)))
        }
        if (random.nextInt(20) == 0) {
          val key = next(inserted.size)
          all += ((version, key, 7L))
          all += ((version, key, -7L))
        }
      }
      if (shape == "to zero" && random.nextInt(30) == 0) inserted.foreach(k => all += ((version, k, -40L)))
      version += 1 + random.nextLong(gap)
    }
    all.result()
  }

  private def next(i: Int): Long = shape match {
    case "rising" | "sliding" => i.toLong
    case "falling" => -i.toLong
    case "equal" => 5L
    case "few" => random.nextLong(-2, 3)
    case "zipf" => math.exp(random.nextDouble() * 9).toLong
    case "narrowing" => 1000000L / (1 + i / 50) + random.nextLong(100)
    case "extremes" =>
      random.nextInt(4) match {
        case 0 => Long.MinValue + random.nextInt(3)
        case 1 => Long.MaxValue - random.nextInt(3)
        case _ => random.nextLong()
      }
    case _ => random.nextLong(-1000000, 1000000)
  }

  /** The elements alive after each version that has updates, and how many deletes were ignored. */
  lazy val (bags: Vector[(Long, Map[Long, Long])], ignoredDeletes: Long) = {
    val alive = mutable.Map.empty[Long, Long]
    var ignored = 0L
    val all = grouped.map { case (version, changes) =>
      changes.groupMapReduce(_._2)(_._3)(_ + _).foreach { case (key, change) =>
        val left = alive.getOrElse(key, 0L) + change
        if (left < 0) ignored -= left
        if (left > 0) alive(key) = left else alive -= key
      }
      version -> alive.toMap
    }
    (all, ignored)
  }

  private def grouped: Vector[(Long, Vector[(Long, Long, Long)])] =
    updates.groupBy(_._1).toVector.sortBy(_._1)

  def build(isIncluded: ((Long, Long, Long)) => Boolean = _ => true): HistorySketch = {
    val builder = HistoryRecipe(Domain.BigInt, epsilon, Domain.BigInt).builder
    updates.filter(isIncluded).foreach { case (version, key, change) => builder.update(version, key, change) }
    builder.result()
  }

  /** Describes every false claim about at least roughly `asked` of the versions. */
  def violations(sketch: HistorySketch, asked: Int): Seq[String] = {
    val every = math.max(1, bags.size / asked)
    bags.indices.filter(i => i % every == 0 || i == bags.size - 1).flatMap { i =>
      val (version, alive) = bags(i)
      val until = if (i + 1 < bags.size) bags(i + 1)._1 - 1 else version
      Seq(version, until).distinct.flatMap(v => violations(sketch, v, alive)).map(what =>
        s"seed $seed, $shape, ε $epsilon, version $version: $what"
      )
    }
  }

  private def violations(sketch: HistorySketch, version: Long, alive: Map[Long, Long]): Seq[String] = {
    val at = sketch.at(version)
    val all = at.profile
    val bag = ExactBag.of(alive)
    val excess =
      if (bag.isEmpty || all.rankError <= epsilon) Nil else Seq(s"rank error ${all.rankError}")
    val differences = phis.flatMap { phi =>
      val direct = sketch.at(version).quantiles.map(_(phi))
      val expected = if (all.isEmpty) None else Some(all.quantile(phi))
      if (direct == expected) None else Some(s"$phi: $direct, by the profile $expected")
    }
    val counts = Option.when(sketch.at(version).countBounds != at.countBounds)("count bounds differ")
    WindowCertificate.violations(all, bag) ++ excess ++ differences ++ counts ++
      (if (bag.isEmpty == all.isEmpty) Nil else Seq(s"${all.size} keys of ${bag.count}"))
  }
}

object RandomHistory {
  val shapes: Seq[String] =
    Seq("uniform", "rising", "falling", "sliding", "equal", "few", "zipf", "narrowing", "extremes", "to zero")

  val epsilons: Seq[Double] = Seq(0.0, 0.02, 0.05, 0.1, 0.1, 0.2, 0.2, 0.5)

  private val phis: Seq[Phi] = Certificate.phis ++ Seq(Phi(0.333), Phi(0.6667))

  def countedSpans(sketch: HistorySketch): Vector[CountedSpan] =
    sketch.chains.flatMap(_.spans).collect { case span: CountedSpan => span }

  def throughBytes(sketch: HistorySketch): HistorySketch =
    HistorySketches.own(Families.open(Envelope.seal(sketch)))
}

/** A history whose inserts all come near one moving value while the oldest values are deleted. A cell there is split again and again. */
final class DriftingHistory(val name: String, key: (Int, SplittableRandom) => Long) {
  private val initial = 2000
  private val later = 6000

  val sketch: HistorySketch = {
    val random = new SplittableRandom(1)
    val builder = HistoryRecipe(Domain.BigInt, 0.05, Domain.BigInt).builder
    val keys = Array.tabulate(initial + later)(key(_, random))
    (0 until initial).foreach(i => builder.update(1, keys(i), 1))
    (0 until later).foreach { i =>
      builder.update(2 + 3L * i, keys(initial + i), 1)
      // delete in batches, so that the count changes too
      if (i % 40 == 39) (i - 39 to i).foreach(o => builder.update(2 + 3L * i, keys(o), -1))
    }
    builder.result()
  }
}

object DriftingHistory {
  lazy val all: Seq[DriftingHistory] = Seq(
    new DriftingHistory("rising", (i, random) => 1000L * i + random.nextInt(1000)),
    new DriftingHistory("falling", (i, random) => -1000L * i + random.nextInt(1000)),
    new DriftingHistory(
      "inward",
      (i, random) => (if (i % 2 == 0) 1 else -1) * (10000000L - 1000L * i) + random.nextInt(1000)
    ),
    new DriftingHistory("in steps", (i, _) => (i / 30).toLong),
    new DriftingHistory("shuffled", (i, random) => 1000L * i + random.nextInt(500000))
  )
}
