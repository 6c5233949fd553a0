package chronosketch.sliding

import org.scalacheck.Gen

/** Generates frames of every shape: sliding, growing, shrinking, leaping, constant, empty. */
object FrameGen {
  private def walk(rows: Int): Gen[List[Int]] = for {
    stillness <- Gen.choose(0, 9)
    leap <- Gen.oneOf(1, 1, 2, 10)
    steps <- Gen.listOfN(
      rows,
      Gen.choose(0, 9).flatMap(x => if (x < stillness) Gen.const(0) else Gen.choose(1, leap))
    )
  } yield steps.scanLeft(0)(_ + _).tail

  private def sliding(rows: Int): Gen[(List[Int], List[Int])] = for {
    back <- Gen.oneOf(Gen.choose(0, 5), Gen.choose(0, rows + 1))
    width <- Gen.oneOf(Gen.choose(0, 5), Gen.choose(0, rows + 1))
  } yield {
    def within(i: Int): Int = math.max(0, math.min(rows, i))
    (List.tabulate(rows)(i => within(i - back)), List.tabulate(rows)(i => within(i - back + width)))
  }

  /** Frames, and the number of their elements. */
  val frames: Gen[(Frames, Int)] = for {
    rows <- Gen.oneOf(Gen.choose(0, 8), Gen.choose(0, 200))
    walked = for { a <- walk(rows); b <- walk(rows); shift <- Gen.choose(0, 20) } yield (a, b.map(_ + shift))
    whole = Gen.choose(0, rows).map(n => (List.fill(rows)(0), List.fill(rows)(n)))
    grown = walk(rows).map(b => (List.fill(rows)(0), b))
    shrunk = walk(rows).map(a => (a, List.fill(rows)(a.lastOption.getOrElse(0))))
    (a, b) <- Gen.frequency(4 -> walked, 4 -> sliding(rows), 1 -> whole, 1 -> grown, 1 -> shrunk)
    behind <- Gen.choose(0, 3)
  } yield {
    val from = a.toArray
    val until = a.zip(b).map { case (x, y) => math.max(x, y) }.toArray
    (new Frames(from, until, rows), until.lastOption.getOrElse(0) + behind)
  }
}
