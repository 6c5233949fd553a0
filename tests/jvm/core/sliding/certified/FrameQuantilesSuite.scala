package chronosketch.sliding.certified

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Pairs}
import chronosketch.sliding.{FrameGen, Frames, KeyGen}
import chronosketch.summary.Distributions

/** Tests pairs of difficulties; [[FrameQuantilesCampaign]] tests all combinations. */
class FrameQuantilesSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(60))

  private val sliding = Seq(ArasuManku, ArasuMankuVariable, Cmqs)

  private def holds(
      structure: FrameStructure,
      keys: Array[Long],
      isThere: Int => Boolean,
      frames: Frames,
      epsilon: Double,
      every: Int = 1
  ): Unit =
    assertEquals(
      FrameCertificate.violations(structure, keys, isThere, frames, epsilon, every).take(5),
      Nil
    )

  private val cases = for {
    (frames, n) <- FrameGen.frames
    keys <- KeyGen.keys(n)
    epsilon <- Gen.oneOf(0.5, 0.2, 0.1, 0.03, 0.001)
    some <- Gen.oneOf(1, 2, 5)
  } yield (frames, keys, epsilon, some)

  for (structure <- sliding)
    property(s"$structure: answers within ε, and bounds that enclose, of frames of every shape") {
      forAllNoShrink(cases) { case (frames, keys, epsilon, some) =>
        holds(structure, keys, _ % some == 0, frames, epsilon)
      }
    }

  private val rows = 5000
  private val epsilons = Seq(0.1, 0.02)

  for {
    (distribution, shape, structure, epsilon) <-
      Pairs.of(Distributions.all, FrameShapes.names, sliding, epsilons) ++
        Pairs.of(Distributions.all, Seq("growing"), Seq(GrowingFrame), epsilons)
  } test(s"${distribution.name}, $shape, $structure, ε = $epsilon") {
    val keys = distribution.sample(rows, 5L)
    holds(structure, keys, _ => true, FrameShapes.of(shape, rows), epsilon, every = 43)
  }

  test("elements are read O(1) times, and the structure is queried rarely") {
    val keys = Distributions.all.head.sample(rows, 5L)
    for ((name, most) <- Seq("growing" -> 12, "sliding" -> 9, "shrinking" -> 4, "breathing" -> 12)) {
      val elements = new FrameCertificate.MaskedElements(keys, _ => true)
      val quantiles = new FrameQuantiles(FrameCertificate.phis, 0.01, ArasuManku, elements)
      val frames = FrameShapes.of(name, rows)
      (0 until rows).foreach(row => quantiles.moveTo(frames.from(row).toLong, frames.until(row).toLong))
      assert(elements.read <= most.toLong * rows, s"$name: each read ${elements.read.toDouble / rows} times")
    }
  }
}
