package chronosketch.sliding.fold

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.ddsketch.DDSketchRecipe
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.Phi
import chronosketch.sliding.{FrameGen, Frames}
import chronosketch.summary.{Envelope, Ranked, Summary}

class FewValuesSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(300))

  private var acceptedCases = 0

  // one for all runs: nothing may remain from the last
  private val few = new FewValues

  private def stored(keys: Seq[Long], domain: Domain = Domain.BigInt, epsilon: Double = 0.01): Array[Byte] = {
    val sketch = new GreenwaldKhanna(domain, epsilon)
    keys.foreach(sketch.insert(_))
    Envelope.seal(sketch)
  }

  /** Adds the elements until one is declined, then begins the rows. Returns whether all were accepted. */
  private def accepts(elements: Seq[Seq[Array[Byte]]], frames: Frames): Boolean = {
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

  private def assertSameBytes(summary: Summary, other: Summary, row: Int): Unit = {
    assertEquals(Envelope.seal(summary).toSeq, Envelope.seal(other).toSeq, s"row $row")
    assertEquals(summary.count, other.count)
    val (of, from) = (summary.asInstanceOf[Ranked], other.asInstanceOf[Ranked])
    if (summary.count > 0)
      Seq(0.0, 0.3, 0.5, 1.0).map(Phi(_)).foreach(phi => assertEquals(of.quantile(phi), from.quantile(phi)))
  }

  property("every row's union equals the merged sketches, to the byte") {
    forAllNoShrink(FrameGen.frames, Gen.choose(1, 3), Gen.choose(0, 6), Gen.choose(0, 3), Gen.long) {
      case ((frames, n), most, values, kind, seed) =>
        val random = new SplittableRandom(seed)
        val elements = Seq.fill(n)(
          Seq.fill(1 + random.nextInt(most))(stored(Seq.fill(random.nextInt(values + 1))(key(random, kind))))
        )
        val areFew = accepts(elements, frames)
        if (areFew) {
          acceptedCases += 1
          val whole = elements.map(unionOf)
          val folds = new TwoStacks[Summary]
          folds.begin(frames, new SketchFold(whole(_)))
          (0 until frames.rows).foreach { row =>
            val (ours, theirs) = (few.next(), folds.next())
            assertEquals(ours == null, theirs == null, s"row $row")
            if (ours != null) assertSameBytes(ours, theirs, row)
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

  test("FewValues accepts most of the generated cases") {
    assert(acceptedCases > Cases.of(300) / 2, acceptedCases)
  }

  test("a row of 2/ε values is accepted, one with a value more is not, over a thousand slides") {
    val at = (0 until 1200).map(i => Seq(stored(Seq(i * 7919L % 1201))))
    def sliding(n: Int) =
      new Frames(Array.tabulate(1201 - n)(identity), Array.tabulate(1201 - n)(_ + n), 1201 - n)
    assert(!accepts(at, sliding(201)))
    assert(accepts(at, sliding(200)))
    (0 until 1001).foreach { i =>
      assertSameBytes(few.next(), Families.open(unionOf(at.slice(i, i + 200).map(_.head))), i)
    }
  }

  test("sketches that do not store their values, have many copies or are of another kind are declined") {
    val some = stored(Seq(1L, 2L))
    val summarised = stored((1L to 5000L))
    val logs = DDSketchRecipe(Domain.BigInt, 0.01).empty
    logs.insert(3L)
    assert(accepts(Seq(Seq(some)), whole(1)))
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
    ).foreach(elements => assert(!accepts(elements, whole(elements.length))))
    // it can be used again afterwards
    assert(accepts(Seq(Seq(some, some)), whole(1)))
    assertSameBytes(few.next(), Families.open(unionOf(Seq(some, some))), 0)
  }

  test("sketches with ε = 0 and empty sketches") {
    val exact =
      Seq(stored(Seq(5L, 3L), epsilon = 0.0), stored(Nil, epsilon = 0.0), stored(Seq(4L), epsilon = 0.0))
    assert(accepts(exact.map(Seq(_)), whole(3)))
    assertSameBytes(few.next(), Families.open(unionOf(exact)), 0)
    assert(accepts(Seq(Seq(stored(Nil))), whole(1)))
    assertSameBytes(few.next(), Families.open(stored(Nil)), 0)
  }

  test("bytes that are not a sketch are rejected") {
    few.clear()
    val bytes = stored(Seq(1L))
    intercept[Refusal](few.add(bytes.updated(bytes.length - 6, (bytes(bytes.length - 6) ^ 1).toByte)))
    intercept[Refusal](few.add(Array[Byte](1, 2, 3)))
  }
}
