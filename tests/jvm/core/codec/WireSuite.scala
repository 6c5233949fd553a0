package chronosketch.codec

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{CheckSuite, Refusal}

class WireSuite extends CheckSuite {
  private def written(write: Wire.Writer => Unit): Array[Byte] = {
    val w = new Wire.Writer()
    write(w)
    w.result()
  }

  private def read[A](bytes: Array[Byte])(read: Wire.Reader => A): A = {
    val r = new Wire.Reader(bytes, 0, bytes.length)
    val result = read(r)
    assertEquals(r.remaining, 0)
    result
  }

  private val longs = Gen.oneOf(
    Gen.long,
    Gen.choose(0, 63).map(1L << _),
    Gen.choose(0, 63).map(s => (1L << s) - 1),
    Gen.oneOf(0L, -1L, Long.MinValue, Long.MaxValue)
  )

  property("varint and zigzag are read back, and varints take one byte per seven bits") {
    forAll(longs) { value =>
      assertEquals(read(written(_.varint(value)))(_.varint()), value)
      assertEquals(read(written(_.zigzag(value)))(_.zigzag()), value)
      val bits = math.max(1, 64 - java.lang.Long.numberOfLeadingZeros(value))
      assertEquals(written(_.varint(value)).length, (bits + 6) / 7)
    }
  }

  property("differences are written as the varints of the differences between neighbours") {
    forAll(Gen.nonEmptyListOf(longs), Gen.choose(1, 5)) { (some, times) =>
      val numbers = List.fill(if (times == 5) 2000 / some.size + 1 else times)(some).flatten.toArray
      val bytes = written(_.differences(numbers, numbers.length))
      val singly = written(w => numbers.indices.tail.foreach(i => w.varint(numbers(i) - numbers(i - 1))))
      assertEquals(bytes.toSeq, singly.toSeq)
      val back = new Array[Long](numbers.length)
      back(0) = numbers(0)
      read(bytes)(_.differences(back, numbers.length))
      assertEquals(back.toSeq, numbers.toSeq)
      // bytes that end early, and bytes that are followed by others
      if (bytes.nonEmpty) {
        intercept[Refusal](read(bytes.init)(_.differences(back, numbers.length)))
        val more = new Wire.Reader(bytes ++ Array.fill[Byte](9)(-1), 0, bytes.length + 9)
        more.differences(back, numbers.length)
        assertEquals(more.remaining, 9)
      }
    }
  }

  /** A reference implementation: seven bits per byte, the lowest first, as described in docs/format.md. */
  private def plainly(value: Long): List[Byte] =
    if ((value & ~0x7fL) == 0) List(value.toByte) else (value & 0x7f | 0x80).toByte :: plainly(value >>> 7)

  property("several varints are written as by the reference implementation, and read back") {
    forAll(Gen.listOf(longs)) { values =>
      val bytes = written(w => values.foreach(w.varint))
      assertEquals(bytes.toList, values.flatMap(plainly))
      assertEquals(read(bytes)(r => values.map(_ => r.varint())), values)
    }
  }

  test("a varint with more bytes than necessary is read correctly") {
    val long = Array[Byte](-1, -128, 0, 5, 5, 5, 5, 5, 5, 5)
    assertEquals(new Wire.Reader(long, 0, long.length).varint(), 127L)
    assertEquals(new Wire.Reader(long, 0, 3).varint(), 127L)
  }

  property("ints and doubles are read back, bit for bit") {
    forAll(longs) { value =>
      assertEquals(read(written(_.int(value.toInt)))(_.int()), value.toInt)
      val d = java.lang.Double.longBitsToDouble(value)
      val back = read(written(_.double(d)))(_.double())
      assertEquals(java.lang.Double.doubleToLongBits(back), java.lang.Double.doubleToLongBits(d))
    }
  }

  test("small numbers of either sign are short") {
    assertEquals(written(_.varint(127)).toList, List[Byte](127))
    assertEquals(written(_.varint(128)).toList, List[Byte](-128, 1))
    assertEquals(written(_.zigzag(-1)).toList, List[Byte](1))
    assertEquals(written(_.zigzag(-64)).length, 1)
    assertEquals(written(_.varint(-1)).length, 10)
  }

  test("a varint of more than 64 bits, and one that does not end, are refused") {
    val long = Array.fill[Byte](9)(-1)
    Seq(
      long :+ 2.toByte,
      long :+ (-1).toByte,
      Array.fill[Byte](20)(-128),
      long,
      Array.emptyByteArray
    ).foreach { bytes =>
      val r = new Wire.Reader(bytes, 0, bytes.length)
      assertEquals(intercept[Refusal](r.varint()).condition, "CHRONOSKETCH_CORRUPT_SKETCH")
    }
  }

  test("a number of items that the remaining bytes cannot hold is refused") {
    def size(claim: Long, left: Int, each: Int): Int = {
      val bytes = written(_.varint(claim)) ++ new Array[Byte](left)
      new Wire.Reader(bytes, 0, bytes.length).size(each)
    }
    assertEquals(size(5, 10, 2), 5)
    Seq((6L, 10), (-1L, 10), (Long.MaxValue, 10), (1L << 32, 10)).foreach { case (claim, left) =>
      assertEquals(intercept[Refusal](size(claim, left, 2)).condition, "CHRONOSKETCH_CORRUPT_SKETCH")
    }
  }

  test("ones are skipped only if all numbers are 1, also at the end of the array") {
    for (n <- 0 to 20; after <- 0 to 9; other <- -1 until n) {
      val bytes = Array.fill[Byte](n)(1) ++ Array.fill[Byte](after)(9)
      if (other >= 0) bytes(other) = 2
      val r = new Wire.Reader(bytes, 0, n)
      assertEquals(r.skipOnes(n), other < 0, s"$n, $after, $other")
      assertEquals(r.remaining, if (other < 0) 0 else n)
    }
    assert(!new Wire.Reader(Array.fill[Byte](9)(1), 0, 5).skipOnes(6))
  }

  test("a reader does not read outside of its part of the array") {
    val r = new Wire.Reader(Array[Byte](1, 2, 3, 4), 1, 3)
    assertEquals((r.byte(), r.byte()), (2, 3))
    intercept[Refusal](r.byte())
  }

  test("a writer refuses more bytes than it may write, by name and before it allocates them") {
    val writes = Seq[(String, Wire.Writer => Unit)](
      "bytes" -> (_.byte(1)),
      "ints" -> (_.int(1)),
      "doubles" -> (_.double(0.5)),
      "varints" -> (_.varint(Long.MaxValue)),
      "ones" -> (_.ones(7)),
      "packed numbers" -> (Packed.write(_, Array(1L, Long.MaxValue), 2))
    )
    for ((name, write) <- writes) {
      val w = new Wire.Writer(new Array[Byte](16), most = 1000)
      w.expect(Long.MaxValue) // as much as may be written
      val refused = intercept[Refusal]((0 to 1000).foreach(_ => write(w)))
      assertEquals(
        (refused.condition, refused.parameters),
        ("CHRONOSKETCH_SKETCH_TOO_LARGE", Map("limit" -> "1000")),
        name
      )
      assert(w.length <= 1000, name)
    }
    // more than an Int can say
    intercept[Refusal](new Wire.Writer(new Array[Byte](16), most = 1000).skip(1L << 33))
  }
}
