package chronosketch.interchange

import java.nio.file.Files
import java.util.SplittableRandom

import org.apache.datasketches.kll.{KllDoublesSketch, KllFloatsSketch, KllLongsSketch, KllSketch => Library}
import org.apache.datasketches.memory.Memory
import org.apache.datasketches.quantilescommon.QuantileSearchCriteria.INCLUSIVE
import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.codec.Golden
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.rank.RankProfile
import chronosketch.summary.{Certificate, ExactBag}

/** Reads sketches that the library built, and compares them with the library's own answers. */
class KllSuite extends CheckSuite {
  import KllSuite.Built

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(60))

  private def key(value: Double): Long = DoubleKeys.key(value)

  private def longs(k: Int, values: Array[Long]): Built = {
    val s = KllLongsSketch.newHeapInstance(k)
    values.foreach(s.update(_))
    Built(Domain.BigInt, s.toByteArray, s, s.getRank(_, INCLUSIVE), () => (s.getMinItem, s.getMaxItem))
  }

  private def doubles(k: Int, values: Array[Double]): Built = {
    val s = KllDoublesSketch.newHeapInstance(k)
    // build it by merging two parts
    val other = KllDoublesSketch.newHeapInstance(math.max(8, k / 2))
    values.zipWithIndex.foreach { case (v, i) => (if (i % 3 == 0) other else s).update(v) }
    s.merge(other)
    Built(
      Domain.Double,
      s.toByteArray,
      s,
      at => s.getRank(DoubleKeys.value(at), INCLUSIVE),
      () => (key(s.getMinItem), key(s.getMaxItem))
    )
  }

  private def floats(k: Int, values: Array[Float]): Built = {
    val s = KllFloatsSketch.newHeapInstance(k)
    values.foreach(s.update(_))
    Built(
      Domain.Float,
      s.toByteArray,
      s,
      at => s.getRank(DoubleKeys.value(at).toFloat, INCLUSIVE),
      () => (key(s.getMinItem.toDouble), key(s.getMaxItem.toDouble))
    )
  }

  /** Describes each difference between the sketch read from bytes and the library's sketch. */
  private def differences(built: Built): Seq[String] = {
    val sketch = KllSketch.read(built.bytes, built.domain)
    val profile = sketch.profile
    val n = built.library.getN
    val error = built.library.getNormalizedRankError(false)
    val isExact = !built.library.isEstimationMode || {
      val (least, greatest) = built.ends(); least == greatest
    }
    val ends =
      if (n == 0) Nil
      else Option.when((profile.minimum, profile.maximum) != built.ends())(s"ends ${built.ends()}").toSeq
    val own = KllSketch.normalizedRankError(KllBytes.read(built.bytes, built.domain).k)
    val stated =
      Option.when(n > 0 && own != error)(s"error $own, and the library's $error").toSeq
    val ranks = (0 until profile.size).flatMap { i =>
      val estimate = built.rank(profile.key(i))
      val (low, high) = profile.rankBounds(i)
      // we know more than the library about ranks at the ends
      val atLeast = math.max(1.0, (estimate - error) * n)
      val atMost = if (i == profile.size - 1) n.toDouble else math.min(n - 1.0, (estimate + error) * n)
      val (from, to) =
        if (i == profile.size - 1) (n.toDouble, n.toDouble)
        else if (isExact) (estimate * n, estimate * n)
        else (atLeast, atMost)
      Option.when(math.abs(low - from) > 1.001 || math.abs(high - to) > 1.001)(
        s"rank of ${profile.key(i)} from $low to $high, and the library's from $from to $to"
      )
    }
    val whole = Seq(
      Option.when(profile.countLow != n || profile.countHigh != n)(s"count ${profile.countLow} of $n"),
      Option.when(sketch.delta != (if (isExact) 0.0 else 0.01))(s"delta ${sketch.delta}"),
      Option.when(profile.isExact != isExact)(s"exact: ${profile.isExact}")
    ).flatten
    whole ++ ends ++ stated ++ ranks
  }

  private val cases = for {
    k <- Gen.oneOf(8, 20, 200, 1000)
    n <- Gen.oneOf(0, 1, 2, 7, 150, 5000, 40000)
    distinct <- Gen.oneOf(1L, 5L, 1000L, Long.MaxValue)
    seed <- Gen.long
    form <- Gen.choose(0, 2)
  } yield (k, n, distinct, seed, form)

  property("ranks, minimum, maximum, count and confidence equal the library's") {
    forAll(cases) { case (k, n, distinct, seed, form) =>
      val random = new SplittableRandom(seed)
      val values = Array.fill(n)(random.nextLong(distinct) - distinct / 2)
      val built = form match {
        case 0 => longs(k, values)
        case 1 => doubles(k, values.map(_ / 7.0))
        case _ => floats(k, values.map(_ / 7f))
      }
      assertEquals(differences(built), Nil)
    }
  }

  test("a sketch that retained all values is exact, for all doubles") {
    val values =
      Array(Double.NegativeInfinity, -1e300, -0.0, 0.0, Double.MinPositiveValue, 5.5, 5.5, Double.MaxValue) :+
        Double.PositiveInfinity
    val profile = KllSketch.read(doubles(200, values).bytes, Domain.Double).profile
    assertEquals(Certificate.violations(profile, ExactBag.of(values.map(key))), Nil)
    assert(profile.isExact)
    val ends = Array(Long.MinValue, -1L, 0L, Long.MaxValue)
    val all = KllSketch.read(longs(8, ends).bytes, Domain.BigInt).profile
    assertEquals(Certificate.violations(all, ExactBag.of(ends)), Nil)
  }

  test("the sketches that the C++, Go and Java libraries write are read as the library reads them") {
    for {
      language <- Seq("cpp", "go", "java")
      domain <- Seq(Domain.BigInt, Domain.Double, Domain.Float)
      n <- Seq(0, 1, 10, 100, 1000, 10000, 100000, 1000000)
    } {
      val built = KllSuite.ofCorpus(domain, n, language)
      assertEquals(differences(built), Nil, s"$domain $n $language")
      val profile = KllSketch.read(built.bytes, domain).profile
      if (n > 0) {
        val key: Long => Long = if (domain == Domain.BigInt) v => v else v => DoubleKeys.key(v.toDouble)
        assertEquals((profile.minimum, profile.maximum), (key(1L), key(n.toLong)))
        // the rank of a value is the value; each of these answers is within the error that 99 % are
        (0 until profile.size).foreach { i =>
          val value =
            if (domain == Domain.BigInt) profile.key(i) else DoubleKeys.value(profile.key(i)).toLong
          val (low, high) = profile.rankBounds(i)
          assert(low <= value && value <= high, s"$domain $n $language: rank $value from $low to $high")
        }
      }
    }
  }

  test("the stated error holds with the stated probability") {
    val n = 20000
    val times = Cases.of(300)
    val wrong = (1 to times).count { seed =>
      val random = new SplittableRandom(seed.toLong)
      val values = Array.fill(n)(random.nextLong(1000000))
      val profile: RankProfile = KllSketch.read(longs(50, values).bytes, Domain.BigInt).profile
      val asked = random.nextLong(1000000)
      val rank = values.count(_ <= asked).toLong
      val (low, high) = profile.rankBounds(profile.position(asked))
      rank < low || rank > high
    }
    // 1 %, plus four standard deviations
    assert(wrong <= 0.01 * times + 4 * math.sqrt(0.01 * times), s"$wrong of $times")
  }

  test("merging adds the deltas, because either sketch may be wrong") {
    val a = KllSketch.read(longs(50, Array.tabulate(9000)(_.toLong)).bytes, Domain.BigInt)
    a.merge(KllSketch.read(longs(50, Array.tabulate(7000)(_.toLong)).bytes, Domain.BigInt))
    assertEquals((a.count, a.delta), (16000L, 0.02))
    a.merge(KllSketch.read(longs(50, Array(3L)).bytes, Domain.BigInt))
    assertEquals((a.count, a.delta), (16001L, 0.02))
  }

  private def refused(bytes: Array[Byte], domain: Domain): String = {
    val refusal = intercept[Refusal] { KllSketch.read(bytes, domain); () }
    assertEquals(refusal.condition, "CHRONOSKETCH_NOT_IMPORTABLE")
    refusal.parameters("reason")
  }

  test("items of another width and bytes of other formats are rejected") {
    val built = doubles(50, Array.tabulate(5000)(_.toDouble))
    assert(refused(built.bytes, Domain.Float).startsWith("their length does not fit the items of 4 bytes"))
    assert(refused(floats(50, Array(1f)).bytes, Domain.Double).startsWith("their length does not fit"))
    assert(refused(Array.emptyByteArray, Domain.Double).startsWith("every such sketch has at least 8"))
    assert(refused("PAR1 and more of a file".getBytes, Domain.Double).contains("marked as family"))
    val nan = doubles(8, Array(1.0)).bytes.take(8) ++ Array[Byte](0, 0, 0, 0, 0, 0, -8, 127)
    assertEquals(refused(nan, Domain.Double), "an item is NaN, not a DOUBLE")
  }

  test("damaged bytes are rejected or give a valid sketch, with memory proportional to their number") {
    val random = new SplittableRandom(7)
    val sources = Seq(
      longs(8, Array.tabulate(700)(_.toLong)),
      doubles(8, Array.tabulate(40)(_ * 1.5)),
      floats(20, Array.tabulate(15)(_ * 1.5f)),
      longs(8, Array(4L)),
      longs(8, Array.empty)
    )
    val threads =
      java.lang.management.ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
    var read, refused = 0
    for (_ <- 1 to Cases.of(20000)) {
      val source = sources(random.nextInt(sources.size))
      val changed = (1 to random.nextInt(4)).foldLeft(source.bytes) { (bytes, _) =>
        if (bytes.isEmpty) bytes
        else {
          // mostly in the header
          val at = random.nextInt(if (random.nextInt(3) > 0) math.min(40, bytes.length) else bytes.length)
          random.nextInt(4) match {
            case 0 => bytes.take(at)
            case 1 => bytes.patch(at, Seq(random.nextInt().toByte), 0)
            case _ =>
              bytes.updated(at, (if (random.nextInt(2) == 0) bytes(at) + 1 else random.nextInt()).toByte)
          }
        }
      }
      val before = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
      val result =
        try Some(KllSketch.read(changed, source.domain))
        catch { case r: Refusal if r.condition == "CHRONOSKETCH_NOT_IMPORTABLE" => None }
      val memory = threads.getThreadAllocatedBytes(Thread.currentThread.getId) - before
      assert(memory <= 200L * changed.length + (1 << 20), s"$memory bytes for ${changed.length}")
      result match {
        case None => refused += 1
        case Some(sketch) =>
          read += 1
          val p = sketch.profile
          (0 until p.size).foreach { i =>
            val (low, high) = p.rankBounds(i)
            assert(low >= 1 && low <= high && high <= p.countHigh, s"$low to $high")
            if (i > 0) {
              assert(p.key(i) > p.key(i - 1))
              assert(low >= p.rankLow(i - 1) && high >= p.rankHigh(i - 1))
            }
          }
      }
    }
    assert(read > 100 && refused > 100, s"$read, $refused")
  }
}

