package chronosketch.codec

import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration._

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, Refusal}
import chronosketch.domain.{Domain, Kind, TimeDomain}
import chronosketch.families.Families
import chronosketch.history.HistorySketches
import chronosketch.qlove.{Panes, QloveSketches}
import chronosketch.summary.Envelope
import chronosketch.window.WindowSketches
import chronosketch.window.moments.WindowMomentsSketches
import chronosketch.window.sample.WindowSamples

/** Whatever the bytes: a named refusal, or a summary that keeps all its promises. Never another exception, nor a hang, nor
  * more memory than the bytes explain.
  */
class HostileBytesSuite extends munit.ScalaCheckSuite {
  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(4000))
  override def munitTimeout: Duration = 120.seconds

  private val sealedBytes: Seq[(String, Array[Byte])] = Stored.all.map { case (name, s) =>
    name -> Envelope.seal(s)
  }
  private val FirstParameter = 14
  private val small: Seq[(String, Array[Byte])] = sealedBytes.filter(_._2.length < 1200)

  /** In a thread of its own, so that the time limit ends a hang. */
  private def timed(name: String)(body: => Unit): Unit = test(name)(Future(body)(ExecutionContext.global))

  timed("cut off anywhere: refused, and from the header on as truncated") {
    sealedBytes.foreach { case (name, bytes) =>
      bytes.indices.foreach { length =>
        val result = HostileBytes.outcome(bytes.take(length), s"$name cut to $length")
        assertEquals(
          result,
          Left(if (length < 5) "CHRONOSKETCH_NOT_A_SKETCH" else "CHRONOSKETCH_TRUNCATED_SKETCH"),
          s"$name cut to $length"
        )
      }
    }
  }

  timed("cut off anywhere, and made to look whole") {
    small.foreach { case (name, bytes) =>
      (Stored.SmallestBytes until bytes.length).foreach { length =>
        val cut = Stored.reseal(bytes.take(length - 4) ++ new Array[Byte](4))
        assert(HostileBytes.outcome(cut, s"$name cut to $length").isLeft, s"$name cut to $length")
      }
    }
  }

  timed("a parameter of −0.0 is one of 0.0") {
    val read = small.flatMap { case (name, bytes) =>
      val zero = Stored.reseal(bytes.patch(FirstParameter, new Array[Byte](8), 8))
      val minus = Stored.reseal(zero.updated(FirstParameter, 0x80.toByte))
      if (bytes(FirstParameter - 1) == 0) None
      else {
        val opened = HostileBytes.outcome(minus, s"$name of −0.0").map(Envelope.seal(_).toSeq)
        assertEquals(opened, HostileBytes.outcome(zero, s"$name of 0.0").map(Envelope.seal(_).toSeq))
        opened.toOption
      }
    }
    assert(read.length > 10, read.length)
  }

  timed("times and versions of a type that times do not have: refused") {
    val timed =
      Seq(
        WindowSketches,
        WindowMomentsSketches,
        WindowSamples,
        Panes,
        QloveSketches,
        HistorySketches
      ).map(_.name)
    val of = Stored.all.filter(s => timed.contains(s._2.family.name))
    assertEquals(of.map(_._2.family.name).distinct.sorted, timed.sorted)
    of.foreach { case (name, sketch) =>
      val bytes = Envelope.seal(sketch)
      val payload = new Wire.Writer
      sketch.write(payload)
      // the payload begins with the type, in all of them
      val at = bytes.length - 4 - payload.length
      Kind.all.foreach { kind =>
        val forged = bytes.clone()
        forged(at) = kind.id.toByte
        forged(at + 1) = 0
        forged(at + 2) = 0
        val result = HostileBytes.outcome(Stored.reseal(forged), s"$name, $kind")
        val isTime = TimeDomain.is(Domain(kind, 0, 0))
        if (!isTime) assertEquals(result, Left("CHRONOSKETCH_CORRUPT_SKETCH"), s"$name, $kind")
      }
    }
  }

  timed("any bit turned: refused") {
    small.foreach { case (name, bytes) =>
      (0 until bytes.length * 8).foreach { bit =>
        val turned = bytes.clone()
        turned(bit / 8) = (turned(bit / 8) ^ (1 << bit % 8)).toByte
        assert(HostileBytes.outcome(turned, s"$name, bit $bit").isLeft, s"$name, bit $bit")
      }
    }
  }

  // the bits of one sketch are left out where another's are taken
  private val apart = math.max(1, 3 / Cases.times)

  timed("bits turned, and made to look whole") {
    val results = for {
      ((name, bytes), i) <- small.zipWithIndex
      bit <- 4 * 8 + i % apart until (bytes.length - 4) * 8 by apart
    } yield {
      val turned = bytes.clone()
      turned(bit / 8) = (turned(bit / 8) ^ (1 << bit % 8)).toByte
      HostileBytes.outcome(Stored.reseal(turned), s"$name, bit $bit").isRight
    }
    // both happen, or else the payload was never looked at
    assert(results.contains(true) && results.contains(false))
  }

  test("bytes that are something else") {
    val foreign = Seq(
      Array.emptyByteArray,
      Array[Byte](0),
      "CHRS".getBytes,
      "PAR1 and then some more of a Parquet file".getBytes,
      Array.fill[Byte](100)(-1),
      new Array[Byte](1000)
    )
    foreign.foreach { bytes =>
      assertEquals(HostileBytes.outcome(bytes, "foreign"), Left("CHRONOSKETCH_NOT_A_SKETCH"))
    }
    assertEquals(HostileBytes.outcome("CHRS!".getBytes, "magic alone"), Left("CHRONOSKETCH_TRUNCATED_SKETCH"))
    val followed = sealedBytes.head._2 ++ Array[Byte](0)
    assertEquals(HostileBytes.outcome(followed, "a byte too many"), Left("CHRONOSKETCH_CORRUPT_SKETCH"))
  }

  test("a version to come is told from a broken one") {
    sealedBytes.foreach { case (name, bytes) =>
      (2 to 255).foreach { version =>
        val newer = bytes.clone()
        newer(4) = version.toByte
        assertEquals(HostileBytes.outcome(Stored.reseal(newer), name), Left("CHRONOSKETCH_NEWER_FORMAT"))
        assertEquals(HostileBytes.outcome(newer, name), Left("CHRONOSKETCH_CORRUPT_SKETCH"))
      }
    }
    val newer = sealedBytes.head._2.clone()
    newer(4) = 9
    val refusal = intercept[Refusal](Families.open(Stored.reseal(newer)))
    assertEquals(refusal.parameters.get("format"), Some("9"))
    assertEquals(refusal.parameters.get("known"), Some(Envelope.FormatVersion.toString))
    newer(4) = 0
    assertEquals(HostileBytes.outcome(Stored.reseal(newer), "version 0"), Left("CHRONOSKETCH_CORRUPT_SKETCH"))
  }

  test("a family to come has its own name") {
    val other = sealedBytes.head._2.clone()
    other(9) = 77
    assertEquals(HostileBytes.outcome(Stored.reseal(other), "family"), Left("CHRONOSKETCH_UNKNOWN_FAMILY"))
  }

  private val garbage: Gen[Array[Byte]] = for {
    n <- Gen.choose(0, 120)
    bytes <- Gen.listOfN(
      n,
      Gen.frequency(4 -> Gen.choose(0, 3), 2 -> Gen.choose(0, 255), 1 -> Gen.oneOf(127, 128, 255))
    )
  } yield bytes.map(_.toByte).toArray

  property("garbage in place of the payload") {
    forAll(Gen.oneOf(sealedBytes), garbage) { case ((name, bytes), payload) =>
      val header = bytes.take(22)
      HostileBytes.outcome(Stored.reseal(header ++ payload ++ new Array[Byte](4)), s"$name: ${payload.toSeq}")
      true
    }
  }

  property("garbage from the header on") {
    forAll(Gen.oneOf(sealedBytes), garbage, Gen.choose(9, 22)) { case ((name, bytes), payload, from) =>
      HostileBytes.outcome(
        Stored.reseal(bytes.take(from) ++ payload ++ new Array[Byte](9)),
        s"$name from $from: ${payload.toSeq}"
      )
      true
    }
  }

  /** A few bytes of a whole sketch changed, taken out or put in. */
  private val mutated: Gen[(String, Array[Byte])] = for {
    (name, bytes) <- Gen.oneOf(small)
    changes <- Gen.choose(1, 4)
    steps <- Gen.listOfN(changes, Gen.zip(Gen.choose(0, 3), Gen.choose(0, Int.MaxValue), Gen.choose(0, 255)))
  } yield {
    val result = steps.foldLeft(bytes.slice(9, bytes.length - 4)) { case (payload, (way, where, value)) =>
      if (payload.isEmpty) payload
      else {
        val at = where % payload.length
        way match {
          case 0 => payload.patch(at, Nil, 1)
          case 1 => payload.patch(at, Seq(value.toByte), 0)
          case 2 => payload.updated(at, (payload(at) + value % 5 - 2).toByte)
          case _ => payload.updated(at, value.toByte)
        }
      }
    }
    (s"$name $steps", Stored.reseal(bytes.take(9) ++ result ++ new Array[Byte](4)))
  }

  property("a few bytes changed, taken out or put in, and made to look whole") {
    forAll(mutated) { case (what, bytes) =>
      HostileBytes.outcome(bytes, what)
      true
    }
  }
}
