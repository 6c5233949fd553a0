package chronosketch.quantile

import java.util.SplittableRandom

import chronosketch.counted.SortedKeys
import chronosketch.domain.Domain
import chronosketch.summary.{Certificate, ExactBag}

/** Summaries and keys that become one summary at once: what they become one after another, certified. */
class TupleUnionSuite extends munit.FunSuite {
  private val random = new SplittableRandom(20260202L)

  private def values(n: Int, distinct: Int): Array[Long] = Array.fill(n)(random.nextInt(distinct).toLong)

  private def inOrder(keys: Array[Long]): SortedKeys = new SortedKeys(keys.sorted, keys.length)

  test(
    "of any number of summaries, and keys beside them: certified, within epsilon, as few as were asked for"
  ) {
    for {
      epsilon <- Seq(0.0, 0.01, 0.1)
      parts <- Seq(0, 1, 2, 5, 16)
      distinct <- Seq(1, 2, 30, Int.MaxValue)
      loose <- Seq(0, 1, 700)
    } {
      val union = new TupleUnion(Domain.BigInt, epsilon)
      val rows = Seq.fill(parts)(values(1 + random.nextInt(3000), distinct))
      rows.foreach { part =>
        val sketch = new GreenwaldKhanna(Domain.BigInt, epsilon / 2)
        sketch.insertAll(part, 0, part.length)
        union.add(sketch)
      }
      val keys = values(loose, distinct)
      val seen = rows.flatten.toArray ++ keys
      val most = if (epsilon == 0.0) Int.MaxValue else (3 / epsilon).toInt
      val whole = union.summary(inOrder(keys), _ => most)
      val what = s"ε $epsilon, $parts parts of $distinct values, $loose keys"
      assert(union.isEmpty)
      assertEquals(whole.count, seen.length.toLong, what)
      assertEquals(Certificate.violations(whole.profile, ExactBag.of(seen)), Nil, what)
      if (seen.nonEmpty) assert(whole.profile.rankError <= epsilon, s"$what: ${whole.profile.rankError}")
      assert(whole.tuples <= math.max(most, 8), s"$what: ${whole.tuples} tuples")
      if (parts == 0 && loose <= most) assert(whole.profile.isExact, what)
    }
  }

  test("keys alone lose no more than thinning their tuples would") {
    for (n <- Seq(5, 17, 100, 999, 4000); most <- Seq(6, 20, 150); distinct <- Seq(3, 40, Int.MaxValue)) {
      val keys = values(n, distinct)
      val alone = new TupleUnion(Domain.BigInt, 0.25)
      val beside = new TupleUnion(Domain.BigInt, 0.25)
      val sketch = new GreenwaldKhanna(Domain.BigInt, 0.0)
      sketch.insertAll(keys, 0, n)
      beside.add(sketch)
      val fast = alone.summary(inOrder(keys), _ => most)
      val slow = beside.summary(inOrder(Array.emptyLongArray), _ => most)
      val what = s"$n keys of $distinct, $most tuples"
      assertEquals(fast.count, slow.count, what)
      assert(fast.tuples <= math.max(most, slow.tuples), s"$what: ${fast.tuples} and ${slow.tuples} tuples")
      assert(fast.profile.certifiedError <= slow.profile.certifiedError, what)
      assertEquals(Certificate.violations(fast.profile, ExactBag.of(keys)), Nil, what)
    }
  }
}
