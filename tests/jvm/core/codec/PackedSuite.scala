package chronosketch.codec

import java.util.SplittableRandom

import chronosketch.Refusal

class PackedSuite extends munit.FunSuite {
  private def written(numbers: Array[Long]): Array[Byte] = {
    val w = new Wire.Writer(16)
    Packed.write(w, numbers, numbers.length)
    w.byte(77)
    w.result()
  }

  private def assertComesBack(numbers: Array[Long], what: String): Unit = {
    val bytes = written(numbers)
    val r = new Wire.Reader(bytes, 0, bytes.length)
    val read = new Array[Long](numbers.length + 1)
    Packed.read(r, read, numbers.length)
    assertEquals(read.init.toSeq, numbers.toSeq, what)
    assertEquals(r.byte(), 77, what)
    r.requireEnd()
  }

  test("numbers of every width come back, in their order, and what follows them stands behind them") {
    val random = new SplittableRandom(7)
    for (n <- Seq(1, 2, 3, 9, 1000); bits <- 0 to 64) {
      val numbers = Array.fill(n) {
        val some = if (bits == 0) 0L else random.nextLong() >>> (64 - bits)
        some - (if (bits == 64) 0L else 1L << (bits / 2))
      }
      assertComesBack(numbers, s"$n numbers of $bits bits")
    }
    assertComesBack(Array(Long.MaxValue, 0L, Long.MinValue, -1L), "the widest range")
    assertComesBack(Array.fill(5)(Long.MinValue), "all alike")
  }

  test("numbers take as many bytes as their range does") {
    val narrow = Array.tabulate(1000)(i => Long.MaxValue - i % 256)
    assert(written(narrow).length < 1100)
    assert(written(Array.fill(1000)(3L)).length < 20)
  }

  test("bytes that end early, or are too wide, are refused") {
    val bytes = written(Array(1L, 300L, 70000L))
    (0 until bytes.length - 1).foreach { n =>
      intercept[Refusal](Packed.read(new Wire.Reader(bytes, 0, n), new Array[Long](3), 3))
    }
    bytes(1) = 9
    intercept[Refusal](Packed.read(new Wire.Reader(bytes, 0, bytes.length), new Array[Long](3), 3))
  }
}
