package chronosketch.summary

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.codec.Wire
import chronosketch.domain.{Domain, DomainGen}
import chronosketch.families.Families
import chronosketch.quantile.QuantileRecipe

/** The laws of bags: that a bag of keys can replace a summary, and that stored bytes can be merged without decoding them first. */
class BagLaws extends CheckSuite {
  import Columns._
  import SummaryLaws.hex

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(200))

  private val Most = 64

  private def keys(domain: Domain): Gen[List[Long]] = {
    val distinct = Gen.choose(1, 5).flatMap(Gen.listOfN(_, DomainGen.value(domain)))
    val repeated = distinct.flatMap(d => Gen.choose(0, Most).flatMap(Gen.listOfN(_, Gen.oneOf(d))))
    val ends = Gen.choose(0, Most).flatMap(Gen.listOfN(_, Gen.oneOf(domain.least, domain.greatest)))
    val any = Gen.choose(0, Most).flatMap(Gen.listOfN(_, DomainGen.value(domain)))
    Gen.frequency(2 -> repeated, 1 -> ends, 4 -> any)
  }

  private val bags: Gen[(Column, List[Long])] = for {
    c <- column.flatMap(c => Gen.oneOf(Gen.const(c), retuned(c)))
    k <- keys(c.domain)
  } yield (c, k)

  private def inserted(c: Column, keys: Seq[Long]): Inserts = {
    val summary = c.empty()
    keys.foreach(summary.insert(_))
    summary
  }

  private def room(keys: Seq[Long]): Array[Long] = keys.toArray ++ Array.fill(Most)(-1L)

  /** Asserts that two summaries stay equal while enough further keys are inserted to reveal any difference. */
  private def assertAlike(a: Inserts, b: Inserts): Unit = {
    assertEquals(a.count, b.count)
    Seq(1, 7, 500, 3000).foreach { n =>
      val more = Operation.Many(n.toLong, n, 2000, 0).keys(a.domain)
      more.foreach { key =>
        a.insert(key)
        b.insert(key)
      }
      if (n % 2 == 0) assertEquals(hex(a), hex(b))
    }
    assertEquals(hex(a), hex(b))
  }

  private def stored(bytes: Array[Byte]): Envelope.StoredHeader = {
    Envelope.check(bytes)
    Envelope.StoredHeader.of(bytes, Families.byId)
  }

  private def reader(bytes: Array[Byte]): Wire.Reader = stored(bytes).payload(bytes)

  private def opened(c: Column, bytes: Array[Byte]): Inserts = c.recipe.family.own(Families.open(bytes))

  property("seal: the bytes equal those of a summary with the same keys inserted") {
    forAll(bags) { case (c, keys) =>
      val bytes = c.recipe.seal(room(keys), keys.size)
      assertEquals(hex(bytes), hex(inserted(c, keys)))
    }
  }

  property("ofBag: equals a summary that was sealed after the first keys") {
    forAll(bags, Gen.choose(0, Most)) { case ((c, all), s) =>
      val keys = all.take(c.recipe.mostInBag)
      val queried = math.min(s, keys.size)
      val expected = inserted(c, keys.take(queried))
      if (queried > 0) Envelope.seal(expected)
      keys.drop(queried).foreach(expected.insert(_))
      assertAlike(
        c.recipe.ofBag(room(keys), queried, keys.size),
        expected
      )
    }
  }

  property("ofOrdered: equals ofBag of the same keys, all queried; the array stays unchanged") {
    forAll(bags) { case (c, all) =>
      val keys = all.take(c.recipe.mostInBag).sorted
      val array = room(keys)
      val summary = c.recipe.ofOrdered(array, keys.size)
      assertEquals(hex(c.recipe.sealOrdered(array, keys.size)), hex(summary))
      assertEquals(array.toSeq, room(keys).toSeq)
      assertAlike(summary, c.recipe.ofBag(room(keys), keys.size, keys.size))
    }
  }

  property("readSmall: the keys replace the stored summary, alone or merged into another") {
    forAll(bags, bags, Gen.oneOf(true, false)) { case ((c, keys), (_, some), alone) =>
      val before = if (alone) Nil else some.map(k => math.max(c.domain.least, math.min(c.domain.greatest, k)))
      val bytes = Envelope.seal(inserted(c, keys))
      val into = new Array[Long](Most)
      val r = reader(bytes)
      val n = c.recipe.readSmall(r, alone, into)
      val fits = n >= 0 && n + before.size <= math.min(Most, c.recipe.mostInBag)
      if (n >= 0) assertEquals(r.remaining, 0)
      if (fits) {
        val expected = if (alone) opened(c, bytes) else inserted(c, before)
        if (!alone) expected.merge(Families.open(bytes))
        val queried = if (alone) n else 0
        val all = room(before ++ into.take(n))
        val actual = c.recipe.ofBag(all, queried, before.size + n)
        assertAlike(actual, expected)
      }
    }
  }

  test("readSmall reads the bags of quantile sketches") {
    for (n <- Seq(0, 1, 20, 32); alone <- Seq(true, false)) {
      val c = Column(QuantileRecipe(Domain.BigInt, 1e-3))
      val bytes = Envelope.seal(inserted(c, (1L to n.toLong).map(_ / 2)))
      assertEquals(c.recipe.readSmall(reader(bytes), alone, new Array[Long](Most)), n)
    }
  }

  property("insertsSingly: inserting n copies equals n inserts") {
    forAll(bags, Gen.choose(0L, 10L)) { case ((c, keys), copies) =>
      if (c.recipe.insertsSingly(copies)) {
        val (one, many) = (c.empty(), c.empty())
        keys.foreach { key =>
          one.insert(key, copies)
          (1L to copies).foreach(_ => many.insert(key))
        }
        assertAlike(one, many)
      }
    }
  }

  /** The message of the refusal, if any: some families refuse to merge a summary with other parameters. */
  private def refusal(body: => Unit): Option[String] =
    try { body; None }
    catch { case refusal: Refusal => Some(refusal.getMessage) }

  property("bags: a stored header equals its recipe and gives the same bags") {
    forAll(bags) { case (c, keys) =>
      val header = stored(Envelope.seal(inserted(c, keys))).header
      assertEquals(header: Any, c.recipe: Any)
      assertEquals(header.bags: Any, Some(c.recipe): Any)
    }
  }

  property("mergeInto: equals opening and merging, for all families") {
    val stored = for {
      (maker, domain) <- maker
      laws = LawsOf.all.find(_.family eq maker.family).get
      other <- Gen.frequency(
        4 -> laws.makers(domain),
        4 -> Gen.const(maker),
        1 -> Gen.oneOf(LawsOf.all).flatMap(_.makers(domain)).retryUntil(_.family.takes(domain))
      )
      operations <- Gen.listOfN(4, Operation.gen(domain))
    } yield (maker, other, operations)
    forAll(stored) { case (maker, other, operations) =>
      def first: Summary = Operation.run(maker, operations.head, new Clock(1))._1
      val (one, two) = (first, first)
      operations.tail.zipWithIndex.foreach { case (o, i) =>
        val bytes = Envelope.seal(Operation.run(other, o, new Clock(2 + i))._1)
        val merged = refusal(one.merge(Families.open(bytes)))
        val header = this.stored(bytes)
        assertEquals(refusal(header.header.mergeInto(two, header.payload(bytes))), merged)
        assertEquals(two.header: Any, one.header: Any)
      }
      maker match {
        case Maker.Inserting(recipe) => assertAlike(recipe.family.own(two), recipe.family.own(one))
        case _ => assertEquals(hex(two), hex(one))
      }
    }
  }
}
