package chronosketch.qlove

import org.scalacheck.Gen

import chronosketch.domain.{Domain, DomainGen}
import chronosketch.rank.Phi
import chronosketch.summary.{Envelope, SummaryLaws}

/** Panes of given rows, generators, and exact answers by definition. */
object PaneRows {
  val paper: Seq[Phi] = Seq("0.5", "0.9", "0.99", "0.999").map(phi)

  def phi(text: String): Phi = Phi(new java.math.BigDecimal(text))

  def pane(
      query: Query,
      keys: Seq[Long],
      time: Long,
      domain: Domain = Domain.BigInt,
      timeDomain: Domain = Domain.BigInt,
      rule: TailRule = TailRule.Newest
  ): Pane = {
    val pane = new Pane(domain, timeDomain, query, rule)
    keys.foreach(pane.insert(_, time, 0))
    pane
  }

  /** A window with a pane for each list of keys, at the times 0, 1, … */
  def window(
      query: Query,
      panes: Seq[Seq[Long]],
      domain: Domain = Domain.BigInt,
      rule: TailRule = TailRule.Newest
  ): QloveSketch =
    union(panes.zipWithIndex.map { case (keys, i) =>
      pane(query, keys, i.toLong, domain, rule = rule).finish()
    })

  /** Merges all sketches into the first. */
  def union(sketches: Seq[QloveSketch]): QloveSketch =
    sketches.reduceLeft { (all, next) => all.merge(next); all }

  def hex(sketch: chronosketch.summary.Summary): String = SummaryLaws.hex(Envelope.seal(sketch))

  /** The φ-quantile by sorting. */
  def exact(keys: Seq[Long], phi: Phi): Long = keys.sorted.apply((phi.rank(keys.size.toLong) - 1).toInt)

  val phis: Gen[Seq[Phi]] = Gen
    .choose(1, 5)
    .flatMap(Gen.listOfN(_, Gen.oneOf("0", "0.07", "0.5", "0.9", "0.95", "0.99", "0.999", "0.9999", "1")))
    .map(_.map(phi))

  val queries: Gen[Query] = for {
    phis <- phis
    panes <- Gen.oneOf(1, 2, 3, 5, 8, 20)
    budget <- Gen.oneOf(None, None, Some(0), Some(1), Some(3), Some(20), Some(Int.MaxValue))
  } yield Query(phis, panes, budget)

  /** Up to `maxKeys` keys from the whole domain, some of them repeated. */
  def keys(domain: Domain, maxKeys: Int): Gen[Vector[Long]] = for {
    n <- Gen.frequency(1 -> Gen.choose(0, 3), 3 -> Gen.choose(1, maxKeys))
    few <- Gen.choose(1, 6).flatMap(Gen.listOfN(_, DomainGen.value(domain)))
    keys <- Gen.listOfN(n, Gen.frequency(2 -> Gen.oneOf(few), 3 -> DomainGen.value(domain)))
  } yield keys.toVector

  /** Mostly the newest rule, sometimes the older one. */
  val rules: Gen[TailRule] = Gen.frequency(3 -> TailRule.Tenth, 1 -> TailRule.Sparse)

  /** Distributes rows randomly to up to six parts, some of which may be empty. */
  def parts[A](rows: Seq[A], seed: Long): Seq[Seq[A]] = {
    val random = new scala.util.Random(seed)
    val parts = 1 + random.nextInt(6)
    val groups = random.shuffle(rows).groupBy(_ => random.nextInt(parts))
    random.shuffle((0 until parts).map(groups.getOrElse(_, Nil)))
  }
}
