package chronosketch.ddsketch

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.counted.FrequencyTable

class BinCountsSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(60))

  /** The counts by a plain table. */
  private def expected(rows: Seq[(Int, Long)]): Seq[(Long, Long)] = {
    val table = new FrequencyTable
    rows.foreach { case (bin, copies) => table.add(bin.toLong, copies) }
    val sorted = table.sorted
    sorted.keys.toSeq.zip(sorted.counts)
  }

  private def found(counts: BinCounts): Seq[(Long, Long)] = {
    val sorted = counts.sorted
    assertEquals(sorted.keys.length, counts.distinct)
    sorted.keys.toSeq.zip(sorted.counts)
  }

  /** Sequences of bins: close together, scattered, on both sides of 0, rising, evenly spaced, mostly 0. */
  private val shapes: Gen[Int => Int] = Gen.zip(Gen.choose(-70000, 70000), Gen.choose(0, 5), Gen.long).map {
    case (center, shape, seed) =>
      val random = new java.util.SplittableRandom(seed)
      shape match {
        case 0 => _ => center + random.nextInt(100)
        case 1 => _ => random.nextInt(140000) - 70000
        case 2 => _ => (if (random.nextBoolean()) center else -center) + random.nextInt(50)
        case 3 => i => center + i / 3
        case 4 => _ => center + 40 * random.nextInt(30)
        case _ => _ => if (random.nextInt(3) > 0) 0 else center
      }
  }
  private val runs: Gen[Seq[Int]] = Gen.zip(shapes, Gen.choose(0, 1500)).map { case (shape, n) =>
    Seq.tabulate(n)(shape)
  }

  private def addAll(counts: BinCounts, bins: Seq[Int]): Unit =
    counts.addAll(bins.toArray, bins.size, areAbove = bins.forall(_ > 0))

  property("the same counts and at most the memory of a table, however rows are added") {
    forAllNoShrink(Gen.listOf(runs), Gen.listOf(Gen.oneOf(1L, 1L, 1L << 40))) { (runs, copies) =>
      val counts = new BinCounts
      var rows = Vector.empty[(Int, Long)]
      runs.zipWithIndex.foreach { case (run, i) =>
        if (i % 3 == 2) run.foreach(counts.add(_, copies.headOption.getOrElse(1L)))
        else addAll(counts, run)
        val each = if (i % 3 == 2) copies.headOption.getOrElse(1L) else 1L
        rows = rows ++ run.map(_ -> each)
      }
      assertEquals(found(counts), expected(rows))
      // with many rows, at most 32 KiB more on either side
      val allowance = 2 * math.min(8L * BinWindow.MaxRowPlaces, rows.map(_._2).sum / 8)
      assert(
        counts.sizeBytes <= 64L * counts.distinct + 300 + allowance,
        s"${counts.sizeBytes}, ${counts.distinct} bins"
      )
      true
    }
  }

  property("unions of counts with and without windows are right and do not change the argument") {
    val counts = Gen.listOf(runs).map { runs =>
      val c = new BinCounts
      runs.foreach(addAll(c, _))
      (c, runs.flatten.map(_ -> 1L))
    }
    forAllNoShrink(counts, counts, counts) { case ((a, inA), (b, inB), (c, inC)) =>
      a.addAll(b)
      assertEquals(found(a), expected(inA ++ inB))
      assertEquals(found(b), expected(inB))
      a.addAll(c.sorted)
      assertEquals(found(a), expected(inA ++ inB ++ inC))
      val empty = new BinCounts
      empty.addAll(a)
      assertEquals(found(empty), found(a))
    }
  }

  test(
    "few rows stay in a small table; many rows in few bins move to windows, also if the bins are scattered"
  ) {
    val few = new BinCounts
    assertEquals(few.sizeBytes, 0L)
    (1 to 8).foreach(i => few.add(1000 * i, 1L))
    assert(few.sizeBytes < 300, s"${few.sizeBytes}")
    val close = new BinCounts
    addAll(close, Seq.tabulate(4000)(i => 30000 + i % 300))
    assert(close.sizeBytes < 8 * 450 + 300, s"${close.sizeBytes}")
    val scattered = new BinCounts
    (1 to 100).foreach(_ => addAll(scattered, Seq.tabulate(4000)(i => 30000 + 23 * (i % 100))))
    assert(scattered.sizeBytes > 8 * 2300 && scattered.sizeBytes < 8 * 4096 + 300, s"${scattered.sizeBytes}")
  }
}
