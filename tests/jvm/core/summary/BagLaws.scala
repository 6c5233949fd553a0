package chronosketch.summary

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.domain.{Domain, DomainGen}
import chronosketch.quantile.QuantileSketch

/** What every family owes to those who keep keys for it before there is a summary, or merge its bytes without one. */
class BagLaws extends munit.ScalaCheckSuite {
  import Columns._
  import SummaryLaws.hex

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(500)

  private val Most = 64

  private val tunings: Seq[Double] = Seq(0.0, 1e-4, 1e-3, 0.1, 0.5)

  private def keys(domain: Domain): Gen[List[Long]] = {
    val distinct = Gen.choose(1, 5).flatMap(Gen.listOfN(_, DomainGen.value(domain)))
    val repeated = distinct.flatMap(d => Gen.choose(0, Most).flatMap(Gen.listOfN(_, Gen.oneOf(d))))
    val ends = Gen.choose(0, Most).flatMap(Gen.listOfN(_, Gen.oneOf(domain.least, domain.greatest)))
    val any = Gen.choose(0, Most).flatMap(Gen.listOfN(_, DomainGen.value(domain)))
    Gen.frequency(2 -> repeated, 1 -> ends, 4 -> any)
  }

  private val bags: Gen[(Column, List[Long])] = for {
    c <- column
    parameters <- Gen.oneOf(
      Gen.oneOf(tunings).map(p => c.family.parameters.map(t => p.max(t.least).min(t.greatest)).toVector),
      tuning(c.family)
    )
    k <- keys(c.domain)
  } yield (c.copy(parameters = parameters), k)

  private def inserted(c: Column, keys: Seq[Long]): Summary = {
    val summary = c.empty()
    keys.foreach(summary.insert(_))
    summary
  }

  private def room(keys: Seq[Long]): Array[Long] = keys.toArray ++ Array.fill(Most)(-1L)

  /** Later keys enough to show any difference between two states. */
  private def assertAlike(a: Summary, b: Summary): Unit = {
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

  private def reader(bytes: Array[Byte]): Wire.Reader = {
    Envelope.check(bytes)
    Envelope.Header.of(bytes).payload(bytes)
  }

  property("sealSmall: the bytes of a summary that saw the keys") {
    forAll(bags) { case (c, keys) =>
      val bytes = c.family.sealSmall(c.domain, c.parameters.toArray, room(keys), keys.size)
      assertEquals(hex(bytes), hex(inserted(c, keys)))
    }
  }

  property("ofBag: as if the first were sealed before the others came") {
    forAll(bags, Gen.choose(0, Most)) { case ((c, all), s) =>
      val keys = all.take(c.family.mostInBag(c.parameters.toArray))
      val settled = math.min(s, keys.size)
      val expected = inserted(c, keys.take(settled))
      if (settled > 0) Envelope.seal(expected)
      keys.drop(settled).foreach(expected.insert(_))
      assertAlike(
        c.family.ofBag(c.domain, c.parameters.toArray, room(keys), settled, keys.size),
        expected
      )
    }
  }

  property("readSmall: what it reads is the summary, alone or merged into another") {
    forAll(bags, bags, Gen.oneOf(true, false)) { case ((c, keys), (_, some), alone) =>
      val before = if (alone) Nil else some.map(k => math.max(c.domain.least, math.min(c.domain.greatest, k)))
      val bytes = Envelope.seal(inserted(c, keys))
      val into = new Array[Long](Most)
      val r = reader(bytes)
      val n = c.family.readSmall(r, c.domain, c.parameters.toArray, alone, into)
      val fits = n >= 0 && n + before.size <= math.min(Most, c.family.mostInBag(c.parameters.toArray))
      if (n >= 0) assertEquals(r.remaining, 0)
      if (fits) {
        val expected = if (alone) Envelope.open(bytes) else inserted(c, before)
        if (!alone) expected.merge(Envelope.open(bytes))
        val settled = if (alone) n else 0
        val all = room(before ++ into.take(n))
        val actual = c.family.ofBag(c.domain, c.parameters.toArray, all, settled, before.size + n)
        assertAlike(actual, expected)
      }
    }
  }

  test("readSmall takes the bags it is made for") {
    for (family <- Seq(QuantileSketch); n <- Seq(0, 1, 20, 32); alone <- Seq(true, false)) {
      val c = Column(family, Domain.BigInt, Vector(1e-3))
      val bytes = Envelope.seal(inserted(c, (1L to n.toLong).map(_ / 2)))
      assertEquals(family.readSmall(reader(bytes), c.domain, Array(1e-3), alone, new Array[Long](Most)), n)
    }
  }

  property("insertsSingly: copies are so many inserts") {
    forAll(bags, Gen.choose(0L, 10L)) { case ((c, keys), copies) =>
      if (c.family.insertsSingly(copies)) {
        val (one, many) = (c.empty(), c.empty())
        keys.foreach { key =>
          one.insert(key, copies)
          (1L to copies).foreach(_ => many.insert(key))
        }
        assertAlike(one, many)
      }
    }
  }

  /** Some families refuse what is tuned in another way. */
  private def refusal(body: => Unit): Option[String] =
    try { body; None }
    catch { case refusal: Refusal => Some(refusal.getMessage) }

  property("mergeStored: what opening and merging does") {
    val stored = for {
      c <- column
      other <- tuning(c.family)
      operations <- Gen.listOfN(4, Operation.gen(c.domain))
    } yield (c, c.copy(parameters = other), operations)
    forAll(stored) { case (c, other, operations) =>
      val (one, two) = (Part(c, operations.head).summary, Part(c, operations.head).summary)
      operations.tail.foreach { o =>
        val bytes = Envelope.seal(Part(other, o).summary)
        val merged = refusal(one.merge(Envelope.open(bytes)))
        assertEquals(refusal(two.mergeStored(reader(bytes), other.domain, other.parameters.toArray)), merged)
        assertEquals(two.parameters.toVector, one.parameters.toVector)
      }
      assertAlike(two, one)
    }
  }
}
