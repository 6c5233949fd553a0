package chronosketch.sliding

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.Phi
import chronosketch.sliding.certified.{
  ArasuManku,
  ArasuMankuVariable,
  Cmqs,
  ElementSink,
  Elements,
  FrameQuantiles,
  FrameStructure,
  GrowingFrame
}
import chronosketch.summary.Distributions

class FrameQuantilesSuite extends munit.ScalaCheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(300)

  private val sliding = Seq(ArasuManku, ArasuMankuVariable, Cmqs)

  /** Every element, or only those that a mask has. */
  private final class Given(keys: Array[Long], isThere: Int => Boolean) extends Elements {
    var read = 0L
    def foreach(from: Long, until: Long, append: ElementSink): Unit =
      (from until until).foreach { place =>
        read += 1
        if (isThere(place.toInt)) append.append(keys(place.toInt))
      }
    def count(from: Long, until: Long): Long = (from until until).count(place => isThere(place.toInt)).toLong
  }

  /** How many ranks a key is off, wherever it comes from. */
  private def error(sorted: Array[Long], key: Long, rank: Long): Long = {
    var below, atMost = 0
    sorted.foreach { k =>
      if (k < key) below += 1
      if (k <= key) atMost += 1
    }
    math.max(0L, math.max(rank - atMost, below + 1 - rank))
  }

  private def holds(
      structure: FrameStructure,
      keys: Array[Long],
      isThere: Int => Boolean,
      frames: Frames,
      phis: Array[Phi],
      epsilon: Double,
      every: Int = 1
  ): Unit = {
    val quantiles = new FrameQuantiles(phis, epsilon, structure, new Given(keys, isThere))
    (0 until frames.rows).foreach { row =>
      val (from, until) = (frames.from(row), frames.until(row))
      quantiles.see(from.toLong, until.toLong)
      if (row % every == 0) {
        val seen = (from until until).filter(isThere).map(keys(_)).toArray.sorted
        def clue = s"$structure, ε = $epsilon, row $row of [$from, $until): ${seen.length} elements"
        assertEquals(quantiles.count, seen.length.toLong, clue)
        if (seen.nonEmpty) phis.indices.foreach { q =>
          val rank = phis(q).rank(seen.length.toLong)
          val exact = seen(rank.toInt - 1)
          val off = error(seen, quantiles.value(q), rank)
          assert(
            off <= GreenwaldKhanna.share(epsilon, seen.length.toLong),
            s"$off ranks off at ${phis(q)}: $clue"
          )
          assert(
            quantiles.low(q) <= exact && exact <= quantiles.high(q),
            s"$exact is not in [${quantiles.low(q)}, ${quantiles.high(q)}] at ${phis(q)}: $clue"
          )
        }
      }
    }
  }

  private val phis = Array("0", "0.01", "0.3", "0.5", "0.99", "1").map(p => Phi(new java.math.BigDecimal(p)))

  private val cases = for {
    (frames, n) <- FrameGen.frames
    keys <- KeyGen.keys(n)
    epsilon <- Gen.oneOf(0.5, 0.2, 0.1, 0.03, 0.001)
    some <- Gen.oneOf(1, 2, 5)
  } yield (frames, keys, epsilon, some)

  for (structure <- sliding)
    property(s"$structure: answers within ε, and bounds that enclose, of frames of every shape") {
      forAllNoShrink(cases) { case (frames, keys, epsilon, some) =>
        holds(structure, keys, _ % some == 0, frames, phis, epsilon)
      }
    }

  private val rows = 5000
  private def within(i: Int): Int = math.max(0, math.min(rows, i))
  private def shape(name: String): Frames = {
    def of(from: Int => Int, until: Int => Int) =
      new Frames(
        Array.tabulate(rows)(i => within(from(i))).scanLeft(0)(math.max(_, _)).tail,
        Array.tabulate(rows)(i => within(until(i))).scanLeft(0)(math.max(_, _)).tail,
        rows
      )
    name match {
      case "growing" => of(_ => 0, _ + 1)
      case "sliding" => of(_ - 1999, _ + 1)
      case "shrinking" => of(i => i, _ => rows)
      case "breathing" => of(i => i - 1000 - (900 * math.sin(i / 300.0)).toInt, _ + 100)
      case "following" => of(_ + 50, _ + 2000)
    }
  }

  for {
    distribution <- Distributions.all
    (name, structures) <- Seq(
      "growing" -> (GrowingFrame +: sliding),
      "sliding" -> sliding,
      "shrinking" -> sliding,
      "breathing" -> sliding,
      "following" -> sliding
    )
  }
    test(s"${distribution.name}, $name") {
      val keys = distribution.sample(rows, 5L)
      for (structure <- structures; epsilon <- Seq(0.1, 0.02))
        holds(structure, keys, _ => true, shape(name), phis, epsilon, every = 43)
    }

  test("elements are read O(1) times, and the structure is asked seldom") {
    val keys = Distributions.all.head.sample(rows, 5L)
    for ((name, most) <- Seq("growing" -> 12, "sliding" -> 9, "shrinking" -> 4, "breathing" -> 12)) {
      val elements = new Given(keys, _ => true)
      val quantiles = new FrameQuantiles(phis, 0.01, ArasuManku, elements)
      val frames = shape(name)
      (0 until rows).foreach(row => quantiles.see(frames.from(row).toLong, frames.until(row).toLong))
      assert(elements.read <= most.toLong * rows, s"$name: each read ${elements.read.toDouble / rows} times")
    }
  }
}
