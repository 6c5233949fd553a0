package chronosketch.grouped

import java.util.SplittableRandom

import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.ddsketch.DDSketches
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.memory.Meter
import chronosketch.moments.{ComomentsRecipe, MomentsRecipe}
import chronosketch.quantile.{QuantileFamily, QuantileRecipe}
import chronosketch.rank.Tail
import chronosketch.sample.{ReservoirSamples, SampleFamily}
import chronosketch.summary._
import chronosketch.summed.SummedSketches
import chronosketch.window.{WindowSketches, Windowed}
import chronosketch.window.moments.WindowMomentsSketches
import chronosketch.window.sample.WindowSampleRecipe

/** Tests that the parts of a group give the same bytes in whatever order they come, also if they are spilled on the way. */
class KeptPartsSuite extends CheckSuite {
  import Columns._
  import SummaryLaws.hex

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(150))

  private type Parts = Seq[Array[Byte]]

  /** The bytes of the union, or the message of the refusal. */
  private def outcome(groups: GroupedSummaries[_ <: Summary], group: Int): String =
    try {
      val bytes = groups.seal(group)
      if (bytes == null) "null" else hex(bytes)
    } catch { case refusal: Refusal => refusal.getMessage }

  /** The parts in several orders. */
  private def orders(parts: Parts, seed: Long): Seq[Parts] = {
    val random = new Random(seed)
    parts +: parts.reverse +: Seq.fill(4)(random.shuffle(parts))
  }

  private def kept(make: => GroupedSummaries[_ <: Summary])(parts: Parts): String = {
    val groups = make
    parts.foreach(groups.keepPart(1, _))
    outcome(groups, 1)
  }

  /** Keeps some parts, spills them, and keeps what was spilled with the others. */
  private def spilled(make: => GroupedSummaries[_ <: Summary], most: Int)(parts: Parts): String = {
    val here = make
    val there = make
    parts.take(parts.length / 2).foreach(here.keepPart(1, _))
    val rest = parts.drop(parts.length / 2)
    // groups beside this one must not matter
    rest.take(1).foreach(there.keepPart(0, _))
    (here.takeParts(1, most) ++ rest).foreach(there.keepPart(1, _))
    outcome(there, 1)
  }

  private def assertAlike(make: => GroupedSummaries[_ <: Summary])(parts: Parts, seed: Long): Unit = {
    val expected = kept(make)(parts)
    orders(parts, seed).foreach { order =>
      assertEquals(kept(make)(order), expected)
      assertEquals(spilled(make, 1 << 20)(order), expected)
      assertEquals(spilled(make, 100)(order), expected)
    }
  }

  property(
    "stored sketches of any family, some with other parameters or types, are merged alike in any order"
  ) {
    val parts = maker.flatMap { case (m, d) => union(m, d) }.map(_.collect { case Merge(_, part) => part })
    forAll(parts, Gen.long) { (parts, seed) =>
      assertAlike(new GroupedUnions(new Meter))(parts.map(part => Envelope.seal(part.summary)), seed)
    }
  }

  property("parts of values, few or many, are merged alike in any order") {
    val cases = for {
      c <- column
      parts <- Gen.choose(1, 7).flatMap(Gen.listOfN(_, building(c)))
    } yield (c, parts)
    forAll(cases, Gen.long) { case ((c, parts), seed) =>
      def part(steps: Seq[Step]): Array[Byte] = {
        val groups = new GroupedInserts(c.recipe, new Meter)
        steps.foreach {
          case Keys(_, keys) => keys.foreach(groups.insert(0, _))
          case Many(_, many) => many.keys(c.domain).foreach(groups.insert(0, _))
          case Copies(_, key, copies) => groups.insert(0, key, copies)
          case _ =>
        }
        groups.sealPart(0)
      }
      assertAlike(new GroupedInserts(c.recipe, new Meter))(parts.map(part), seed)
    }
  }

  private val random = new SplittableRandom(5)

  private def manyKeys(domain: Domain, n: Int): Array[Long] =
    Array.fill(n)(if (domain.isFloating) DoubleKeys.key(random.nextDouble(-1, 1))
    else random.nextLong(1 << 20))

  private def partOf(recipe: InsertingRecipe[Inserts], n: Int): Array[Byte] = {
    val groups = new GroupedInserts(recipe, new Meter)
    groups.insertAll(new Array[Int](n), manyKeys(recipe.domain, n), n, 1)
    groups.sealPart(0)
  }

  private def merged(make: => GroupedSummaries[_ <: Summary], parts: Parts): String = {
    val groups = make
    parts.foreach(groups.mergePart(0, _))
    outcome(groups, 0)
  }

  /** The number of results of merging parts at once, in several orders. */
  private def resultsAtOnce(make: => GroupedSummaries[_ <: Summary], parts: Parts): Int =
    orders(parts, 1).map(order => merged(make, order)).distinct.size

  private val sizes = Seq(5000, 3, 70000, 64, 1, 0, 20000, 40, 9000, 300)

  private val ordered: Seq[InsertingRecipe[Inserts]] =
    Seq(
      QuantileRecipe(Domain.BigInt, 0.01),
      QuantileRecipe(Domain.Double, 0.001),
      QuantileFamily.of(Some(Tail.High)).recipe(Domain.BigInt, Seq(0.01)),
      SummedSketches.recipe(Domain.Double, Seq(0.01)),
      MomentsRecipe(Domain.Double)
    )

  ordered.foreach { recipe =>
    test(
      s"merged at once, many values give other bytes in another order, but not if they are kept: $recipe of ${recipe.domain}"
    ) {
      val parts = sizes.map(partOf(recipe, _))
      assert(resultsAtOnce(new GroupedInserts(recipe, new Meter), parts) > 1)
      assertAlike(new GroupedInserts(recipe, new Meter))(parts, 1)
    }
  }

  private val unordered: Seq[InsertingRecipe[Inserts]] = Seq(
    DDSketches.recipe(Domain.Double, Seq(0.01)),
    DDSketches.recipe(Domain.BigInt, Seq(0.001)),
    MomentsRecipe(Domain.BigInt),
    MomentsRecipe(Domain.decimal(10, 2))
  )

  unordered.foreach { recipe =>
    test(
      s"merged at once, they give the same bytes in any order, and so they are not kept: $recipe of ${recipe.domain}"
    ) {
      assert(recipe.mergesInAnyOrder)
      val parts = sizes.map(partOf(recipe, _))
      assertEquals(resultsAtOnce(new GroupedInserts(recipe, new Meter), parts), 1)
      val groups = new GroupedInserts(recipe, new Meter)
      parts.foreach(groups.keepPart(0, _))
      assert(!groups.hasKept)
    }
  }

  test("pairs: whole numbers merge alike in any order, doubles if they are kept") {
    for (domain <- Seq(Domain.BigInt, Domain.Double)) {
      val recipe = ComomentsRecipe(domain, domain)
      def make = new GroupedRows[InsertsPairs](recipe, new Meter)
      val parts = sizes.map { n =>
        val part = recipe.empty
        manyKeys(domain, n).zip(manyKeys(domain, n)).foreach { case (y, x) => part.insertPair(y, x) }
        Envelope.seal(part)
      }
      assertEquals(recipe.mergesInAnyOrder, resultsAtOnce(make, parts) == 1)
      assertAlike(make)(parts, 1)
    }
  }

  test("values with times, as rows and as sketches") {
    val recipes: Seq[Recipe[Timed]] = Seq(0.0, 0.01, 0.1).map(epsilon =>
      WindowSketches.recipe(Domain.BigInt, Domain.BigInt, Seq(epsilon), Windowed.KeepAll, Vector.empty)
    ) :+ WindowMomentsSketches.recipe(Domain.Double, Domain.BigInt, Seq(0.1), Windowed.KeepAll, Vector.empty)
    recipes.foreach { recipe =>
      val parts = sizes.take(if (recipe.numbers.head == 0.0) 2 else 10).map { n =>
        val groups = new GroupedTimed(recipe, new Meter)
        val times = Array.fill(n)(random.nextLong(1 << 16))
        groups.insertAll(new Array[Int](n), manyKeys(recipe.domain, n), times, n, 1)
        groups.sealPart(0)
      }
      assertAlike(new GroupedTimed(recipe, new Meter))(parts, 1)
    }
  }

  test("random samples") {
    val recipe = ReservoirSamples.recipe(Domain.BigInt, Seq(100, 1, 0.01))
    val groups = sizes.zipWithIndex.map { case (n, part) =>
      val groups = new GroupedInserts(recipe.inPart(part), new Meter)
      groups.insertAll(new Array[Int](n), manyKeys(Domain.BigInt, n), n, 1)
      groups
    }
    // first, because a sealed sample no longer has its rows as they came
    val parts = groups.map(_.sealPart(0))
    val areRows = parts.map(NumberedPart.withoutNumber(_)(0) == 0)
    assert(areRows.contains(true) && areRows.contains(false))
    assertAlike(new GroupedInserts(recipe.inPart(3), new Meter))(parts, 1)
    val samples = groups.map(_.seal(0))
    assert(resultsAtOnce(new GroupedUnions(new Meter), samples) > 1)
    assertAlike(new GroupedUnions(new Meter))(samples, 1)
  }

  /** Around the most rows that a sample of 100, and a sample of windows of 20, hand on as they came. */
  private val rowsOfGroups = Seq(1, 30, 63, 64, 65, 99, 100, 101, 149, 150, 151, 159, 160, 161, 400)

  /** The parts that three tasks hand on, each with its group. Every task has as many rows of a group. */
  private def partsOfTasks(
      make: Int => GroupedSummaries[_ <: Summary],
      rows: Seq[Int],
      key: (Int, Int) => Long
  ) =
    (0 until 3).flatMap { task =>
      val groups = make(task)
      rows.zipWithIndex.foreach { case (n, group) =>
        val keys = Array.tabulate(n)(i => key(group, task * n + i))
        groups match {
          case inserts: GroupedInserts => inserts.insertAll(Array.fill(n)(group), keys, n, group + 1)
          case timed: GroupedTimed =>
            timed.insertAll(Array.fill(n)(group), keys, Array.tabulate(n)(_ % 70L), n, group + 1)
          case other => throw new MatchError(other)
        }
      }
      rows.indices.map(group => group -> groups.sealPart(group))
    }

  /** The sketches of groups whose parts come in this order. Groups are numbered as they come, as in a task. */
  private def unions(groups: GroupedSummaries[_ <: Summary], parts: Seq[(Int, Array[Byte])]): Seq[String] = {
    val numbers = parts.map(_._1).distinct
    parts.foreach { case (group, part) => groups.keepPart(numbers.indexOf(group), part) }
    val sealedAs = numbers.map(group => group -> outcome(groups, numbers.indexOf(group))).toMap
    sealedAs.toSeq.sorted.map(_._2)
  }

  private val randomly: Seq[(String, Int => GroupedSummaries[_ <: Summary])] =
    SampleFamily.all.map { family =>
      val recipe = family.recipe(Domain.BigInt, Seq(100, 1, 0.01))
      (family.name, (part: Int) => new GroupedInserts(recipe.inPart(part), new Meter))
    } :+ {
      val recipe = WindowSampleRecipe.alone(Domain.BigInt, Domain.BigInt, 20, 1L, 0.01, Windowed.KeepAll)
      ("window sample", (part: Int) => new GroupedTimed(recipe.inPart(part), new Meter))
    }

  for ((name, make) <- randomly) {
    test(s"$name: the rows that are drawn do not depend on which groups and parts come first") {
      val parts = partsOfTasks(make, rowsOfGroups, (group, i) => group * 10000L + i)
      val expected = unions(make(0), parts)
      (1 to Cases.of(20)).foreach { seed =>
        assertEquals(unions(make(seed), new Random(seed).shuffle(parts)), expected, s"seed $seed")
      }
    }

    test(s"$name: groups with the very same rows in every task draw different rows") {
      for (n <- rowsOfGroups.filter(_ >= 64); distinct <- Seq(true, false)) {
        val parts =
          partsOfTasks(make, Seq.fill(10)(n), (_, i) => if (distinct) i.toLong else i / 4L)
        val sketches = unions(make(0), parts)
        assertEquals(sketches.distinct.size, sketches.size, s"$n rows, distinct $distinct")
      }
    }
  }

  test("equal parts, and groups of one part, are what they are when merged at once") {
    val recipe = QuantileRecipe(Domain.BigInt, 0.01)
    sizes.foreach { n =>
      val part = partOf(recipe, n)
      assertEquals(
        kept(new GroupedInserts(recipe, new Meter))(Seq(part)),
        merged(new GroupedInserts(recipe, new Meter), Seq(part)),
        s"$n values"
      )
    }
  }

  test("parts may be merged before all have come") {
    val recipe = QuantileRecipe(Domain.BigInt, 0.01)
    val groups = new GroupedInserts(recipe, new Meter)
    sizes.foreach { n =>
      groups.keepPart(0, partOf(recipe, n))
      groups.mergeKept(0)
      assert(!groups.hasKept)
    }
    assertEquals(groups.ask(0).count, sizes.sum.toLong)
  }

  test("kept parts are counted, until they are merged, spilled or removed") {
    val recipe = QuantileRecipe(Domain.BigInt, 0.001)
    val meter = new Meter
    meter.add(11)
    val groups = new GroupedInserts(recipe, meter)
    val parts = sizes.map(partOf(recipe, _))
    (0 until 50).foreach(group => parts.foreach(groups.keepPart(group, _)))
    assert(meter.bytes >= 50L * parts.filter(_.length > 1024).map(_.length).sum)
    val all = meter.bytes
    groups.takeParts(7, 1 << 20)
    groups.seal(8)
    groups.forget(8)
    val some = meter.bytes
    assert(some < all)
    (0 until 50).filterNot(group => group == 7 || group == 8).foreach { group =>
      groups.seal(group)
      groups.forget(group)
    }
    assert(meter.bytes < some / 4, s"${meter.bytes} of $some")
    groups.clear()
    assertEquals(meter.bytes, 11L)
    parts.foreach(groups.keepPart(3, _))
    groups.clear()
    assertEquals(meter.bytes, 11L)
    assertEquals(groups.isTouched(3), false)
  }

  test("lists of parts are packed within a size, and unpacked") {
    val parts = Array.tabulate(20)(i => Array.fill[Byte](i * 7)((i + 10).toByte))
    for (most <- Seq(1, 100, 1000, 1 << 20)) {
      val lists = PartList.packWithin(parts, most)
      val unpacked = lists.flatMap(list => if (PartList.isList(list)) PartList.unpack(list) else Array(list))
      assertEquals(unpacked.map(_.toSeq).toSeq, parts.map(_.toSeq).toSeq)
      assert(lists.forall(list => !PartList.isList(list) || list.length <= most + 5 + 4 * 20))
    }
  }
}
