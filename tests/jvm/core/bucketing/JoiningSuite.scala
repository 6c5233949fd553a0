package chronosketch.bucketing

import java.util.SplittableRandom

import chronosketch.Suite
import chronosketch.domain.Domain

/** Tests that [[Joining]] finds the same buckets as its naive description. */
class JoiningSuite extends Suite {
  private val random = new SplittableRandom(20260201L)

  private def block(rows: Int, times: Int, from: Long): RowBlock = {
    val block = new RowBlock
    (0 until rows).foreach { _ =>
      if (block.isFull) block.grow()
      block.add(from + random.nextInt(times), random.nextInt(20).toLong)
    }
    block.sort()
    block
  }

  private def key(list: BucketList): Seq[Seq[Long]] =
    (0 until list.size).map(i =>
      list.contents(i) match {
        case keys: Array[Long] => keys.toSeq
        case _ => Nil
      }
    )

  test("joining blocks one after another, whether they overlap or not, agrees with the naive join") {
    for {
      epsilon <- Seq(0.0, 0.01, 0.05, 0.1, 0.3, 0.5)
      times <- Seq(1, 3, 50, 100000)
      step <- Seq(0L, 1L, 3000L)
    } {
      var buckets = new BucketList(0)
      (0 until 8).foreach { i =>
        val rows = block(1 + random.nextInt(400), times, i * step)
        val expected = NaiveJoining.joined(buckets, rows, epsilon)
        val found = KeyBuckets.join(buckets, rows, Domain.BigInt, epsilon)
        assertEquals(NaiveJoining.cells(found), expected, s"ε $epsilon, $times times, step $step, block $i")
        assertEquals(Buckets.violations(found, epsilon), Nil)
        buckets = found
      }
    }
  }

  test("appending a list that begins later equals their union") {
    for (gap <- Seq(0L, 1L, 100L, 5000L); epsilon <- Seq(0.05, 0.3)) {
      val parts = Seq(0L, 300L + gap).map(from =>
        KeyBuckets.join(new BucketList(0), block(1 + random.nextInt(2000), 300, from), Domain.BigInt, epsilon)
      )
      val union = BucketList.union(parts.head, parts(1), KeyBuckets.union(Domain.BigInt, epsilon))
      if (parts.head.endsBefore(parts(1))) {
        parts.head.addAll(parts(1))
        assertEquals(NaiveJoining.cells(parts.head), NaiveJoining.cells(union))
        assertEquals(key(parts.head), key(union))
      } else assert(gap == 0L, "only neighbours may share a position")
    }
  }

  test("maxUnjoined is the largest number of elements of which no two positions may share a bucket") {
    for (epsilon <- Seq(1e-6, 0.001, 0.01, 0.03, 0.1, 0.3, 0.5)) {
      val limit = Buckets.maxUnjoined(epsilon)
      assert(Buckets.maxStraddling(epsilon, limit - 2) < 2, s"ε $epsilon")
      assert(Buckets.maxStraddling(epsilon, limit - 1) >= 2, s"ε $epsilon")
    }
  }
}
