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

/** Generates keys of every kind: ties, extremes, runs, clusters, outliers. */
object KeyGen {
  private val one: Gen[Gen[Long]] = Gen.oneOf(
    Gen.long,
    Gen.choose(-3L, 3L),
    Gen.const(7L),
    Gen.oneOf(Long.MinValue, -1L, 0L, 1L, Long.MaxValue),
    Gen.choose(0L, 1000L),
    Gen.frequency(20 -> Gen.choose(0L, 1000L), 1 -> Gen.long),
    Gen.choose(0, 63).flatMap(shift => Gen.long.map(_ >>> shift)),
    Gen.oneOf(Long.MinValue, 0L, Long.MaxValue - 9).flatMap(near => Gen.choose(0L, 9L).map(near + _))
  )

  def keys(n: Int): Gen[Array[Long]] = for {
    kind <- one
    drawn <- Gen.listOfN(n, kind).map(_.toArray)
    order <- Gen.oneOf("drawn", "drawn", "rising", "falling", "zigzag")
  } yield {
    val rising = drawn.sorted
    order match {
      case "drawn" => drawn
      case "rising" => rising
      case "falling" => rising.reverse
      case "zigzag" => Array.tabulate(n)(i => if (i % 2 == 0) rising(i / 2) else rising(n - 1 - i / 2))
    }
  }
}

/** Generates elements with edge cases, for the frames of another generator. */
object ColumnGen {
  private val longs: Gen[Gen[Long]] = Gen.oneOf(
    Gen.choose(-3L, 3L),
    Gen.choose(Long.MinValue, Long.MaxValue),
    Gen.oneOf(Long.MinValue, Long.MaxValue, -1L, 0L, 1L),
    Gen.const(Long.MaxValue),
    Gen.const(Long.MinValue)
  )

  private val near = Gen.choose(-1.0, 1.0)

  /** Finite values whose distances have fourth powers that neither overflow nor underflow. */
  private val moderate: Gen[Gen[Double]] = Gen.oneOf(
    near,
    Gen.choose(-3, 3).map(_.toDouble),
    near.map(1e9 + _),
    near.map(-1e15 + _),
    Gen.oneOf(0.1, 0.1 + 1e-10),
    Gen.const(0.1),
    Gen.const(1e9 + 0.1),
    Gen.oneOf(-0.0, 0.0),
    Gen.frequency(9 -> near, 1 -> Gen.const(1e12)),
    Gen.choose(-20.0, 20.0).map(math.pow(10, _))
  )

  private def with1e300(gen: Gen[Double]): Gen[Double] =
    Gen.frequency(8 -> gen, 1 -> Gen.oneOf(1e300, -1e300))

  private def withSpecial(gen: Gen[Double]): Gen[Double] =
    Gen.frequency(
      16 -> gen,
      1 -> Gen.oneOf(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, -0.0)
    )

  private val doubles: Gen[Gen[Double]] = moderate.flatMap(gen =>
    Gen.frequency(3 -> gen, 1 -> with1e300(gen), 1 -> withSpecial(gen), 1 -> withSpecial(with1e300(gen)))
  )

  /** Frames with their elements. */
  val ofLongs: Gen[(Frames, Array[Long])] = for {
    (frames, n) <- FrameGen.frames
    gen <- longs
    values <- Gen.listOfN(n, gen)
  } yield (frames, values.toArray)

  val ofDoubles: Gen[(Frames, Array[Double])] = for {
    (frames, n) <- FrameGen.frames
    gen <- doubles
    values <- Gen.listOfN(n, gen)
  } yield (frames, values.toArray)

  val ofPairs: Gen[(Frames, Array[Double], Array[Double])] = for {
    (frames, xs) <- ofDoubles
    gen <- doubles
    others <- Gen.listOfN(xs.length, gen)
    slope <- Gen.oneOf(0.0, 0.0, 1.0, -2.5)
  } yield (frames, xs, others.zip(xs).map { case (y, x) => if (slope == 0) y else y + slope * x }.toArray)

  /** Rows whose frames are not empty. */
  def rows(frames: Frames): Seq[Int] = (0 until frames.rows).filter(i => frames.from(i) < frames.until(i))
}
