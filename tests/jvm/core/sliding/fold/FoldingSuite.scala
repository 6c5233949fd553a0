package chronosketch.sliding.fold

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.domain.Domain
import chronosketch.quantile.{GreenwaldKhanna, QuantileSketch}
import chronosketch.sliding.{FrameGen, Frames}
import chronosketch.summary.{Certificate, Envelope, ExactBag, Summary}

class FoldingSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(80))

  private def slide[A <: AnyRef](folds: Folding[A], frames: Frames, fold: Fold[A])(
      answer: (Int, A) => Unit
  ): Unit = {
    folds.begin(frames, fold)
    (0 until frames.rows).foreach { row =>
      assertEquals(folds.at, row)
      val joint = folds.next()
      assertEquals(joint == null, frames.from(row) == frames.until(row), s"row $row")
      if (joint != null) answer(row, joint)
    }
    folds.end()
  }

  /** The free monoid: merging concatenates words, so that no information is lost. Element i is the word with the only letter i. */
  private final class Word(var letters: Vector[Int])

  private final class Words extends Fold[Word] {
    def element(i: Int): Word = new Word(Vector(i))
    def copy(joint: Word): Word = new Word(joint.letters)
    def merge(older: Word, newer: Word): Word = {
      older.letters = older.letters ++ newer.letters
      older
    }
  }

  // one of each for all runs: nothing may remain from the last
  private val all = Seq(new TwoStacks[Word], new Daba[Word])

  private def holds(frames: Frames): Unit = {
    for (folds <- all)
      slide(folds, frames, new Words) { (row, joint) =>
        assert(joint.letters == (frames.from(row) until frames.until(row)), s"row $row: ${joint.letters}")
      }
  }

  property("every row's elements, each once and in their order") {
    forAllNoShrink(FrameGen.frames) { case (frames, _) => holds(frames) }
  }

  private def sliding(rows: Int, longest: Int, step: Int): Frames = new Frames(
    Array.tabulate(rows)(i => math.max(0, i - longest + 1) / step * step),
    Array.tabulate(rows)(_ + 1),
    rows
  )

  test("blocks longer than a chunk") {
    for (longest <- Seq(256, 257, 600); step <- Seq(1, 7, 100, 300)) holds(sliding(1500, longest, step))
  }

  /** Checks the number of stored aggregates whenever it may have grown. */
  private final class Counts(folds: TwoStacks[java.lang.Long], longest: Int) extends Fold[java.lang.Long] {
    var merges = 0
    def check(others: Int): Unit = assert(folds.storedAggregates + others <= TwoStacks.mostAlive(longest))
    def element(i: Int): java.lang.Long = { check(3); 1L }
    def copy(joint: java.lang.Long): java.lang.Long = { check(3); joint }
    def merge(older: java.lang.Long, newer: java.lang.Long): java.lang.Long = {
      check(3)
      merges += 1
      older + newer
    }
  }

  test("a long block stores few aggregates, for one more merge per row") {
    val folds = new TwoStacks[java.lang.Long]
    for (longest <- Seq(1, 100, 256, 257, 5000, 100000)) {
      val rows = 3 * longest
      val counts = new Counts(folds, longest)
      slide(folds, sliding(rows, longest, 1), counts)((_, _) => counts.check(2))
      assertEquals(folds.storedAggregates, 0)
      assert(counts.merges <= (if (longest <= 256) 3 else 4) * rows, s"${counts.merges} merges, $rows rows")
    }
    assert(TwoStacks.mostAlive(1000000) < 2010)
  }

  test("no row has to wait for more than a few merges, however long the frame") {
    for (longest <- Seq(1, 2, 100, 5000)) {
      var merges = 0
      var worst = 0
      val fold = new Fold[java.lang.Long] {
        def element(i: Int): java.lang.Long = 1L
        def copy(joint: java.lang.Long): java.lang.Long = joint
        def merge(older: java.lang.Long, newer: java.lang.Long): java.lang.Long = {
          merges += 1
          older + newer
        }
      }
      slide(new Daba[java.lang.Long], sliding(3 * longest, longest, 1), fold) { (row, joint) =>
        assertEquals(joint.longValue, math.min(row + 1, longest).toLong)
        worst = math.max(worst, merges)
        merges = 0
      }
      assert(worst <= 6, s"$worst merges, of $longest elements")
    }
  }

  test("a frame is merged once for all rows that have it") {
    val folds = new TwoStacks[java.lang.Long]
    val peers =
      new Frames(Array.tabulate(400)(i => math.max(0, i / 4 - 9)), Array.tabulate(400)(_ / 4 + 1), 400)
    val counts = new Counts(folds, 10)
    slide(folds, peers, counts)((_, _) => counts.check(2))
    assert(counts.merges <= 3 * 100)
  }

  property("unions of stored sketches have valid certificates for the elements of a row's frame") {
    val cases = for {
      (frames, n) <- FrameGen.frames
      epsilon <- Gen.oneOf(0.0, 0.01, 0.1)
      most <- Gen.oneOf(1, 30)
      bags <- Gen.listOfN(n, Gen.choose(0, most).flatMap(Gen.listOfN(_, Gen.choose(0L, 99L))))
    } yield (frames, epsilon, bags.map(_.toArray).toArray)
    forAllNoShrink(cases) { case (frames, epsilon, bags) =>
      val sketches = bags.map { keys =>
        val sketch = new GreenwaldKhanna(Domain.BigInt, epsilon)
        keys.foreach(sketch.insert(_))
        Envelope.seal(sketch)
      }
      for (folds <- Seq(new TwoStacks[Summary], new Daba[Summary]))
        slide(folds, frames, new SketchFold(sketches(_))) { (row, joint) =>
          val seen = ExactBag.of(bags.slice(frames.from(row), frames.until(row)).flatten)
          val violations = Certificate.violations(QuantileSketch.own(joint).profile, seen)
          assert(violations.isEmpty, s"row $row: ${violations.mkString("; ")}")
        }
    }
  }

  test("an element that cannot be decoded or merged is rejected") {
    val sketch = new GreenwaldKhanna(Domain.BigInt, 0.1)
    val date = new GreenwaldKhanna(Domain.Date, 0.1)
    // an empty sketch would merge with any other
    Seq(sketch, date).foreach(_.insert(1L))
    val frames = new Frames(Array(0, 0), Array(1, 2), 2)
    for {
      folds <- Seq(new TwoStacks[Summary], new Daba[Summary])
      other <- Seq(Array[Byte](1, 2), Envelope.seal(date))
    } {
      intercept[Refusal](
        slide(folds, frames, new SketchFold(Seq(Envelope.seal(sketch), other)))((_, _) => ())
      )
      slide(folds, frames, new SketchFold(_ => Envelope.seal(sketch)))((_, _) => ())
    }
  }
}
