package chronosketch.sliding.order

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.rank.Phi
import chronosketch.sliding.{FrameGen, Frames, KeyGen}

class BlockSortSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(400))

  private val phis: Gen[List[Phi]] =
    Gen.choose(
      1,
      4
    ).flatMap(Gen.listOfN(_, Gen.oneOf(0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0))).map(_.map(Phi(_)))

  private def asking(phis: List[Phi]): Ranks = Ranks(phis: _*)

  /** The two ranks between which a percentile interpolates. */
  private def neighbours(share: Double): Ranks = new Ranks {
    def count: Int = 2
    def of(n: Int, into: Array[Int]): Unit = {
      into(0) = math.floor(share * (n - 1)).toInt + 1
      into(1) = math.min(n, into(0) + 1)
    }
  }

  private def check(sliding: BlockSort, ranks: Ranks, keys: Array[Long], frames: Frames): Unit = {
    val out = new Array[Long](frames.rows * ranks.count)
    sliding.slide(keys, frames, out)
    val sought = new Array[Int](ranks.count)
    (0 until frames.rows).foreach { row =>
      val seen = keys.slice(frames.from(row), frames.until(row)).sorted
      if (seen.nonEmpty) {
        ranks.of(seen.length, sought)
        val expected = sought.map(rank => seen(rank - 1)).toSeq
        assertEquals(out.slice(row * ranks.count, (row + 1) * ranks.count).toSeq, expected, s"row $row")
      }
    }
  }

  private val runs: Gen[List[(Frames, Array[Long])]] = Gen.choose(1, 4).flatMap { count =>
    Gen.listOfN(
      count,
      FrameGen.frames.flatMap { case (frames, n) => KeyGen.keys(n).map(keys => (frames, keys)) }
    )
  }

  property("answers equal those of sorting each frame anew") {
    forAllNoShrink(phis, runs) { (phis, runs) =>
      val ranks = asking(phis)
      val sliding = new BlockSort(ranks)
      runs.foreach { case (frames, keys) => check(sliding, ranks, keys, frames) }
    }
  }

  property("any ranks can be queried") {
    forAllNoShrink(Gen.choose(0.0, 1.0), runs) { (share, runs) =>
      val ranks = neighbours(share)
      val sliding = new BlockSort(ranks)
      runs.foreach { case (frames, keys) => check(sliding, ranks, keys, frames) }
    }
  }

  test("no ranks of an empty frame") {
    new BlockSort(asking(Nil)).slide(Array(1L, 2L), new Frames(Array(0), Array(2), 1), Array.empty)
    new BlockSort(asking(List(Phi(0.5)))).slide(
      Array.empty,
      new Frames(Array.empty, Array.empty, 0),
      Array.empty
    )
  }

  // Longer than one crowd: many stretches, large crowds, and three levels of marks.

  private val rows = 100000

  private val inputs: Seq[(String, (SplittableRandom, Int) => Long)] = Seq(
    "any long" -> ((r, _) => r.nextLong()),
    "few values" -> ((r, _) => r.nextInt(7).toLong),
    "outliers" -> ((r, i) => if (i % 500 == 0) r.nextLong() else r.nextInt(1000000).toLong),
    "two crowds far apart" -> ((r, _) =>
      (if (r.nextBoolean()) Long.MinValue else Long.MaxValue - 99999) + r.nextInt(100000)
    ),
    "crowds in crowds" -> ((r, _) => r.nextLong() >>> r.nextInt(64)),
    "rising" -> ((_, i) => i.toLong),
    "falling" -> ((_, i) => -i.toLong),
    "saw" -> ((_, i) => (i % 3000).toLong),
    "zigzag" -> ((_, i) => if (i % 2 == 0) i.toLong else -i.toLong),
    "wave" -> ((r, i) => (1e6 * math.sin(i / 5000.0)).toLong + r.nextInt(100000))
  )

  private val widths: Seq[(String, Int => Int)] = Seq(
    "1 000" -> (_ => 1000),
    "30 000" -> (_ => 30000),
    "all so far" -> (row => row + 1),
    "10 or 20 000" -> (row => if (row / 25000 % 2 == 0) 10 else 20000)
  )

  for ((input, draw) <- inputs; (width, wide) <- widths) test(s"a long run: $input, $width rows wide") {
    val random = new SplittableRandom(11L)
    val keys = Array.tabulate(rows)(draw(random, _))
    // a frame never moves back, whatever its width
    val from = Array.tabulate(rows)(row => math.max(0, row + 1 - wide(row))).scanLeft(0)(math.max(_, _)).tail
    val frames = new Frames(from, Array.tabulate(rows)(_ + 1), rows)
    val ranks = asking(List(Phi(0.0), Phi(0.3), Phi(0.99)))
    val out = new Array[Long](rows * ranks.count)
    new BlockSort(ranks).slide(keys, frames, out)
    val sought = new Array[Int](ranks.count)
    val (key, position) = placed(keys)
    val seen = new OrderStatistics(rows)
    (0 until rows).foreach { row =>
      if (row > 0) (from(row - 1) until from(row)).foreach(i => seen.add(position(i), -1))
      seen.add(position(row), 1)
      ranks.of(row + 1 - from(row), sought)
      sought.indices.foreach { q =>
        val expected = key(seen.atRank(sought(q)))
        // too often for assertEquals
        if (out(row * sought.length + q) != expected)
          fail(s"row $row: ${out(row * sought.length + q)} for $expected")
      }
    }
  }

  /** The keys in order, and the position of each element in that order. */
  private def placed(keys: Array[Long]): (Array[Long], Array[Int]) = {
    val order = keys.indices.sortBy(keys(_)).toArray
    val position = new Array[Int](keys.length)
    order.indices.foreach(at => position(order(at)) = at)
    (order.map(keys(_)), position)
  }

  /** A Fenwick tree of counts. */
  private class OrderStatistics(n: Int) {
    private val sums = new Array[Int](Integer.highestOneBit(n) * 2 + 1)

    def add(at: Int, count: Int): Unit = {
      var i = at + 1
      while (i < sums.length) { sums(i) += count; i += i & -i }
    }

    def atRank(rank: Int): Int = {
      var at = 0
      var togo = rank
      var step = sums.length / 2
      while (step > 0) {
        if (sums(at + step) < togo) {
          at += step
          togo -= sums(at)
        }
        step /= 2
      }
      at
    }
  }
}
