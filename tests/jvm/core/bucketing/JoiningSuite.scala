package chronosketch.bucketing

import java.util.SplittableRandom

import chronosketch.domain.Domain

/** Buckets are those of the description, however they were found. */
class JoiningSuite extends munit.FunSuite {
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

  test("blocks of rows one after another, over and among what was there, are joined as is described") {
    for {
      epsilon <- Seq(0.0, 0.01, 0.05, 0.1, 0.3, 0.5)
      times <- Seq(1, 3, 50, 100000)
      step <- Seq(0L, 1L, 3000L)
    } {
      var held = new BucketList(0)
      (0 until 8).foreach { i =>
        val rows = block(1 + random.nextInt(400), times, i * step)
        val wanted = NaiveJoining.joined(held, rows, epsilon)
        val found = HoldsKeys.join(held, rows, Domain.BigInt, epsilon)
        assertEquals(NaiveJoining.cells(found), wanted, s"ε $epsilon, $times times, step $step, block $i")
        assertEquals(Buckets.violations(found, epsilon), Nil)
        held = found
      }
    }
  }

  test("what lies behind all there is goes behind it, as a union would have it") {
    for (gap <- Seq(0L, 1L, 100L, 5000L); epsilon <- Seq(0.05, 0.3)) {
      val parts = Seq(0L, 300L + gap).map(from =>
        HoldsKeys.join(new BucketList(0), block(1 + random.nextInt(2000), 300, from), Domain.BigInt, epsilon)
      )
      val union = BucketList.union(parts.head, parts(1), HoldsKeys.union(Domain.BigInt, epsilon))
      if (parts.head.endsBefore(parts(1))) {
        parts.head.addAll(parts(1))
        assertEquals(NaiveJoining.cells(parts.head), NaiveJoining.cells(union))
        assertEquals(key(parts.head), key(union))
      } else assert(gap == 0L, "only neighbours may share a position")
    }
  }

  test("so many stay single that one more need not, and no fewer than eight of 1/epsilon") {
    for (epsilon <- Seq(1e-6, 0.001, 0.01, 0.03, 0.1, 0.3, 0.5)) {
      val most = Buckets.mostSingle(epsilon)
      assert(Buckets.mostAround(epsilon, most - 2) < 2, s"ε $epsilon")
      assert(Buckets.mostAround(epsilon, most - 1) >= 2, s"ε $epsilon")
    }
  }
}
