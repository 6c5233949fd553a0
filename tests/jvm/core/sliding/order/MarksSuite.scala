package chronosketch.sliding.order

import java.util.SplittableRandom

import chronosketch.Suite

class MarksSuite extends Suite {
  for (n <- Seq(1, 63, 64, 65, 4096, 4097, 300000, 64))
    test(s"marks on $n slots, as a sorted set keeps them") {
      val random = new SplittableRandom(n.toLong)
      val marks = new Marks
      marks.reset(300)
      marks.set(0)
      marks.reset(n)
      val expected = new java.util.TreeSet[Integer]
      (0 until 3000).foreach { step =>
        val slot = random.nextInt(n)
        if (expected.contains(slot)) { marks.clear(slot); expected.remove(slot) }
        else { marks.set(slot); expected.add(slot) }
        if (step % 1000 > 990) expected.toArray.foreach { s =>
          marks.clear(s.asInstanceOf[Integer]); expected.remove(s)
        }
        val at = random.nextInt(n)
        assertEquals(marks.isSet(at), expected.contains(at))
        assertEquals(
          marks.count(math.min(at, slot), math.max(at, slot)),
          expected.subSet(math.min(at, slot), math.max(at, slot)).size
        )
        val word = at / 64
        val following = expected.ceiling(word * 64)
        if (following != null) assertEquals(marks.next(word), following / 64)
        val preceding = expected.lower(word * 64 + 64)
        if (preceding != null) assertEquals(marks.previous(word), preceding / 64)
      }
    }
}
