package chronosketch.sliding

import org.scalacheck.Gen

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
