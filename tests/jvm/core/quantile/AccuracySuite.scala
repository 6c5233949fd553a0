package chronosketch.quantile

import java.util.SplittableRandom

import chronosketch.{Cases, Pairs, Suite}
import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.summary.{Certificate, Distribution, Distributions, Envelope, ExactBag, MergeShape}

/** Tests that no claim of a sketch is false, and that no bound is wider than its tuples require. For full sizes see
  * [[AccuracyCampaign]].
  */
class AccuracySuite extends Suite {
  private val Seed = 20260101L

  private def empty(d: Distribution, epsilon: Double): GreenwaldKhanna =
    new GreenwaldKhanna(d.domain, epsilon)

  private def whole(d: Distribution, keys: Array[Long], epsilon: Double): GreenwaldKhanna =
    MergeShape.build(keys, 1, MergeShape.Chain)(empty(d, epsilon))

  private def assertCertified(s: GreenwaldKhanna, seen: ExactBag, merged: Boolean, what: String): Unit =
    assertEquals(Certificate.violations(s, seen, merged).take(5), Nil, s"$what, seed $Seed")

  private val epsilons = Seq(0.0, 1e-4, 1e-3, 0.01, 0.1, 0.5)

  // every two of distribution, number of parts, shape and ε together
  private val merges =
    Pairs.of(Distributions.all, Seq(2, 64, 1000), MergeShape.all, Seq(0.0, 1e-3, 0.01, 0.1)).groupBy(_._1)

  Distributions.all.zipWithIndex.foreach { case (d, i) =>
    test(s"one sketch: ${d.name}") {
      for (n <- Seq(1, 2, 3, 10, 1000, 100000)) {
        val keys = d.sample(n, Seed)
        val seen = ExactBag.of(keys)
        val chosen = if (n <= 1000) epsilons else Cases.turn(i, epsilons.grouped(3).toSeq.transpose).flatten
        for (epsilon <- chosen) {
          val s = whole(d, keys, epsilon)
          assertCertified(s, seen, merged = false, s"n $n, ε $epsilon")
          if (n <= 2 / epsilon || seen.distinct <= 1 / epsilon)
            assert(s.profile.isExact, s"n $n, ε $epsilon: not exact")
        }
      }
    }

    test(s"merged: ${d.name}") {
      val keys = d.sample(40000, Seed)
      val seen = ExactBag.of(keys)
      for ((_, parts, shape, epsilon) <- merges(d)) {
        val s = MergeShape.build(keys, parts, shape)(empty(d, epsilon))
        val what = s"$parts parts, ${shape.name}, ε $epsilon"
        assertCertified(s, seen, merged = true, what)
        // small parts are inserted, so a zigzag needs as many tuples as in one sketch
        val most = math.max(8.0, 1 + math.log(epsilon * keys.length) / math.log(2)) / epsilon
        if (epsilon > 0) assert(s.tuples <= most, s"$what: ${s.tuples} tuples")
        else assert(s.profile.isExact, what)
      }
    }
  }

  test("a million elements: a valid certificate, and at most 2/ε tuples") {
    val n = 1000000
    // for sorted input the number varies with n: half-filled tuples stay until E is large enough to combine two of them
    (Distributions.random ++ Seq(Distributions.sorted, Distributions.reversed)).foreach { d =>
      val keys = d.sample(n, Seed)
      val seen = ExactBag.of(keys)
      for (epsilon <- Seq(1e-3, 0.01)) {
        val s = whole(d, keys, epsilon)
        assertCertified(s, seen, merged = false, s"${d.name}, ε $epsilon")
        assert(s.tuples <= 2.0 / epsilon, s"${d.name}, ε $epsilon: ${s.tuples * epsilon}/ε tuples")
        assert(s.tuples >= 0.4 / epsilon, s"${d.name}, ε $epsilon: so few tuples can't be right")
      }
    }
  }

  test("an ε so small that a full bag has fewer values than a tuple may have") {
    val d = Distributions.random.head
    val keys = d.sample(2500000, Seed)
    val s = whole(d, keys, 3e-6)
    assertCertified(s, ExactBag.of(keys), merged = false, d.name)
    assert(!s.profile.isExact, "nothing was dropped")
  }

  test("a zigzag has as few tuples as other inputs, plus those of its last buffer") {
    for (
      d <- Seq(Distributions.inward, Distributions.outward); n <- Seq(10000, 100000, 1000000);
      epsilon <- Seq(1e-3, 0.01)
    ) {
      val keys = d.sample(n, Seed)
      val s = whole(d, keys, epsilon)
      assertCertified(s, ExactBag.of(keys), merged = false, s"${d.name}, n $n, ε $epsilon")
      val most = math.min(6.5, 1 + math.log(epsilon * n) / math.log(2)) / epsilon
      assert(s.tuples <= most, s"${d.name}, n $n, ε $epsilon: ${s.tuples} tuples, above $most")
    }
  }

