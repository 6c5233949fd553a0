package chronosketch.interchange

import java.nio.file.{Files, Path, Paths, StandardOpenOption}
import java.util.SplittableRandom

import scala.jdk.CollectionConverters._

import org.apache.datasketches.kll.{KllDoublesSketch, KllFloatsSketch, KllLongsSketch}
import org.apache.datasketches.memory.Memory
import org.apache.datasketches.quantilescommon.QuantileSearchCriteria.INCLUSIVE
import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.codec.Golden
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.quantile.{GreenwaldKhanna, QuantileRecipe}
import chronosketch.rank.Phi
import chronosketch.summary.{Certificate, Envelope, ExactBag, Ranked}

/** Writes KLL sketches and asks the library, which must be right within the error that it claims for them. */
class KllExportSuite extends CheckSuite {
  import KllExportSuite._

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(200))

  private def built(domain: Domain, epsilon: Double, keys: Array[Long]): GreenwaldKhanna = {
    val s = QuantileRecipe(domain, epsilon).empty
    keys.foreach(s.insert(_))
    s
  }

  /** The greatest rank error of the library's answers, as a share of n, and the error that it claims. */
  private def errors(read: Read, bag: ExactBag): (Double, Double) = {
    val n = bag.count.toDouble
    val quantiles =
      Certificate.phis.map(phi => bag.error(read.quantile(phi.decimal.doubleValue), phi.rank(bag.count)) / n)
    val step = math.max(1, bag.keys.length / 500)
    val ranks = (0 until bag.keys.length by step).map(bag.keys(_)).map { key =>
      math.abs(read.rank(key) - bag.rank(key) / n)
    }
    ((quantiles ++ ranks).max, read.claimed)
  }

  /** Checks that an imported sketch answers what the library answers, between the minimum and the maximum. */
  private def assertSameAnswers(read: Read, back: ImportedSketch): Unit =
    (0L to 30L).map(i => 2 + i * (read.n - 3) / 30).filter(r => r > 1 && r < read.n).foreach { rank =>
      val q = (rank - 0.5) / read.n
      assertEquals(back.quantile(Phi(q)), read.quantile(q), s"rank $rank of ${read.n}")
    }

  private val cases = for {
    domain <- Gen.oneOf(Domain.Double, Domain.Float, Domain.BigInt, Domain.Int, Domain.TinyInt)
    epsilon <- Gen.oneOf(0.0, 1e-4, 1e-3, 0.01, 0.1)
    k <- Gen.oneOf(None, Some(8), Some(20), Some(200), Some(1000), Some(65535))
    n <- Gen.oneOf(Seq(0, 1, 2, 3, 7, 8, 9, 19, 20, 21, 199, 200, 201, 999, 1000, 1001, 5000, 40000))
    shape <- Gen.choose(0, 3)
    seed <- Gen.long
  } yield {
    val random = new SplittableRandom(seed)
    val distinct = random.nextInt(1, 100)
    def number(i: Int): Double = shape match {
      case 0 => random.nextDouble() * 1e6 - 5e5
      case 1 => math.exp(8 * random.nextDouble() * random.nextDouble())
      case 2 => i.toDouble
      case _ =>
        val ends = Array(Double.NegativeInfinity, Double.PositiveInfinity, 0.0, -0.0, Double.MinPositiveValue)
        if (random.nextInt(20) == 0) ends(random.nextInt(ends.length)) else random.nextInt(distinct).toDouble
    }
    val values = Array.tabulate(n)(number)
    val keys = domain match {
      case Domain.Double => values.map(DoubleKeys.key)
      case Domain.Float => values.map(v => DoubleKeys.key(v.toFloat.toDouble))
      case _ => values.map(v => math.max(domain.least, math.min(domain.greatest, v.toLong)))
    }
    (domain, epsilon, k, keys)
  }

  property("the library answers within the error that it claims; count, minimum and maximum are exact") {
    forAll(cases) { case (domain, epsilon, k, keys) =>
      val sketch = built(domain, epsilon, keys)
      val bytes = KllExport.write(sketch, k)
      val bag = ExactBag.of(keys)
      val read = Read(domain, bytes)
      assertEquals(read.n, bag.count)
      if (keys.nonEmpty) {
        assertEquals(read.ends, (bag.keys.head, bag.keys.last))
        val (error, claimed) = errors(read, bag)
        assert(error <= claimed, s"$error, claimed $claimed")
        if (sketch.profile.isExact && k.exists(keys.length <= _)) assertEquals(error, 0.0)
      }
      // the same sketch, stored and read
      val again = KllExport.write(Families.open(Envelope.seal(sketch)).asInstanceOf[Ranked], k)
      assertEquals(again.toSeq, bytes.toSeq)
      // and back
      val items = if (domain.isFloating) domain else Domain.BigInt
      val back = KllSketch.read(bytes, items)
      assertEquals(Certificate.unbounded(back.profile, bag), Nil)
      assertEquals(back.count, bag.count)
      assertSameAnswers(read, back)
      k.foreach(k => assert(bytes.length <= 20 + 4 * 61 + 8 * (k + 64), s"${bytes.length} bytes"))
    }
  }

  property("sketches that the library merged are within the error that it claims") {
    val many = for {
      parts <- Gen.oneOf(2, 5, 30)
      epsilon <- Gen.oneOf(1e-3, 0.01)
      k <- Gen.oneOf(None, Some(200))
      seed <- Gen.long
    } yield (parts, epsilon, k, seed)
    // each question is right with a probability of 99 %: 16 questions a case
    var asked, wrong = 0
    val result = forAll(many) { case (parts, epsilon, k, seed) =>
      val random = new SplittableRandom(seed)
      val values = Seq.fill(parts)(Array.fill(random.nextInt(1, 20000))(math.exp(4 * random.nextDouble())))
      val sketches = values.map(part =>
        KllDoublesSketch.heapify(
          Memory.wrap(KllExport.write(built(Domain.Double, epsilon, part.map(DoubleKeys.key)), k))
        )
      )
      val merged = sketches.head
      sketches.tail.foreach(merged.merge(_))
      val bag = ExactBag.of(values.flatten.toArray.map(DoubleKeys.key))
      val read = Read(Domain.Double, merged.toByteArray)
      assertEquals(read.n, bag.count)
      val back = KllSketch.read(merged.toByteArray, Domain.Double)
      assertSameAnswers(read, back)
      Certificate.phis.foreach { phi =>
        val rank = phi.rank(bag.count)
        val errors = Seq(
          bag.error(read.quantile(phi.decimal.doubleValue), rank),
          bag.error(back.quantile(phi), rank)
        )
        asked += 1
        if (errors.max > read.claimed * bag.count) wrong += 1
        // twice as much has a probability of 1 in 4 million
        assert(errors.max <= 2 * read.claimed * bag.count, s"$errors, claimed ${read.claimed * bag.count}")
      }
      assert(wrong <= 0.01 * asked + 4 * math.sqrt(0.01 * asked) + 1, s"$wrong of $asked")
    }
    result
  }

  test("a million values: the library is within twice epsilon, and claims more than the truth") {
    val n = 1000003
    val random = new SplittableRandom(5)
    val keys = Array.fill(n)(DoubleKeys.key(math.exp(10 * random.nextDouble() * random.nextDouble())))
    val bag = ExactBag.of(keys)
    Seq(1e-4, 1e-3, 0.01).foreach { epsilon =>
      val bytes = KllExport.write(built(Domain.Double, epsilon, keys), None)
      val (error, claimed) = errors(Read(Domain.Double, bytes), bag)
      assert(error <= 2 * epsilon && 2 * error <= claimed && claimed <= 4.1 * epsilon, s"$error, $claimed")
      assert(bytes.length <= 8 / epsilon + 400, s"${bytes.length} bytes")
    }
  }

  test("golden files: the same sketches give the same bytes") {
    val written = KllGolden.all
    assert(written.length > 20, s"${written.length}")
    written.foreach { case (name, bytes) =>
      assertEquals(bytes.toSeq, Files.readAllBytes(KllGolden.folder.resolve(name)).toSeq, name)
    }
  }

  test("types without a KLL sketch, NaN, and errors beyond those of any k are refused") {
    def refused(sketch: Ranked): (String, String) = {
      val refusal = intercept[Refusal] { KllExport.write(sketch, None); () }
      assertEquals(refusal.condition, "CHRONOSKETCH_NOT_EXPORTABLE")
      (refusal.parameters("what"), refusal.parameters("fix"))
    }
    assertEquals(refused(built(Domain.decimal(9, 2), 0.01, Array(5L)))._1, "values of type DECIMAL(9,2)")
    assert(refused(built(Domain.Date, 0.01, Array.emptyLongArray))._2.contains("unix_date(value)"))
    assertEquals(refused(built(Domain.Double, 0.01, Array(DoubleKeys.NaN)))._1, "values that are NaN")
    val wide = ImportedHistogram.of(
      Array(DoubleKeys.key(1.0), DoubleKeys.key(2.0)),
      Array(0L, 10L, 0L),
      Limits(Domain.Double, None, None, _.toString)
    )
    assertEquals(refused(wide)._1, "ranks that may be 60.0% off")
  }
}

