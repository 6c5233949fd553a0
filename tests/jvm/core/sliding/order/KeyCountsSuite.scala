package chronosketch.sliding.order

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.quantile.{GreenwaldKhanna, QuantileRecipe, QuantileSketch, TailCertificate}
import chronosketch.sliding.{FrameGen, Frames, KeyGen}
import chronosketch.summary.{Certificate, Envelope, ExactBag, InsertingRecipe, Inserts, LawsOf, Summary}
import chronosketch.summed.SummedSketch

class KeyCountsSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(150))

  private def bag(keys: Array[Long], copies: Array[Long], from: Int, until: Int): Map[Long, Long] =
    (from until until).map(i => keys(i) -> (if (copies == null) 1L else copies(i))).filter(_._2 > 0)
      .groupMapReduce(_._1)(_._2)(_ + _)

  /** Frames with the key and the number of copies of each element; any of the arrays may be null. */
  private val runs: Gen[List[(Frames, Array[Long], Array[Long])]] = Gen.choose(1, 3).flatMap(
    Gen.listOfN(
      _,
      for {
        (frames, n) <- FrameGen.frames
        keys <- KeyGen.keys(n)
        // so that the total fits into 63 bits
        most <- Gen.oneOf(1L, 5L, 1000L, Long.MaxValue / math.max(1, n))
        copies <- Gen.option(Gen.listOfN(n, Gen.choose(0L, most)).map(_.toArray))
      } yield (frames, keys, copies.orNull)
    )
  )

  property("counts equal those of counting each frame anew, also if rows are skipped") {
    val sliding = new KeyCounts
    forAllNoShrink(runs, Gen.choose(1, 4)) { (runs, every) =>
      runs.foreach { case (frames, keys, copies) =>
        sliding.begin(keys, copies, frames)
        (0 until frames.rows by every).foreach { row =>
          sliding.moveTo(row)
          val seen = bag(keys, copies, frames.from(row), frames.until(row))
          assertEquals(sliding.total, seen.values.sum, s"row $row")
          assertEquals(sliding.distinct, seen.size)
          assertEquals(sliding.exactTuples, seen.values.map(math.min(_, 2L)).sum)
          val (k, c) = (new Array[Long](seen.size), new Array[Long](seen.size))
          sliding.copyTo(k, c)
          assertEquals(k.toSeq.zip(c), seen.toSeq.sortBy(_._1))
          if (seen.nonEmpty) {
            val exact = ExactBag.of(seen)
            val ranks = (1L to 20L).map(i => math.max(1L, exact.count / 20 * i)) :+ exact.count
            (1 to 2).foreach { _ =>
              sliding.rewind()
              assertEquals(ranks.sorted.map(sliding.seek), ranks.sorted.map(exact.at))
            }
          }
        }
      }
    }
  }

  test("a long run with many keys") {
    val random = new SplittableRandom(5)
    val rows = 60000
    val keys = Array.fill(rows)(random.nextInt(1000000).toLong)
    val sliding = new KeyCounts
    for (width <- Seq(3000, rows)) {
      val frames =
        new Frames(Array.tabulate(rows)(i => math.max(0, i + 1 - width)), Array.tabulate(rows)(_ + 1), rows)
      sliding.begin(keys, null, frames)
      (0 until rows).foreach { row =>
        sliding.moveTo(row)
        if (row % 997 == 0) {
          val exact = ExactBag.of(keys.slice(frames.from(row), frames.until(row)))
          (1L to exact.count by 61L).foreach(rank => assertEquals(sliding.seek(rank), exact.at(rank)))
        }
      }
    }
  }

  test("negative frequencies and counts beyond 63 bits are rejected if a row's frame contains them") {
    val sliding = new KeyCounts
    def ask(frames: Frames, copies: Long*): Unit = {
      sliding.begin(Array.range(0, copies.length).map(_.toLong), copies.toArray, frames)
      (0 until frames.rows).foreach(sliding.moveTo)
    }
    val each = new Frames(Array(0, 1, 2), Array(1, 2, 3), 3)
    val pairs = new Frames(Array(0, 1), Array(2, 3), 2)
    ask(each, Long.MaxValue, 1L, Long.MaxValue)
    assertEquals(
      intercept[Refusal](ask(pairs, 3L, Long.MaxValue, 1L)).condition,
      "CHRONOSKETCH_COUNT_OVERFLOW"
    )
    ask(pairs, 3L, Long.MaxValue - 3, 3L)
    assertEquals(intercept[Refusal](ask(each, 3L, 1L, -1L)).condition, "CHRONOSKETCH_INVALID_FREQUENCY")
    ask(new Frames(Array(0), Array(2), 1), 3L, 1L, -1L)
  }

  private def inserted(recipe: InsertingRecipe[Inserts], seen: Map[Long, Long]): Inserts = {
    val summary = recipe.empty
    // in the order in which the counts are read: the bytes of some families depend on it
    seen.toSeq.sorted.foreach { case (key, copies) => summary.insert(key, copies) }
    summary
  }

  /** Asserts that a sketch that was made of counts, and stored, certifies its error, is small, and is exact if inserting is. */
  private def assertQuantiles(
      sketch: GreenwaldKhanna,
      stored: GreenwaldKhanna,
      again: Summary,
      seen: Map[Long, Long],
      where: String
  ): Unit = {
    val exact = ExactBag.of(seen)
    Seq(sketch, stored).foreach { s =>
      val found =
        if (s.family.tail.isEmpty) Certificate.violations(s, exact, merged = false)
        else TailCertificate.violations(s, exact)
      assert(found.isEmpty, s"$where: ${found.mkString("; ")}")
    }
    if (sketch.epsilon == 0 || seen.values.map(math.min(_, 2L)).sum <= 2 / sketch.epsilon)
      assertEquals(Envelope.seal(sketch).toSeq, Envelope.seal(again).toSeq, where)
    // a sketch of a tail has more tuples where fewer may be dropped
    val most = if (sketch.family.tail.isEmpty) 2 / sketch.epsilon + 3 else 2.0 * exact.distinct
    assert(sketch.tuples <= most, s"${sketch.tuples} tuples")
  }

  private val epsilons = Gen.oneOf(0.0, 0.001, 0.05, 0.2, 0.5)

  property("summaries of a frame have valid certificates within epsilon, and are exact if inserting is") {
    val sliding = new KeyCounts
    forAllNoShrink(runs, epsilons) { (runs, epsilon) =>
      runs.foreach { case (frames, keys, copies) =>
        sliding.begin(keys, copies, frames)
        (0 until frames.rows by 7).foreach { row =>
          sliding.moveTo(row)
          val seen = bag(keys, copies, frames.from(row), frames.until(row))
          // the quantile sketch reads counts by a way of its own; all others read them in one way, so each has a turn
          val (ranked, others) = LawsOf.inserting.partition(_.family == QuantileSketch)
          (ranked ++ Cases.turn(row / 7 + frames.rows, others)).foreach { laws =>
            val numbers =
              laws.family.parameters.map(p => if (p.name == "epsilon") epsilon else p.default)
            val recipe = laws.inserting.recipe(Domain.BigInt, numbers)
            val summary = recipe.ofCounts(sliding)
            val bytes = Envelope.seal(summary)
            val again = inserted(recipe, seen)
            assertEquals(summary.count, again.count)
            (summary, Families.open(bytes), again) match {
              case (sketch: GreenwaldKhanna, stored: GreenwaldKhanna, _) =>
                assertQuantiles(sketch, stored, again, seen, s"row $row")
              case (sketch: SummedSketch, stored: SummedSketch, other: SummedSketch) =>
                assertQuantiles(
                  sketch.quantileSketch,
                  stored.quantileSketch,
                  other.quantileSketch,
                  seen,
                  s"row $row"
                )
                assertEquals(Envelope.seal(sketch.moments).toSeq, Envelope.seal(other.moments).toSeq)
              case _ => assertEquals(bytes.toSeq, Envelope.seal(again).toSeq)
            }
          }
        }
      }
    }
  }

  property("a summary made of counts can take further keys, and can be merged into another") {
    val sliding = new KeyCounts
    val cases = for {
      n <- Gen.choose(1, 2000)
      keys <- KeyGen.keys(n)
      more <- Gen.choose(0, 3000).flatMap(KeyGen.keys)
      epsilon <- Gen.oneOf(0.01, 0.1)
    } yield (keys, more, epsilon)
    forAllNoShrink(cases) { case (keys, more, epsilon) =>
      sliding.begin(keys, null, new Frames(Array(0), Array(keys.length), 1))
      sliding.moveTo(0)
      def made = QuantileRecipe(Domain.BigInt, epsilon).ofCounts(sliding)
      val all = ExactBag.of(keys ++ more)
      val longer = made
      more.foreach(longer.insert(_))
      val other = new GreenwaldKhanna(Domain.BigInt, epsilon)
      more.foreach(other.insert(_))
      other.merge(made)
      assertEquals(Certificate.violations(longer, all, merged = false), Nil)
      assertEquals(Certificate.violations(other, all, merged = true), Nil)
    }
  }
}
