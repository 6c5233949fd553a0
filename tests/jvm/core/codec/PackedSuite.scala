package chronosketch.codec

import java.util.SplittableRandom

import chronosketch.{Refusal, Suite}

class PackedSuite extends Suite {
  private def written(numbers: Array[Long]): Array[Byte] = {
    val w = new Wire.Writer(16)
    Packed.write(w, numbers, numbers.length)
    w.byte(77)
    w.result()
  }

  private def assertReadBack(numbers: Array[Long], what: String): Unit = {
    val bytes = written(numbers)
    val r = new Wire.Reader(bytes, 0, bytes.length)
    val read = new Array[Long](numbers.length + 1)
    Packed.read(r, read, numbers.length)
    assertEquals(read.init.toSeq, numbers.toSeq, what)
    assertEquals(r.byte(), 77, what)
    r.requireEnd()
  }

  test("numbers of every width are read back in their order, and the reader stops at the next byte") {
    val random = new SplittableRandom(7)
    for (n <- Seq(1, 2, 3, 9, 1000); bits <- 0 to 64) {
      val numbers = Array.fill(n) {
        val number = if (bits == 0) 0L else random.nextLong() >>> (64 - bits)
        number - (if (bits == 64) 0L else 1L << (bits / 2))
      }
      assertReadBack(numbers, s"$n numbers of $bits bits")
    }
    assertReadBack(Array(Long.MaxValue, 0L, Long.MinValue, -1L), "the widest range")
    assertReadBack(Array.fill(5)(Long.MinValue), "all equal")
  }

  test("each number takes as many bytes as the range of all numbers") {
    val narrow = Array.tabulate(1000)(i => Long.MaxValue - i % 256)
    assert(written(narrow).length < 1100)
    assert(written(Array.fill(1000)(3L)).length < 20)
  }

  test("bytes that end early, and numbers that are too wide, are refused") {
    val bytes = written(Array(1L, 300L, 70000L))
    (0 until bytes.length - 1).foreach { n =>
      intercept[Refusal](Packed.read(new Wire.Reader(bytes, 0, n), new Array[Long](3), 3))
    }
    bytes(1) = 9
    intercept[Refusal](Packed.read(new Wire.Reader(bytes, 0, bytes.length), new Array[Long](3), 3))
  }
}