/** Writes the KLL sketches of the golden files: tests/golden/kll/name.bin, and with k = 20 name_20.bin. They are written once and must
  * always be written like that. `./sbt "core/Test/runMain chronosketch.interchange.KllGolden"` adds those of new files.
  */
object KllGolden {
  val folder: Path = Paths.get("tests", "golden", "kll")

  /** The names of the files and their bytes, for each sketch that KLL can hold. */
  def all: Seq[(String, Array[Byte])] = {
    val stream = Files.newDirectoryStream(Golden.folder, "*.bin")
    val sketches =
      try stream.asScala.toSeq.sortBy(_.toString)
      finally stream.close()
    sketches.flatMap { file =>
      val name = file.getFileName.toString.stripSuffix(".bin")
      Families.open(Files.readAllBytes(file)) match {
        case sketch: Ranked =>
          Seq(name -> None, s"${name}_20" -> Some(20)).flatMap { case (name, k) =>
            try Some(s"$name.bin" -> KllExport.write(sketch, k))
            catch { case _: Refusal => None }
          }
        case _ => Nil
      }
    }
  }

  def main(arguments: Array[String]): Unit = {
    Files.createDirectories(folder)
    all.filterNot { case (name, _) => Files.exists(folder.resolve(name)) }.foreach { case (name, bytes) =>
      Files.write(folder.resolve(name), bytes, StandardOpenOption.CREATE_NEW)
      println(s"$name: ${bytes.length} bytes")
    }
  }
}

