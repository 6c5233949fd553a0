package chronosketch.summed

import chronosketch.{Refusal, Suite}
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.{Capabilities, Families}
import chronosketch.grouped.{GroupedInserts, GroupedUnions}
import chronosketch.memory.Meter
import chronosketch.moments.MomentsRecipe
import chronosketch.quantile.{GreenwaldKhanna, QuantileFamily, QuantileRecipe}
import chronosketch.rank.{Phi, Tail}
import chronosketch.summary.{Distributions, Envelope, Inserts, Moment, Summary}

/** Tests quantile sketches with sums: that they answer as a quantile sketch and a moments sketch of the same values do. */
class SummedSketchSuite extends Suite {
  private val tails: Seq[Option[Tail]] = None +: Tail.all.map(Some(_))

  private def recipe(domain: Domain, epsilon: Double = 0.01, tail: Option[Tail] = None): QuantileRecipe =
    QuantileRecipe(domain, epsilon, QuantileFamily.of(tail))

  private def filled[S <: Inserts](summary: S, keys: Seq[Long]): S = {
    summary.insertAll(keys.toArray, 0, keys.size)
    summary
  }

  private def summed(
      keys: Seq[Long],
      domain: Domain = Domain.BigInt,
      tail: Option[Tail] = None
  ): SummedSketch =
    filled(SummedRecipe(recipe(domain, tail = tail)).empty, keys)

  private def plain(
      keys: Seq[Long],
      domain: Domain = Domain.BigInt,
      tail: Option[Tail] = None
  ): GreenwaldKhanna =
    filled(recipe(domain, tail = tail).empty, keys)

  private def bytes(summary: Summary): Seq[Byte] = Envelope.seal(summary).toSeq

  test("quantiles and moments are those of separate sketches, after encoding, too") {
    for {
      name <- Seq("lognormal", "every Long", "specials", "100 distinct", "pareto")
      n <- Seq(0, 1, 2, 30, 5000)
      tail <- tails
    } {
      val d = Distributions.all.find(_.name == name).get
      val keys = d.sample(n, 7).toSeq
      val (ofQuantiles, ofMoments) =
        (plain(keys, d.domain, tail), filled(MomentsRecipe(d.domain).empty, keys))
      val s = summed(keys, d.domain, tail)
      for (sketch <- Seq(s, Families.open(Envelope.seal(s)).asInstanceOf[SummedSketch])) {
        assertEquals(bytes(sketch.quantileSketch), bytes(ofQuantiles), s"$name, $n")
        assertEquals(bytes(sketch.moments), bytes(ofMoments), s"$name, $n")
        assertEquals(sketch.count, n.toLong)
        Moment.all.foreach(m =>
          assertEquals(sketch.momentBounds(m).toString, ofMoments.momentBounds(m).toString)
        )
      }
    }
  }

  test("sums take few bytes: the count and the ends are stored once") {
    val keys = Distributions.all.find(_.name == "lognormal").get.sample(100000, 1).toSeq
    val more = bytes(summed(keys, Domain.Double)).size - bytes(plain(keys, Domain.Double)).size
    assertEquals(more, 40)
    val latencies = (1 to 100000).map(i => (i * 7919L) % 30000)
    assert(bytes(summed(latencies)).size - bytes(plain(latencies)).size <= 40)
    assertEquals(bytes(summed(Nil)).size, bytes(plain(Nil)).size)
    assertEquals(bytes(summed(Seq(5L, 5L))).size, bytes(plain(Seq(5L, 5L))).size)
  }

  test("the union with a quantile sketch has no sums, and an empty sketch of either kind changes nothing") {
    val (some, others) = ((1L to 3000L), (5000L to 9000L))
    for (tail <- tails) {
      def both = Seq[Summary](summed(some, tail = tail), plain(some, tail = tail))
      def rest = Seq[Summary](summed(others, tail = tail), plain(others, tail = tail))
      for (i <- 0 to 1; j <- 0 to 1) {
        val union = Summary.union(both(i), rest(j))
        assertEquals(union.count, 7001L)
        assertEquals(union.isInstanceOf[SummedSketch], i == 0 && j == 0, s"$i $j")
        assertEquals(
          bytes(union),
          if (i + j == 0) bytes(Summary.union(both.head, rest.head))
          else bytes(Summary.union(both(1), rest(1)))
        )
      }
      for (empty <- Seq[Summary](summed(Nil), plain(Nil), summed(Nil, tail = tail)); one <- both) {
        assertEquals(bytes(Summary.union(one, empty)), bytes(one))
        assertEquals(bytes(Summary.union(empty, one)), bytes(one))
      }
    }
    val sums = Summary.union(summed(some), summed(others)).asInstanceOf[SummedSketch].moments.exactSum
    assertEquals(sums.get.longValueExact, some.sum + others.sum)
  }

