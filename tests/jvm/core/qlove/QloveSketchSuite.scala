package chronosketch.qlove

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.codec.{Stored, Wire}
import chronosketch.domain.{Domain, DomainGen, DoubleKeys}
import chronosketch.families.Families
import chronosketch.qlove.PaneRows._
import chronosketch.rank.Phi
import chronosketch.summary.{Envelope, Estimate}

/** Tests windows of finished panes. */
class QloveSketchSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(50))

  private type Rows = Vector[(TailRule, Vector[Long])]

  private val windows: Gen[(Query, Domain, Rows)] = for {
    query <- queries
    domain <- DomainGen.domain
    n <- Gen.choose(1, math.min(6, query.panes))
    most <- Gen.frequency(3 -> 120, 1 -> 1500)
    isMixed <- Gen.oneOf(true, false)
    panes <- Gen.listOfN(n, Gen.zip(if (isMixed) rules else Gen.const(TailRule.Newest), keys(domain, most)))
  } yield (query, domain, panes.toVector)

  private def finished(query: Query, domain: Domain, panes: Rows): Seq[QloveSketch] =
    panes.zipWithIndex.map { case ((rule, keys), i) =>
      pane(query, keys, i * 10L, domain, rule = rule).finish()
    }

  property(
    "panes are sorted by time, in whatever order and groups they are merged, also if groups are stored"
  ) {
    forAll(windows, Gen.long) { case ((query, domain, panes), seed) =>
      val inOrder = union(finished(query, domain, panes))
      val groups = parts(finished(query, domain, panes), seed).filter(_.nonEmpty).map(union)
      val stored = groups.map(g => QloveSketches.own(Families.open(Envelope.seal(g))))
      val joined = union(stored)
      assertEquals(hex(joined), hex(inOrder))
      assertEquals(joined.answers.toString, inOrder.answers.toString)
      assertEquals(joined.count, panes.map(_._2.size.toLong).sum)
      assertEquals(joined.size, panes.count(_._2.nonEmpty))
    }
  }

  property(
    "a decoded window equals the encoded one; merging keeps its argument, and an empty pane changes nothing"
  ) {
    forAll(windows) { case (query, domain, panes) =>
      val sketches = finished(query, domain, panes)
      val argument = union(sketches.drop(1) :+ pane(query, Nil, 0L, domain).finish())
      val before = hex(argument)
      sketches.head.merge(argument)
      assertEquals(hex(argument), before)
      val bytes = Envelope.seal(sketches.head)
      val back = QloveSketches.own(Families.open(bytes))
      assertEquals(hex(back), chronosketch.summary.SummaryLaws.hex(bytes))
      assertEquals(back.answers.toString, sketches.head.answers.toString)
      back.merge(pane(query, Nil, 3L, domain).finish())
      assertEquals(hex(back), chronosketch.summary.SummaryLaws.hex(bytes))
    }
  }

  /** The (key, weight) pairs that a pane keeps, computed from its rows (docs/algorithms.md, What a pane keeps); None if it keeps nothing. */
  private def kept(query: Query, rule: TailRule, phi: Phi, keys: Seq[Long]): Option[Seq[(Long, Long)]] = {
    val falling = keys.sorted.reverse
    val n = BigDecimal(keys.size.toLong * query.panes)
    val need =
      (n - (n * BigDecimal(phi.decimal)).setScale(0, BigDecimal.RoundingMode.CEILING).max(1) + 1).toLong
    def up(a: Long, b: Long): Long = (BigDecimal(a) / b).setScale(0, BigDecimal.RoundingMode.CEILING).toLong
    val perPane = up(need, query.panes.toLong)
    val withMargin =
      perPane + perPane.min(3 * Iterator.from(0).map(_.toLong).find(r => r * r >= perPane).get) + 2
    val half = up(need, 2)
    val enough = if (half < withMargin.min(need)) need else half
    val tenth = Seq(enough, 4096L, (keys.size - 1L) / 10).min
    val isTenth = rule == TailRule.Tenth
    val isWithinTenth = isTenth && query.panes > 1 && withMargin.min(need) <= tenth
    val isSparse =
      BigDecimal(keys.size) * (1 - BigDecimal(phi.decimal)) < 10 && !(isTenth && query.panes == 1)
    val byDefault = if (isWithinTenth) tenth else if (isSparse) half else 0L
    val budget = query.budget.fold(byDefault)(_.toLong)
    Option.when(phi.decimal.doubleValue >= 0.9 && budget > 0) {
      val top = if (budget <= perPane) up(budget, 2) else budget.min(withMargin)
      val rest = budget - top
      val interval = if (rest == 0) 0L else up(need - top, rest)
      val samples =
        if (interval <= 0) Nil
        else
          Iterator.iterate(top + up(
            interval,
            2
          ))(_ + interval).take(rest.min(2000).toInt).takeWhile(_ <= keys.size).toSeq
      falling.take(top.min(2000).toInt).map(_ -> 1L) ++ samples.map(r => falling((r - 1).toInt) -> interval)
    }
  }

  private def expected(query: Query, domain: Domain, phi: Phi, panes: Rows): (Long, Method) = {
    val full = panes.filter(_._2.nonEmpty)
    val tails = full.map { case (rule, keys) => kept(query, rule, phi, keys) }
    val mayUse = full.size > 1 && tails.forall(_.nonEmpty)
    val weighted = tails.flatten.flatten.sortBy(_._1)(Ordering[Long].reverse)
    val n = full.map(_._2.size).sum
    val need = n - phi.rank(n.toLong) + 1
    val reached = weighted.scanLeft((0L, 0L)) { case ((_, sum), (key, weight)) => (key, sum + weight) }
    reached.drop(1).find(_._2 >= need) match {
      case Some((key, _)) if mayUse => (key, Method.FewK)
      case _ =>
        val sum = KeySum(domain)
        full.foreach(p => sum.add(exact(p._2, phi)))
        (sum.mean(full.size, domain).key, Method.Mean)
    }
  }

  property("answers equal few-k or the mean, as defined") {
    forAll(windows) { case (query, domain, panes) =>
      val answers = union(finished(query, domain, panes)).answers
      if (panes.exists(_._2.nonEmpty))
        assertEquals(
          answers.map(a => (a.estimate.key, a.method)),
          query.phis.map(expected(query, domain, _, panes))
        )
      else assertEquals(answers.size, 0)
    }
  }

  property("a sufficient budget makes high quantiles exact") {
    forAll(windows) { case (query, domain, panes) =>
      val rich = Query(query.phis, query.panes, Some(100000))
      val full = panes.filter(_._2.nonEmpty)
      val equal = full.map { case (rule, keys) => (rule, keys.take(full.map(_._2.size).min)) }
      if (equal.nonEmpty)
        union(finished(rich, domain, equal)).answers.filter(_.phi.decimal.doubleValue >= 0.9).foreach { a =>
          assertEquals(a.estimate.key, exact(equal.flatMap(_._2), a.phi))
        }
    }
  }

  private def rising(n: Int): Seq[Long] = (1L to n.toLong)

  private def reasonOf(query: Query, phi: String, sizes: Int*): Reason =
    reasonBy(TailRule.Newest, query, phi, sizes: _*)

  private def reasonBy(rule: TailRule, query: Query, phi: String, sizes: Int*): Reason =
    window(query, sizes.map(rising), rule = rule).answer(PaneRows.phi(phi)).get.reason

  test("older rule: few-k answers if P(1 − φ) is below 10, else the mean, at every φ") {
    val query = Query(Seq("0.89", "0.9", "0.93", "0.95", "0.99", "0.999", "1").map(phi), 4, None)
    def reasonOf(phi: String, sizes: Int*): Reason = reasonBy(TailRule.Sparse, query, phi, sizes: _*)
    Seq("0.9" -> 100, "0.93" -> 143, "0.95" -> 200, "0.99" -> 1000, "0.999" -> 10000).foreach { case (p, n) =>
      assertEquals(reasonOf(p, n - 1, n - 1), Reason.Sparse, p)
      assertEquals(reasonOf(p, n, n), Reason.Dense, p)
      assertEquals(reasonOf(p, n - 1, n), Reason.Dense, p)
    }
    assertEquals(reasonOf("1", 100000, 7), Reason.Sparse)
    assertEquals(reasonOf("0.89", 2, 2), Reason.NotHigh)
    assertEquals(reasonOf("0.99", 20), Reason.OnePane)
  }

  test("no budget: few-k answers if P(1 − φ) is below 10 or it keeps less than a tenth of a pane") {
    val query = Query(Seq("0.89", "0.9", "0.93", "0.95", "0.99", "0.999", "1").map(phi), 4, None)
    // of 4·P elements ⌊4P(1 − φ)⌋ + 1 are needed; that is e per pane, plus a margin of 3√e + 2
    Seq("0.9" -> 100, "0.93" -> 143, "0.95" -> 200).foreach { case (p, n) =>
      assertEquals(reasonOf(query, p, n - 1, n - 1), Reason.Sparse, p)
      assertEquals(reasonOf(query, p, n, n), Reason.TooManyValues, p)
      assertEquals(reasonOf(query, p, n - 1, n), Reason.TooManyValues, p)
    }
    Seq("0.99" -> 1000, "0.999" -> 10000).foreach { case (p, n) =>
      assertEquals(reasonOf(query, p, n - 1, n - 1), Reason.Sparse, p)
      assertEquals(reasonOf(query, p, n, n), Reason.FewValues, p)
      assertEquals(reasonOf(query, p, n - 1, n), Reason.FewValues, p)
    }
    // P = 400: 20 + 1 per pane with a margin of 15 + 2, so 38, which is less than a tenth of the pane only above P = 380
    assertEquals(reasonOf(query, "0.95", 400, 400), Reason.FewValues)
    assertEquals(reasonOf(query, "0.95", 360, 360), Reason.TooManyValues)
    assertEquals(reasonOf(query, "0.9", 50000, 50000), Reason.TooManyValues)
    // P = 400 000: 4 000 + 1 per pane with a margin of 192 + 2, which exceeds 4 096
    assertEquals(reasonOf(query, "0.99", 300000, 300000), Reason.FewValues)
    assertEquals(reasonOf(query, "0.99", 400000, 400000), Reason.TooManyValues)
    assertEquals(reasonOf(query, "1", 100000, 7), Reason.Sparse)
    assertEquals(reasonOf(query, "0.89", 2, 2), Reason.NotHigh)
    assertEquals(reasonOf(query, "0.99", 20), Reason.OnePane)
  }

  test(
    "no budget: less than a tenth of a pane is kept, unless few elements are above its quantile; nothing in windows of one"
  ) {
    for (p <- Seq("0.9", "0.93", "0.95", "0.99", "0.999", "1"); m <- Seq(2, 3, 4, 8, 100, 100000)) {
      val query = Query(Seq(phi(p)), m, None)
      (Seq(1L, 9L, 10L, 11L, 99L) ++ Iterator.iterate(100L)(_ * 3).takeWhile(_ < (1L << 40))).foreach { n =>
        val fewK = FewK.of(query, TailRule.Tenth, 0, n)
        if (fewK == null) assert(!query.isSparse(0, n), s"$n of $query")
        else {
          assert(fewK.size <= 4096 || query.isSparse(0, n), s"$n of $query keep ${fewK.size}")
          assert(fewK.size * 10 < n || query.isSparse(0, n), s"$n of $query keep ${fewK.size}")
        }
        assertEquals(FewK.of(Query(Seq(phi(p)), 1, None), TailRule.Tenth, 0, n), null)
      }
    }
  }

  test("with two or three panes enough is kept to make the answer exact") {
    val random = new java.util.SplittableRandom(17)
    Seq(2, 3).foreach { m =>
      val panes =
        Seq.tabulate(m)(p => Seq.fill(20000)(random.nextInt(1000000).toLong * (if (p == 1) 10 else 1)))
      val answer = window(Query(Seq(phi("0.999")), m, None), panes).answers.head
      assertEquals(
        (answer.reason, answer.estimate.key),
        (Reason.FewValues: Reason, exact(panes.flatten, answer.phi))
      )
    }
  }

  test(
    "panes of both rules: if a pane of the older rule keeps nothing, the mean answers, else few-k"
  ) {
    val query = Query(paper, 4, None)
    val keys = rising(12000)
    def by(rule: TailRule, time: Long): QloveSketch = pane(query, keys, time, rule = rule).finish()
    val (old, young) = (by(TailRule.Sparse, 0L), Seq(by(TailRule.Tenth, 1L), by(TailRule.Tenth, 2L)))
    def reasons(sketch: QloveSketch): Seq[Reason] = sketch.answers.map(_.reason)
    val mixed = union(Seq(QloveSketches.own(Families.open(Envelope.seal(young.head))), old))
    assertEquals(reasons(mixed), Seq(Reason.NotHigh, Reason.Dense, Reason.Dense, Reason.Dense))
    assertEquals(hex(QloveSketches.own(Families.open(Envelope.seal(mixed)))), hex(mixed))
    assertEquals(
      reasons(union(young)),
      Seq(Reason.NotHigh, Reason.TooManyValues, Reason.FewValues, Reason.FewValues)
    )
    assertEquals(old.query, young.head.query)
    // panes of so few rows keep values by both rules
    val few = union(Seq(TailRule.Sparse, TailRule.Tenth).zipWithIndex.map { case (rule, i) =>
      pane(query, rising(500), i.toLong, rule = rule).finish()
    })
    assertEquals(reasons(few), Seq(Reason.NotHigh, Reason.Dense, Reason.Sparse, Reason.Sparse))
  }

  test("stored bytes with an unknown rule, or with a rule and a budget, are corrupt") {
    def refused(budget: Option[Int], mark: Int): String = {
      val sketch = window(Query(paper, 4, budget), Seq(rising(50)))
      val payload = new Wire.Writer
      sketch.write(payload)
      val bytes = Envelope.seal(sketch)
      // the byte after the time type, the panes and the budget
      bytes(bytes.length - 4 - payload.length + 5) = (32 * mark).toByte
      intercept[Refusal](Families.open(Stored.reseal(bytes))).condition
    }
    Seq(3, 4, 7).foreach(mark => assertEquals(refused(None, mark), "CHRONOSKETCH_CORRUPT_SKETCH"))
    Seq(1, 2).foreach(mark => assertEquals(refused(Some(3), mark), "CHRONOSKETCH_CORRUPT_SKETCH"))
  }

  test("merging parts of both rules gives a pane of the older rule; parts without rows do not count") {
    val query = Query(paper, 4, None)
    def part(rule: TailRule, keys: Seq[Long]): Pane = pane(query, keys, 0L, rule = rule)
    def united(a: Pane, b: Pane): String = { a.merge(b); hex(a) }
    val (some, others) = (rising(600), rising(700))
    for (
      (a, b, rule) <- Seq(
        (part(TailRule.Sparse, some), part(TailRule.Tenth, others), TailRule.Sparse),
        (part(TailRule.Tenth, some), part(TailRule.Sparse, others), TailRule.Sparse),
        (part(TailRule.Tenth, some ++ others), part(TailRule.Sparse, Nil), TailRule.Tenth),
        (part(TailRule.Sparse, Nil), part(TailRule.Tenth, some ++ others), TailRule.Tenth)
      )
    ) assertEquals(united(a, b), hex(part(rule, some ++ others)))
    assertEquals(
      united(part(TailRule.Tenth, Nil), part(TailRule.Sparse, Nil)),
      united(part(TailRule.Sparse, Nil), part(TailRule.Tenth, Nil))
    )
  }

  test("with a budget few-k answers; with budget 0 or one that does not suffice, the mean") {
    def query(budget: Int) = Query(paper, 4, Some(budget))
    assertEquals(reasonOf(query(50), "0.99", 1000, 1000), Reason.Budget)
    assertEquals(reasonOf(query(50), "0.999", 20000, 20000), Reason.Budget)
    assertEquals(reasonOf(query(0), "0.99", 10, 10), Reason.BudgetZero)
    assertEquals(reasonOf(query(50), "0.5", 1000, 1000), Reason.NotHigh)
    // Q0.99 is the 21st greatest of 2 000 elements: the greatest of either pane are 19 short of it, which a sample represents
    assertEquals(reasonOf(query(2), "0.99", 1000, 1000), Reason.Budget)
    assertEquals(reasonOf(query(1), "0.99", 1000, 1000), Reason.BudgetTooSmall)
    val short = window(query(1), Seq(rising(1000), rising(1000))).answer(phi("0.99")).get
    assertEquals((short.need, short.reached, short.estimate.key), (21L, 2L, 990L))
  }

  test("with two or four panes, few-k sees a burst in one of them") {
    Seq(2, 4).foreach { m =>
      val n = 16000
      val panes =
        Seq.tabulate(m)(p => (0L until n.toLong).map(i => if (p == 0 && i >= n - 64) 1000000 + i else i))
      val answer = window(Query(Seq(phi("0.999")), m, Some(16)), panes).answers.head
      val truth = exact(panes.flatten, phi("0.999"))
      assertEquals(answer.method, Method.FewK: Method)
      assert(
        math.abs(answer.estimate.value - truth.toDouble) <= 0.001 * truth.toDouble,
        s"$m panes: $answer, $truth"
      )
    }
  }

  test("if N(1 − φ) is whole, the answer has the quantile's rank, not the next") {
    // of 2 · 500 elements the 990th, which is the 11th from the top
    val query = Query(Seq(phi("0.99")), 2, Some(11))
    val sketch = window(query, Seq(rising(500).map(_ * 2), rising(500).map(_ * 2 + 1)))
    assertEquals(sketch.answers.head.estimate.key, 991L)
    assertEquals(sketch.answers.head.need, 11L)
  }

  test("with fewer panes than m, need is that of the present elements") {
    val query = Query(Seq(phi("0.999")), 8, None)
    val panes = Seq.tabulate(8)(p => (0L until 2000L).map(i => (i * 7919 + p * 13) % 100003))
    (2 to 8).foreach { k =>
      val answer = window(query, panes.take(k)).answers.head
      assertEquals(answer.need, 2L * k + 1)
      assertEquals(answer.method, Method.FewK: Method)
      assertEquals(answer.reached, answer.need)
    }
  }

  test("the mean is exact for whole numbers, and its key is the nearest of the type") {
    def mean(domain: Domain, keys: Long*): Estimate =
      window(Query(Seq(phi("0.5")), keys.size, None), keys.map(Seq(_)), domain).answers.head.estimate
    assertEquals(mean(Domain.Int, 1, 2), Estimate(2, 1.5))
    assertEquals(mean(Domain.Int, -1, -2), Estimate(-2, -1.5))
    assertEquals(
      mean(Domain.BigInt, Long.MaxValue, Long.MaxValue),
      Estimate(Long.MaxValue, Long.MaxValue.toDouble)
    )
    assertEquals(mean(Domain.BigInt, Long.MinValue, Long.MaxValue), Estimate(-1L, -0.5))
    assertEquals(mean(Domain.BigInt, (1L << 53) + 1, (1L << 53) + 1).key, (1L << 53) + 1)
    assertEquals(mean(Domain.decimal(9, 2), 100, 101), Estimate(101, 1.005))
    assertEquals(mean(Domain.Timestamp, 1700000000000001L, 1700000000000004L).key, 1700000000000003L)
    def double(values: Double*): Double = mean(Domain.Double, values.map(DoubleKeys.key): _*).value
    assertEquals(double(0.1, 0.1, 0.1), 0.1)
    assertEquals(double(Double.MaxValue, Double.MaxValue), Double.MaxValue)
    assertEquals(double(Double.MaxValue, -Double.MaxValue, 3.0), 1.0)
    assertEquals(double(Double.MinPositiveValue, Double.MinPositiveValue), Double.MinPositiveValue)
    assertEquals(double(Double.PositiveInfinity, 1.0), Double.PositiveInfinity)
    assertEquals(double(Double.NegativeInfinity, 1.0), Double.NegativeInfinity)
    assert(double(Double.PositiveInfinity, Double.NegativeInfinity).isNaN)
    assert(double(Double.NaN, 1.0).isNaN)
    val float = mean(Domain.Float, DoubleKeys.key(1.0), DoubleKeys.key(Math.nextUp(1f).toDouble))
    assert(Domain.Float.holds(float.key) && float.value > 1.0)
  }

  test("a φ that was not named is refused, and the message lists those that were") {
    val sketch = window(Query(paper, 2, None), Seq(rising(10)))
    val refusal = intercept[Refusal](sketch.answer(phi("0.95")))
    assertEquals(refusal.condition, "CHRONOSKETCH_PHI_NOT_NAMED")
    assertEquals(
      refusal.parameters,
      Map("phi" -> "0.95", "named" -> "0.5, 0.9, 0.99, 0.999", "panes" -> "2")
    )
    // 0.50 equals 0.5
    assertEquals(sketch.answer(phi("0.50")).get.estimate.key, 5L)
    val empty = new Pane(Domain.Int, Domain.Int, Query(paper, 2, None)).finish()
    assertEquals(empty.answer(phi("0.5")), None)
    intercept[Refusal](empty.answer(phi("0.95")))
  }

  private def spanning(query: Query, first: Long, last: Long): QloveSketch = {
    val p = pane(query, Seq(1L), first)
    p.insert(2L, last, 0)
    p.finish()
  }

  test("a pane of few bytes that would keep very many values is refused before it allocates memory") {
    val query = Query(Seq(Phi(0.5), Phi(0.95), Phi(0.99)), 4, Some(Int.MaxValue))
    def pane(rows: Long): Pane = {
      val p = new Pane(Domain.BigInt, Domain.BigInt, query)
      p.insert(7L, 0L, 0, rows)
      p
    }
    // panes of up to this many rows keep all of them for each of two φ
    val maxRows = FinishedPane.MaxKept / 2
    assertEquals(pane(maxRows).finish().pane(0).variables, 3L + 3L * 3 + FinishedPane.MaxKept)
    Seq(maxRows + 1, 1L << 31, 1L << 62).foreach { rows =>
      val refusal = intercept[Refusal](pane(rows).finish())
      assertEquals(refusal.condition, "CHRONOSKETCH_PANES_KEEP_TOO_MUCH", s"$rows rows")
      assertEquals(refusal.parameters.get("limit"), Some(FinishedPane.MaxKept.toString))
    }
  }

  test("overlapping or too many panes are refused, and nothing changes") {
    val query = Query(paper, 3, None)
    val left = spanning(query, 10L, 20L)
    left.merge(spanning(query, 30L, 40L))
    val before = hex(left)
    Seq((10L, 20L), (20L, 25L), (0L, 10L), (12L, 13L), (0L, 100L), (25L, 30L), (40L, 40L)).foreach {
      case (f, l) =>
        assertEquals(
          intercept[Refusal](left.merge(spanning(query, f, l))).condition,
          "CHRONOSKETCH_PANES_OVERLAP",
          s"$f to $l"
        )
        assertEquals(hex(left), before)
    }
    left.merge(spanning(query, 21L, 29L))
    assertEquals((left.first, left.last, left.size), (10L, 40L, 3))
    val full = hex(left)
    val refusal = intercept[Refusal](left.merge(spanning(query, 50L, 50L)))
    assertEquals(refusal.condition, "CHRONOSKETCH_TOO_MANY_PANES")
    assertEquals(refusal.parameters, Map("count" -> "4", "panes" -> "3"))
    assertEquals(hex(left), full)
    left.merge(new Pane(Domain.BigInt, Domain.BigInt, query).finish())
    assertEquals(hex(left), full)
    intercept[IllegalArgumentException](left.merge(left))
    val ends = spanning(query, Long.MinValue, Long.MinValue)
    ends.merge(spanning(query, Long.MaxValue, Long.MaxValue))
    assertEquals(hex(Families.open(Envelope.seal(ends))), hex(ends))
  }

  test("merging other queries or types is refused, types widen, and too many rows are refused") {
    val query = Query(paper, 3, None)
    def one(domain: Domain, times: Domain, time: Long, query: Query = query): QloveSketch =
      pane(query, Seq(1L), time, domain, times).finish()
    val left = one(Domain.Int, Domain.Timestamp, 0L)
    def refused(right: chronosketch.summary.Summary): String = intercept[Refusal](left.merge(right)).condition
    assertEquals(refused(one(Domain.Int, Domain.Date, 1L)), "CHRONOSKETCH_TIME_TYPES_DIFFER")
    assertEquals(refused(one(Domain.Date, Domain.Timestamp, 1L)), "CHRONOSKETCH_VALUE_TYPES_DIFFER")
    assertEquals(
      refused(one(Domain.Int, Domain.Timestamp, 1L, Query(paper, 4, None))),
      "CHRONOSKETCH_QUERIES_DIFFER"
    )
    assertEquals(refused(pane(query, Seq(1L), 1L)), "CHRONOSKETCH_FAMILIES_DIFFER")
    left.merge(one(Domain.BigInt, Domain.Timestamp, 1L))
    assertEquals(left.domain, Domain.BigInt)
    val many = new Pane(Domain.BigInt, Domain.Timestamp, query)
    many.insert(1L, 2L, 0, Long.MaxValue - 1)
    assertEquals(refused(many.finish()), "CHRONOSKETCH_COUNT_OVERFLOW")
    assertEquals(left.count, 2L)
  }

  test("isBursty is true with a burst, and false without") {
    val query = Query(Seq("0.5", "0.999").map(phi), 8, None)
    val random = new java.util.SplittableRandom(11)
    val quiet = Seq.fill(8)(Seq.fill(4000)(random.nextInt(1000000).toLong))
    def flags(panes: Seq[Seq[Long]]) = { val w = window(query, panes); query.phis.map(w.isBursty) }
    assertEquals(flags(quiet), Vector(None, Some(false)))
    assertEquals(flags(quiet.updated(3, quiet(3).map(_ * 10))), Vector(None, Some(true)))
    assertEquals(flags(quiet.take(1)), Vector(None, None))
  }

  test("the bound is close to that of Appendix A with the known density, and it holds") {
    val query = Query(Seq("0.1", "0.5", "0.9").map(phi), 8, None)
    val random = new java.util.SplittableRandom(12)
    var held = 0
    (1 to 200).foreach { _ =>
      val panes = Seq.fill(8)(Seq.fill(2000)(random.nextInt(1 << 30).toLong))
      val sketch = window(query, panes)
      val sorted = panes.flatten.toArray.sorted
      sketch.answers.foreach { a =>
        val bound = sketch.bound(a.phi)
        val p = a.phi.decimal.doubleValue
        val meant = 2 * 2.241402727604947 * math.sqrt(p * (1 - p) / 16000) * (1 << 30)
        assert(math.abs(bound / meant - 1) < 0.3, s"$bound for $meant")
        val truth = sorted((a.phi.rank(sorted.length.toLong) - 1).toInt)
        if (math.abs(a.estimate.value - truth.toDouble) <= bound) held += 1
      }
    }
    assert(held >= 600 * 0.95, s"$held of 600")
    assert(query.phis.forall(window(query, Seq(Seq(5L))).bound(_).isNaN))
    assertEquals(query.phis.map(window(query, Seq(Seq(5L, 5L))).bound), Vector(0.0, 0.0, 0.0))
    val decimals = window(query, Seq(Seq(100L, 300L)), Domain.decimal(5, 2)).bound(phi("0.5"))
    assertEqualsDouble(decimals, 2 * 2.241402727604947 * math.sqrt(0.25 / 2) * 4, 1e-12)
  }
}
