package chronosketch.counted

import org.scalacheck.Gen
import org.scalacheck.Prop._

class LeastKeysSuite extends munit.ScalaCheckSuite {
  private val keys: Gen[List[Long]] =
    Gen.listOf(Gen.frequency(
      5 -> Gen.choose(-9L, 9L),
      3 -> Gen.long,
      1 -> Gen.oneOf(Long.MinValue, Long.MaxValue)
    ))

  property("what sorting finds, in any parts, asked on the way or not") {
    forAll(Gen.choose(1, 40), keys, keys, Gen.oneOf(true, false)) { (n, first, second, isAsked) =>
      val (all, part) = (new LeastKeys(n), new LeastKeys(n))
      first.foreach(all.insert)
      if (isAsked) assertEquals(all.rising.toSeq, first.sorted.take(n))
      second.foreach(part.insert)
      part.rising.foreach(all.insert)
      assertEquals(all.rising.toSeq, (first ++ second).sorted.take(n))
    }
  }

  test("many keys, falling and rising") {
    for (n <- Seq(1, 7, 1000); keys <- Seq(1L to 20000L, 20000L to 1L by -1L)) {
      val kept = new LeastKeys(n)
      keys.foreach(kept.insert)
      assertEquals(kept.rising.toSeq, (1L to n.toLong))
    }
  }
}