  test("sketches of different tails are not merged, with sums or without") {
    val refused = intercept[Refusal](
      Summary.union(summed(1L to 9L), summed(1L to 9L, tail = Some(Tail.High)))
    )
    assertEquals(refused.condition, "CHRONOSKETCH_FAMILIES_DIFFER")
    assertEquals(
      refused.parameters,
      Map(
        "left" -> "quantile sketch with sum => true",
        "right" -> "quantile sketch with tail => 'high', sum => true"
      )
    )
  }

  test("groups of stored sketches, some with sums, are those of unions one by one") {
    val parts = (0 until 6).map(i => (0 until 50 * (i % 3) + 1).map(j => (i * 31 + j).toLong))
    for (isSummed <- Seq[Int => Boolean](_ => true, _ % 2 == 0, _ != 3)) {
      val stored = parts.zipWithIndex.map { case (keys, i) => if (isSummed(i)) summed(keys) else plain(keys) }
        .map(Envelope.seal(_))
      val groups = new GroupedUnions(new Meter)
      stored.foreach(groups.merge(0, _))
      val union = stored.map(Families.open).reduce(Summary.union)
      assertEquals(groups.seal(0).toSeq, bytes(union))
      assertEquals(union.isInstanceOf[SummedSketch], parts.indices.forall(isSummed))
    }
  }

  test("groups of values and parts of groups have the sums of all values") {
    val groups = new GroupedInserts(SummedRecipe(recipe(Domain.BigInt)), new Meter)
    val merged = new GroupedInserts(SummedRecipe(recipe(Domain.BigInt)), new Meter)
    val sizes = Seq(0, 1, 63, 64, 65, 300, 5000)
    sizes.zipWithIndex.foreach { case (n, group) =>
      (1 to n).foreach(i => groups.insert(group, i.toLong))
      groups.insert(group, 7L, 3L)
    }
    sizes.indices.foreach(group => (1 to 2).foreach(_ => merged.mergePart(group, groups.sealPart(group))))
    sizes.zipWithIndex.foreach { case (n, group) =>
      val sum = n * (n + 1L) / 2 + 21
      Seq(groups -> 1, merged -> 2).foreach { case (all, times) =>
        val sketch = Families.open(all.seal(group)).asInstanceOf[SummedSketch]
        assertEquals(sketch.count, times * (n + 3L))
        assertEquals(sketch.moments.exactSum.get.longValueExact, times * sum)
        assertEquals(sketch.quantile(Phi(1)), math.max(n.toLong, 7L))
      }
    }
  }

  test("the metered memory is that of both, and none is left behind by a union") {
    val meter = new Meter
    val s = summed(1L to 100000L)
    s.meteredBy(meter)
    assert(meter.bytes > 1000, meter.bytes)
    val union = Summary.union(s, plain(1L to 10L))
    assert(union eq s.quantileSketch)
    s.meteredBy(null)
    assertEquals(meter.bytes, 0L)
  }

  test("a quantile sketch without sums says how to build one with them") {
    for ((tail, text) <- Seq(None -> "", Some(Tail.Low) -> "tail => 'low', ")) {
      val s = plain(1L to 9L, tail = tail)
      val call = s"quantile_sketch_agg(value, epsilon => 0.01, ${text}sum => true)"
      for (ask <- Seq[Summary => Any](Capabilities.requireMoments, Capabilities.requireAllMoments)) {
        val refused = intercept[Refusal](ask(s))
        assertEquals(refused.condition, "CHRONOSKETCH_NO_SUMS")
        assertEquals(refused.parameters, Map("family" -> s.family.name, "build" -> call))
      }
    }
    assertEquals(Capabilities.requireAllMoments(summed(Seq(1L, 2L, 6L))).mean, Some(3.0))
  }

  test("a cast that would change sums by rounding is refused, as for moments") {
    val s = summed(Seq(1L, Long.MaxValue))
    val refused = intercept[Refusal](Summary.cast(s, Domain.Double))
    assertEquals(refused.condition, "CHRONOSKETCH_NOT_CASTABLE")
    val cast = Summary.cast(summed(Seq(1L, 2L)), Domain.Double).asInstanceOf[SummedSketch]
    assertEquals((cast.moments.sum, cast.quantile(Phi(1))), (Some(3.0), DoubleKeys.key(2.0)))
  }

  test("dates have no sums") {
    assert(SummedFamily.all.forall(family =>
      !family.takes(Domain.Date) && family.takes(Domain.decimal(18, 2))
    ))
  }
}
