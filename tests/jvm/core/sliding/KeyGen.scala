package chronosketch.sliding

import org.scalacheck.Gen

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