private object KllExportSuite {

  /** The library's answers from bytes, in keys. */
  final case class Read(
      n: Long,
      claimed: Double,
      quantile: Double => Long,
      rank: Long => Double,
      private val extremes: () => (Long, Long)
  ) {
    def ends: (Long, Long) = extremes()
  }

  object Read {
    def apply(domain: Domain, bytes: Array[Byte]): Read = domain match {
      case Domain.Double =>
        val s = KllDoublesSketch.heapify(Memory.wrap(bytes))
        Read(
          s.getN,
          s.getNormalizedRankError(false),
          q => DoubleKeys.key(s.getQuantile(q, INCLUSIVE)),
          k => s.getRank(DoubleKeys.value(k), INCLUSIVE),
          () => (DoubleKeys.key(s.getMinItem), DoubleKeys.key(s.getMaxItem))
        )
      case Domain.Float =>
        val s = KllFloatsSketch.heapify(Memory.wrap(bytes))
        Read(
          s.getN,
          s.getNormalizedRankError(false),
          q => DoubleKeys.key(s.getQuantile(q, INCLUSIVE).toDouble),
          k => s.getRank(DoubleKeys.value(k).toFloat, INCLUSIVE),
          () => (DoubleKeys.key(s.getMinItem.toDouble), DoubleKeys.key(s.getMaxItem.toDouble))
        )
      case _ =>
        val s = KllLongsSketch.heapify(Memory.wrap(bytes))
        Read(
          s.getN,
          s.getNormalizedRankError(false),
          q => s.getQuantile(q, INCLUSIVE),
          k => s.getRank(k, INCLUSIVE),
          () => (s.getMinItem, s.getMaxItem)
        )
    }
  }
}
