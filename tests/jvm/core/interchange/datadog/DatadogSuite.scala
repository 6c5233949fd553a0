package chronosketch.interchange.datadog

import java.util.SplittableRandom

import com.datadoghq.sketch.ddsketch.{DDSketch => Theirs, DDSketchProtoBinding}
import com.datadoghq.sketch.ddsketch.mapping._
import com.datadoghq.sketch.ddsketch.store._
import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.ddsketch.{DDSketch, DDSketchRecipe}
import chronosketch.domain.{Conversion, Domain, DoubleKeys}
import chronosketch.interchange.Limits
import chronosketch.summary.{Certificate, ExactBag}
import chronosketch.window.WindowCertificate

/** Tests reading bytes that sketches-java wrote, and writing bytes that it reads. */
class DatadogSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(100))

  private val limits = Limits(Domain.Double, None, None, Conversion.text(_, Domain.Double))

  private def serialized(sketch: Theirs): Array[Byte] = {
    val buffer = sketch.serialize()
    val bytes = new Array[Byte](buffer.remaining)
    buffer.get(bytes)
    bytes
  }

  private def dense(alpha: Double): Theirs =
    new Theirs(new CubicallyInterpolatedMapping(alpha), () => new UnboundedSizeDenseStore)

  private def parsed(bytes: Array[Byte]): Theirs = DDSketchProtoBinding.fromProto(
    () => new UnboundedSizeDenseStore,
    com.datadoghq.sketch.ddsketch.proto.DDSketch.parseFrom(bytes)
  )

  private val values: Gen[Array[Double]] = for {
    n <- Gen.oneOf(0, 1, 2, 50, 2000)
    spread <- Gen.oneOf(1.0, 50.0, 600.0)
    sign <- Gen.oneOf(0, 1, 2)
    seed <- Gen.long
  } yield {
    val random = new SplittableRandom(seed)
    Array.fill(n) {
      val magnitude = math.exp((random.nextDouble() - 0.5) * spread)
      random.nextInt(12) match {
        case 0 => 0.0
        case 1 => math.rint(magnitude)
        case _ => if (sign == 0 || (sign == 1 && random.nextBoolean())) -magnitude else magnitude
      }
    }
  }

  private val mappings: Gen[IndexMapping] = for {
    alpha <- Gen.oneOf(1e-3, 0.01, 0.05, 0.5)
    gamma = (1 + alpha) / (1 - alpha)
    offset <- Gen.oneOf(0.0, 17.0, -1234.5)
    mapping <- Gen.oneOf[IndexMapping](
      new LogarithmicMapping(gamma, offset),
      new LinearlyInterpolatedMapping(gamma, offset),
      new QuadraticallyInterpolatedMapping(gamma, offset),
      new CubicallyInterpolatedMapping(gamma, offset),
      new QuarticallyInterpolatedMapping(gamma, offset),
      new CubicallyInterpolatedMapping(alpha)
    )
  } yield mapping

  property("sketches written by sketches-java: the certificate holds, for all mappings and stores") {
    forAll(mappings, values, Gen.choose(0, 2)) { (mapping, values, form) =>
      val sketch = new Theirs(
        mapping,
        () =>
          form match {
            case 0 => new UnboundedSizeDenseStore
            case 1 => new SparseStore
            case _ => new PaginatedStore
          }
      )
      values.foreach(sketch.accept(_))
      val read = DatadogSketch.read(serialized(sketch), Library.Java, limits, Collapsed.Nowhere)
      assertEquals(WindowCertificate.violations(read.profile, ExactBag.of(values.map(DoubleKeys.key))), Nil)
      assertEquals(read.count, values.length.toLong)
      // the answers are as good as the library's own
      val sorted = values.sorted
      if (values.nonEmpty) Certificate.phis.foreach { phi =>
        val exact = sorted((phi.rank(values.length.toLong) - 1).toInt)
        val answer = DoubleKeys.value(read.quantile(phi))
        val alpha = mapping.relativeAccuracy * (1 + 1e-6)
        assert(math.abs(answer - exact) <= alpha * math.abs(exact), s"$phi: $answer for $exact")
      }
    }
  }

  property("sketches with collapsed bins: the certificate holds if the collapsed end is stated") {
    forAll(values, Gen.oneOf(true, false), Gen.oneOf(3, 40)) { (values, lowest, room) =>
      val sketch = new Theirs(
        new CubicallyInterpolatedMapping(0.02),
        () => if (lowest) new CollapsingLowestDenseStore(room) else new CollapsingHighestDenseStore(room)
      )
      values.foreach(sketch.accept(_))
      val collapsed = if (lowest) Collapsed.Lowest else Collapsed.Highest
      val read = DatadogSketch.read(serialized(sketch), Library.Java, limits, collapsed)
      assertEquals(WindowCertificate.violations(read.profile, ExactBag.of(values.map(DoubleKeys.key))), Nil)
    }
  }

  private def ours(alpha: Double, values: Seq[Double]): DDSketch = {
    val s = DDSketchRecipe(Domain.Double, alpha).empty
    values.foreach(v => s.insert(DoubleKeys.key(v)))
    s
  }

  property("sketches that we write: sketches-java answers within alpha") {
    forAll(Gen.oneOf(1e-3, 0.01, 0.3), values) { (alpha, values) =>
      val theirs = parsed(DatadogSketch.write(ours(alpha, values.toSeq), Library.Java))
      assertEquals(theirs.getCount, values.length.toDouble)
      if (values.nonEmpty) {
        val sorted = values.sorted
        Certificate.phis.foreach { phi =>
          val q = phi.decimal.doubleValue
          // the rank that the library uses, from 0
          val exact = sorted(math.floor(q * (values.length - 1)).toInt)
          val answer = theirs.getValueAtQuantile(q)
          assert(math.abs(answer - exact) <= alpha * math.abs(exact), s"$phi: $answer for $exact")
        }
      }
    }
  }

  property("written for any library and read again, the certificate holds and bounds are one bin wide") {
    forAll(Gen.oneOf(1e-3, 0.01, 0.3), values, Gen.oneOf(Library.all)) { (alpha, values, library) =>
      val bytes = DatadogSketch.write(ours(alpha, values.toSeq), library)
      val back = DatadogSketch.read(bytes, library, limits, Collapsed.Nowhere)
      val bag = ExactBag.of(values.map(DoubleKeys.key))
      assertEquals(WindowCertificate.violations(back.profile, bag), Nil)
      // the bounds of each quantile are the two edges of a bin
      if (values.nonEmpty) Certificate.phis.foreach { phi =>
        val (low, high) = back.profile.quantileBounds(phi)
        val (from, to) = (DoubleKeys.value(low), DoubleKeys.value(high))
        assert(
          math.abs(to - from) <= 2.1 * alpha / (1 - alpha) * math.abs(to).max(math.abs(from)),
          s"$from to $to"
        )
      }
    }
  }

  test("values that the libraries cannot represent are refused, and subnormal numbers become 0") {
    def refused(s: DDSketch): String = {
      val refusal = intercept[Refusal] { DatadogSketch.write(s, Library.Java); () }
      assertEquals(refusal.condition, "CHRONOSKETCH_NOT_EXPORTABLE")
      refusal.parameters("what")
    }
    assertEquals(refused(ours(0.01, Seq(1.0, Double.NaN))), "1 values that are NaN or infinite")
    assertEquals(
      refused(ours(0.01, Seq(Double.NegativeInfinity, Double.PositiveInfinity))),
      "2 values that are NaN or infinite"
    )
    val cents = DDSketchRecipe(Domain.decimal(9, 2), 0.01).empty
    cents.insert(5L)
    assert(refused(cents).startsWith("values of type DECIMAL(9,2)"))
    val tiny =
      parsed(DatadogSketch.write(ours(0.01, Seq(Double.MinPositiveValue, -1e-310, 3.0)), Library.Java))
    assertEquals((tiny.getCount, tiny.getValueAtQuantile(0.5)), (3.0, 0.0))
  }

  private def reason(bytes: Array[Byte], library: Library = Library.Java): String = {
    val refusal = intercept[Refusal] { DatadogSketch.read(bytes, library, limits, Collapsed.Nowhere); () }
    assertEquals(refusal.condition, "CHRONOSKETCH_NOT_IMPORTABLE")
    refusal.parameters("reason")
  }

  test("fractional counts, unknown mappings and bytes that are not a message are rejected") {
    val half = dense(0.01)
    half.accept(3.0, 0.5)
    assert(reason(serialized(half)).startsWith("a bin counts 0.5 values"))
    val store = DatadogMessage.Store(Array(1), Array(5L))
    val none = DatadogMessage.Store(Array.empty, Array.empty)
    def of(gamma: Double, offset: Double, interpolation: Int) =
      DatadogMessage.write(DatadogMessage(gamma, offset, interpolation, store, none, 0L), denseOnly = false)
    Seq(of(1.0, 0.0, 0), of(Double.NaN, 0.0, 0), of(1.1, Double.NaN, 0), of(1.1, 1e300, 0), of(1.1, 0.0, 9))
      .foreach(bytes => assert(reason(bytes).startsWith("their mapping is unknown")))
    assert(reason(of(1.1, 0.5, 0), Library.Python).startsWith("their mapping is unknown"))
    assert(reason(of(1e6, 1 << 20, 0)).startsWith("no DOUBLE lies in their bin 1"))
    assert(reason("PAR1 and more of a file".getBytes).nonEmpty)
    assertEquals(reason(serialized(dense(0.01)).dropRight(1)), "they end early")
    assert(reason(Array.emptyByteArray).startsWith("they have no mapping"))
    assertEquals(
      DatadogSketch.read(serialized(dense(0.01)), Library.Java, limits, Collapsed.Nowhere).count,
      0L
    )
  }

  test("damaged bytes are rejected or give a valid sketch, with memory proportional to their number") {
    val random = new SplittableRandom(9)
    def built(sketch: Theirs): Array[Byte] = {
      (1 to 60).foreach(i => sketch.accept(math.pow(1.3, (i % 40).toDouble) * (if (i % 3 == 0) -1 else 1)))
      serialized(sketch)
    }
    val sources = Seq(
      built(dense(0.05)),
      built(new Theirs(new LogarithmicMapping(0.01), () => new PaginatedStore)),
      built(new Theirs(new LogarithmicMapping(0.02), () => new SparseStore))
    )
    val threads =
      java.lang.management.ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
    val conditions = Set(
      "CHRONOSKETCH_NOT_IMPORTABLE",
      "CHRONOSKETCH_COUNT_OVERFLOW",
      "CHRONOSKETCH_INVALID_HISTOGRAM"
    )
    var read, refused = 0
    for (_ <- 1 to Cases.of(10000)) {
      val source = sources(random.nextInt(sources.size))
      val changed = (1 to 1 + random.nextInt(3)).foldLeft(source) { (bytes, _) =>
        val at =
          random.nextInt(math.max(1, if (random.nextBoolean()) math.min(45, bytes.length) else bytes.length))
        random.nextInt(5) match {
          case 0 => bytes.take(at)
          case 1 => bytes.patch(at, Seq(random.nextInt().toByte), 0)
          case _ if bytes.isEmpty => bytes
          case _ => bytes.updated(at, (if (random.nextBoolean()) bytes(at) + 1 else random.nextInt()).toByte)
        }
      }
      val library = Library.all(random.nextInt(2))
      val before = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
      val result =
        try Some(DatadogSketch.read(changed, library, limits, Collapsed.Nowhere))
        catch { case r: Refusal if conditions(r.condition) => None }
      val memory = threads.getThreadAllocatedBytes(Thread.currentThread.getId) - before
      assert(memory <= 400L * changed.length + (1 << 20), s"$memory bytes for ${changed.length}")
      result match {
        case None => refused += 1
        case Some(sketch) =>
          read += 1
          val p = sketch.profile
          (1 until p.size).foreach { i =>
            assert(p.key(i) > p.key(i - 1) && p.rankLow(i) >= p.rankLow(i - 1) && p.rankHigh(i) >= p.rankHigh(
              i - 1
            ))
          }
      }
    }
    assert(read > 100 && refused > 100, s"$read, $refused")
  }
}
