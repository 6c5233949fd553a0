package chronosketch.codec

import scala.concurrent.{ExecutionContext, Future}

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.domain.{Domain, Kind, TimeDomain}
import chronosketch.families.Families
import chronosketch.history.HistorySketches
import chronosketch.qlove.{UnfinishedPanes, QloveSketches}
import chronosketch.summary.Envelope
import chronosketch.window.WindowSketches
import chronosketch.window.moments.WindowMomentsSketches
import chronosketch.window.sample.WindowSamples

/** Tests that any bytes are refused with a condition or give a valid summary: no other exception, no hang, and no allocation out of
  * proportion to the size of the bytes.
  */
class HostileBytesSuite extends CheckSuite {
  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(4000))
  private val sealedBytes: Seq[(String, Array[Byte])] = Stored.all.map { case (name, s) =>
    name -> Envelope.seal(s)
  }
  private val FirstParameter = 14
  private val MostOfSmall = 1200
  private val small: Seq[(String, Array[Byte])] = sealedBytes.filter(_._2.length < MostOfSmall)

  // only some bits and lengths of a sketch by default; which ones differs from sketch to sketch
  private val step = if (Cases.times > 1) 1 else 29
  private val lengthStep = if (Cases.times > 1) 1 else 3

  /** A test in a thread of its own, so that the time limit ends it if it hangs. */
  private def timed(name: String)(body: => Unit): Unit = test(name)(Future(body)(ExecutionContext.global))

  timed("bytes cut off anywhere are refused, as truncated if they contain the magic and the version") {
    sealedBytes.foreach { case (name, bytes) =>
      // no field of a large sketch begins in the middle that a small one lacks
      val lengths = if (bytes.length < MostOfSmall) bytes.indices else bytes.indices by bytes.length / 100
      lengths.foreach { length =>
        val result = HostileBytes.outcome(bytes.take(length), s"$name cut to $length")
        assertEquals(
          result,
          Left(if (length < 5) "CHRONOSKETCH_NOT_A_SKETCH" else "CHRONOSKETCH_TRUNCATED_SKETCH"),
          s"$name cut to $length"
        )
      }
    }
  }

  timed("bytes cut off anywhere, with a valid length and checksum, are refused") {
    small.zipWithIndex.foreach { case ((name, bytes), i) =>
      (Stored.SmallestBytes + i % lengthStep until bytes.length by lengthStep).foreach { length =>
        val cut = Stored.reseal(bytes.take(length - 4) ++ new Array[Byte](4))
        assert(HostileBytes.outcome(cut, s"$name cut to $length").isLeft, s"$name cut to $length")
      }
    }
  }

  timed("a parameter of −0.0 is read as 0.0") {
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

  timed("times and versions of a type that times cannot have are refused") {
    val timed =
      Seq(
        WindowSketches,
        WindowMomentsSketches,
        WindowSamples,
        UnfinishedPanes,
        QloveSketches,
        HistorySketches
      ).map(_.name)
    val sketches = Stored.all.filter(s => timed.contains(s._2.family.name))
    assertEquals(sketches.map(_._2.family.name).distinct.sorted, timed.sorted)
    sketches.foreach { case (name, sketch) =>
      val bytes = Envelope.seal(sketch)
      val payload = new Wire.Writer
      sketch.write(payload)
      // all of these payloads begin with the type
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

  timed("bytes with any flipped bit are refused") {
    small.zipWithIndex.foreach { case ((name, bytes), i) =>
      (i % step until bytes.length * 8 by step).foreach { bit =>
        val flipped = bytes.clone()
        flipped(bit / 8) = (flipped(bit / 8) ^ (1 << bit % 8)).toByte
        assert(HostileBytes.outcome(flipped, s"$name, bit $bit").isLeft, s"$name, bit $bit")
      }
    }
  }

  timed("bytes with a flipped bit and a valid checksum are refused or give a valid summary") {
    val results = for {
      ((name, bytes), i) <- small.zipWithIndex
      bit <- 4 * 8 + i % step until (bytes.length - 4) * 8 by step
    } yield {
      val flipped = bytes.clone()
      flipped(bit / 8) = (flipped(bit / 8) ^ (1 << bit % 8)).toByte
      HostileBytes.outcome(Stored.reseal(flipped), s"$name, bit $bit").isRight
    }
    // both must occur: otherwise no payload was decoded
    assert(results.contains(true) && results.contains(false))
  }

  test("bytes that are not a sketch are refused") {
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

  test("a newer format version is refused with its own condition, unless the checksum is wrong") {
    sealedBytes.foreach { case (name, bytes) =>
      // no decoder reads on after the version, so all sketches treat the others as one of them does
      (if (name == sealedBytes.head._1) 2 to 255 else Seq(2, 128, 255)).foreach { version =>
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

  test("an unknown family is refused with its own condition") {
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

  property("random bytes in place of the payload are refused or give a valid summary") {
    forAll(Gen.oneOf(sealedBytes), garbage) { case ((name, bytes), payload) =>
      val header = bytes.take(22)
      HostileBytes.outcome(Stored.reseal(header ++ payload ++ new Array[Byte](4)), s"$name: ${payload.toSeq}")
      true
    }
  }

  property("random bytes from the header on are refused or give a valid summary") {
    forAll(Gen.oneOf(sealedBytes), garbage, Gen.choose(9, 22)) { case ((name, bytes), payload, from) =>
      HostileBytes.outcome(
        Stored.reseal(bytes.take(from) ++ payload ++ new Array[Byte](9)),
        s"$name from $from: ${payload.toSeq}"
      )
      true
    }
  }

  /** A stored sketch with a few bytes changed, removed or inserted. */
  private val mutated: Gen[(String, Array[Byte])] = for {
    (name, bytes) <- Gen.oneOf(small)
    changes <- Gen.choose(1, 4)
    steps <- Gen.listOfN(changes, Gen.zip(Gen.choose(0, 3), Gen.choose(0, Int.MaxValue), Gen.choose(0, 255)))
  } yield {
    val result = steps.foldLeft(bytes.slice(9, bytes.length - 4)) { case (payload, (change, place, value)) =>
      if (payload.isEmpty) payload
      else {
        val at = place % payload.length
        change match {
          case 0 => payload.patch(at, Nil, 1)
          case 1 => payload.patch(at, Seq(value.toByte), 0)
          case 2 => payload.updated(at, (payload(at) + value % 5 - 2).toByte)
          case _ => payload.updated(at, value.toByte)
        }
      }
    }
    (s"$name $steps", Stored.reseal(bytes.take(9) ++ result ++ new Array[Byte](4)))
  }

  property(
    "a few bytes changed, removed or inserted, with a valid checksum, are refused or give a valid summary"
  ) {
    forAll(mutated) { case (what, bytes) =>
      HostileBytes.outcome(bytes, what)
      true
    }
  }
}
