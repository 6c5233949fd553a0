package chronosketch.sliding

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, Refusal}
import chronosketch.ddsketch.DDSketchRecipe
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.Phi
import chronosketch.sliding.fold.{FewValues, Folds, SketchFold}
import chronosketch.summary.{Envelope, Ranked, Summary}

class FewValuesSuite extends munit.ScalaCheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(300))

  private var taken = 0

  // one for all runs: nothing is left of the last
  private val few = new FewValues

  private def stored(keys: Seq[Long], domain: Domain = Domain.BigInt, epsilon: Double = 0.01): Array[Byte] = {
    val sketch = new GreenwaldKhanna(domain, epsilon)
    keys.foreach(sketch.insert(_))
    Envelope.seal(sketch)
  }

  /** The parts of each element, as far as they are taken, then the rows. */
  private def takes(elements: Seq[Seq[Array[Byte]]], frames: Frames): Boolean = {
    few.clear()
    elements.forall(parts => parts.forall(few.add) && few.endElement()) && few.begin(frames)
  }

  private def whole(n: Int): Frames = new Frames(Array(0), Array(n), 1)

  private def key(random: SplittableRandom, kind: Int): Long = kind match {
    case 0 => random.nextLong(-30L, 30L)
    case 1 => random.nextLong()
    case 2 => if (random.nextInt(9) == 0) Long.MaxValue else Long.MinValue + random.nextInt(2)
    case _ => DoubleKeys.key(math.exp(random.nextDouble(-9.0, 9.0)))
  }

  private def unionOf(parts: Seq[Array[Byte]]): Array[Byte] =
    Envelope.seal(parts.map(Families.open).reduceLeft { (into, part) => into.merge(part); into })

  private def isThat(summary: Summary, other: Summary, row: Int): Unit = {
    assertEquals(Envelope.seal(summary).toSeq, Envelope.seal(other).toSeq, s"row $row")
    assertEquals(summary.count, other.count)
    val (of, from) = (summary.asInstanceOf[Ranked], other.asInstanceOf[Ranked])
    if (summary.count > 0)
      Seq(0.0, 0.3, 0.5, 1.0).map(Phi(_)).foreach(phi => assertEquals(of.quantile(phi), from.quantile(phi)))
  }

  property("every row's union is that of merging, to the byte") {
    forAllNoShrink(FrameGen.frames, Gen.choose(1, 3), Gen.choose(0, 6), Gen.choose(0, 3), Gen.long) {
      case ((frames, n), most, values, kind, seed) =>
        val random = new SplittableRandom(seed)
        val elements = Seq.fill(n)(
          Seq.fill(1 + random.nextInt(most))(stored(Seq.fill(random.nextInt(values + 1))(key(random, kind))))
        )
        val areFew = takes(elements, frames)
        if (areFew) {
          taken += 1
          val whole = elements.map(unionOf)
          val folds = new Folds[Summary]
          folds.begin(frames, new SketchFold(whole(_)))
          (0 until frames.rows).foreach { row =>
            val (ours, theirs) = (few.next(), folds.next())
            assertEquals(ours == null, theirs == null, s"row $row")
            if (ours != null) isThat(ours, theirs, row)
          }
          few.begin(frames)
          folds.begin(frames, new SketchFold(whole(_)))
          (0 until frames.rows).foreach { row =>
            val theirs = folds.next()
            val expected = if (theirs == null) null else Envelope.seal(theirs).toSeq
            assertEquals(Option(few.nextSealed()).map(_.toSeq).orNull, expected, s"row $row")
          }
        }
        true
    }
  }

  test("most of these were taken") {
    assert(taken > Cases.of(300) / 2, taken)
  }

  test("a row of 2/ε values is taken, one of a value more is not; a thousand slides of them") {
    val at = (0 until 1200).map(i => Seq(stored(Seq(i * 7919L % 1201))))
    def sliding(n: Int) =
      new Frames(Array.tabulate(1201 - n)(identity), Array.tabulate(1201 - n)(_ + n), 1201 - n)
    assert(!takes(at, sliding(201)))
    assert(takes(at, sliding(200)))
    (0 until 1001).foreach { i =>
      isThat(few.next(), Families.open(unionOf(at.slice(i, i + 200).map(_.head))), i)
    }
  }

  test("what does not keep its values, or has many copies, or is of another kind is declined") {
    val some = stored(Seq(1L, 2L))
    val summarised = stored((1L to 5000L))
    val logs = DDSketchRecipe(Domain.BigInt, 0.01).empty
    logs.insert(3L)
    assert(takes(Seq(Seq(some)), whole(1)))
    Seq(
      Seq(Seq(summarised)),
      Seq(Seq(some), Seq(summarised)),
      Seq(Seq(stored(Seq.fill(50)(1L)))),
      Seq(Seq(Envelope.seal(logs))),
      Seq(Seq(some), Seq(Envelope.seal(logs))),
      Seq(Seq(some), Seq(stored(Seq(1L), Domain.Int))),
      Seq(Seq(stored(Nil)), Seq(stored(Seq(1L), Domain.Int))),
      Seq(Seq(stored(Nil), stored(Nil, epsilon = 0.02))),
      Seq(Seq(some), Seq(stored(Seq(1L), epsilon = 0.02)))
    ).foreach(elements => assert(!takes(elements, whole(elements.length))))
    // and it serves again
    assert(takes(Seq(Seq(some, some)), whole(1)))
    isThat(few.next(), Families.open(unionOf(Seq(some, some))), 0)
  }

  test("an epsilon of 0, and sketches of nothing") {
    val exact =
      Seq(stored(Seq(5L, 3L), epsilon = 0.0), stored(Nil, epsilon = 0.0), stored(Seq(4L), epsilon = 0.0))
    assert(takes(exact.map(Seq(_)), whole(3)))
    isThat(few.next(), Families.open(unionOf(exact)), 0)
    assert(takes(Seq(Seq(stored(Nil))), whole(1)))
    isThat(few.next(), Families.open(stored(Nil)), 0)
  }

  test("bytes that are no sketch are refused") {
    few.clear()
    val bytes = stored(Seq(1L))
    intercept[Refusal](few.add(bytes.updated(bytes.length - 6, (bytes(bytes.length - 6) ^ 1).toByte)))
    intercept[Refusal](few.add(Array[Byte](1, 2, 3)))
  }
}