private object KllSuite {

  /** A sketch of tests/golden/kll_corpus, of the values from 1 to n. */
  def ofCorpus(domain: Domain, n: Int, language: String): Built = {
    val kind = if (domain == Domain.BigInt) "long" else if (domain == Domain.Double) "double" else "float"
    val bytes = Files.readAllBytes(Golden.folderOf("kll_corpus").resolve(s"kll_${kind}_n${n}_$language.sk"))
    def key(value: Double): Long = DoubleKeys.key(value)
    kind match {
      case "long" =>
        val s = KllLongsSketch.heapify(Memory.wrap(bytes))
        Built(domain, bytes, s, s.getRank(_, INCLUSIVE), () => (s.getMinItem, s.getMaxItem))
      case "double" =>
        val s = KllDoublesSketch.heapify(Memory.wrap(bytes))
        Built(
          domain,
          bytes,
          s,
          at => s.getRank(DoubleKeys.value(at), INCLUSIVE),
          () => (key(s.getMinItem), key(s.getMaxItem))
        )
      case "float" =>
        val s = KllFloatsSketch.heapify(Memory.wrap(bytes))
        Built(
          domain,
          bytes,
          s,
          at => s.getRank(DoubleKeys.value(at).toFloat, INCLUSIVE),
          () => (key(s.getMinItem.toDouble), key(s.getMaxItem.toDouble))
        )
    }
  }

  /** A sketch of the library: its bytes and its answers, which are the rank of a key and the minimum and maximum. */
  final case class Built(
      domain: Domain,
      bytes: Array[Byte],
      library: Library,
      rank: Long => Double,
      ends: () => (Long, Long)
  )
}
