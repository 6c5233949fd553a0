package chronosketch.counted

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.CheckSuite

class LeastKeysSuite extends CheckSuite {
  private val keys: Gen[List[Long]] =
    Gen.listOf(Gen.frequency(
      5 -> Gen.choose(-9L, 9L),
      3 -> Gen.long,
      1 -> Gen.oneOf(Long.MinValue, Long.MaxValue)
    ))

  property("finds the n least keys, also from parts, and whether or not it was read in between") {
    forAll(Gen.choose(1, 40), keys, keys, Gen.oneOf(true, false)) { (n, first, second, isRead) =>
      val (all, part) = (new LeastKeys(n), new LeastKeys(n))
      first.foreach(all.insert)
      if (isRead) assertEquals(all.rising.toSeq, first.sorted.take(n))
      second.foreach(part.insert)
      part.rising.foreach(all.insert)
      assertEquals(all.rising.toSeq, (first ++ second).sorted.take(n))
    }
  }

  test("many keys, falling and rising") {
    for (n <- Seq(1, 7, 1000); keys <- Seq(1L to 20000L, 20000L to 1L by -1L)) {
      val least = new LeastKeys(n)
      keys.foreach(least.insert)
      assertEquals(least.rising.toSeq, (1L to n.toLong))
    }
  }
}