  test("1/ε distinct values are exact with 2/ε tuples, for any counts and any parts") {
    val rare = Distribution(
      "mostly one value, 99 others once",
      Domain.Int,
      (n, _) =>
        Array.tabulate(n)(i => if (i % (n / 99) == 7) i.toLong else 5000L)
    )
    (Distributions.few :+ rare).foreach { d =>
      val keys = d.sample(300000, Seed)
      for (epsilon <- Seq(1e-3, 0.01, 0.1); parts <- Seq(1, 64, 1000)) {
        val s = MergeShape.build(keys, parts, MergeShape.Balanced)(empty(d, epsilon))
        val seen = ExactBag.of(keys)
        assertCertified(s, seen, merged = parts > 1, s"${d.name}, ε $epsilon")
        assert(s.tuples <= 2 * seen.distinct, s"${d.name}, ε $epsilon: ${s.tuples} tuples")
        if (seen.distinct <= 1 / epsilon) assert(s.profile.isExact, s"${d.name}, ε $epsilon, $parts parts")
      }
    }
  }

  test("n copies count as n elements") {
    val random = new SplittableRandom(Seed)
    for (epsilon <- Seq(0.0, 1e-3, 0.01, 0.1); most <- Seq(6, 1000, 1000000000)) {
      val s = new GreenwaldKhanna(Domain.Int, epsilon)
      val other = new GreenwaldKhanna(Domain.Int, epsilon)
      var copies = Map.empty[Long, Long].withDefaultValue(0L)
      (1 to 20000).foreach { i =>
        val key = (random.nextInt(5000) - 2500).toLong
        val n = random.nextInt(most).toLong
        if (i % 3 == 0) other.insert(key, n) else s.insert(key, n)
        copies = copies.updated(key, copies(key) + n)
      }
      s.merge(other)
      assertCertified(s, ExactBag.of(copies.toMap), merged = true, s"ε $epsilon, copies to $most")
    }
  }

  test("after merging sketches of different ε the larger ε holds, also for later values") {
    val d = Distributions.random.head
    val keys = d.sample(120000, Seed)
    for (order <- Seq(Seq(0.0, 1e-3, 0.05), Seq(0.05, 1e-3, 0.0), Seq(1e-3, 0.05, 0.0))) {
      val parts = order.zipWithIndex.map { case (epsilon, i) =>
        whole(d, keys.slice(i * 30000, (i + 1) * 30000), epsilon)
      }
      parts.tail.foreach(parts.head.merge)
      (90000 until 120000).foreach(i => parts.head.insert(keys(i)))
      assertEquals(parts.head.epsilon, 0.05)
      assertCertified(parts.head, ExactBag.of(keys), merged = true, s"$order")
    }
  }

  test("values can be inserted after a merge and after decoding") {
    Distributions.all.foreach { d =>
      val keys = d.sample(60000, Seed)
      var s = empty(d, 0.01)
      keys.grouped(5000).zipWithIndex.foreach { case (some, i) =>
        val part = if (i % 3 == 0) s else empty(d, 0.01)
        some.foreach(part.insert(_))
        if (part ne s) s.merge(part)
        if (i % 4 == 3) s = QuantileSketch.own(Families.open(Envelope.seal(s)))
      }
      assertCertified(s, ExactBag.of(keys), merged = true, d.name)
    }
  }

  test("if a merge drops no tuples, the profile is the sum of the profiles") {
    Distributions.all.foreach { d =>
      val keys = d.sample(20000, Seed)
      val (a, b) = (whole(d, keys.take(8000), 0.01), whole(d, keys.drop(8000), 0.01))
      // a zigzag has more tuples than a merge keeps
      val dropped = a.tuples + b.tuples > 8 / 0.01
      if (!Distributions.inward.eq(d) && !Distributions.outward.eq(d)) assert(!dropped, d.name)
      val sum = a.profile.plus(b.profile)
      a.merge(b)
      val merged = a.profile
      def steps(p: chronosketch.rank.RankProfile) = (0 until p.size).map(i => (p.key(i), p.rankBounds(i)))
      // compare only the first difference: otherwise munit would print all steps
      val different = steps(merged).zipAll(steps(sum), null, null).find { case (x, y) => x != y }
      if (!dropped) {
        assertEquals(different, None, d.name)
        assertEquals(merged.certifiedError, sum.certifiedError, d.name)
      }
    }
  }
}
