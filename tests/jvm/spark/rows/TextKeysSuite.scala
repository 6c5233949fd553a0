package chronosketch.spark.rows

import scala.collection.mutable

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import chronosketch.CheckSuite
import chronosketch.memory.Meter

/** Tests that texts, and NULL among them, are numbered in the order in which they first appear. */
class TextKeysSuite extends CheckSuite {

  // of every length up to four words, with few different bytes, so that many are equal or differ in one place
  private val bytes: Gen[Array[Byte]] =
    Gen.choose(0, 33).flatMap(n =>
      Gen.listOfN(n, Gen.frequency(20 -> 'a'.toByte, 1 -> 'b'.toByte, 1 -> -1.toByte))
    )
      .map(_.toArray)
  private val texts: Gen[List[Option[Seq[Byte]]]] =
    Gen.listOf(Gen.frequency(1 -> Gen.const(None), 9 -> bytes.map(b => Some(b.toSeq))))

  /** The text at an odd place of a larger array, whose other bytes must not matter. */
  private def inside(text: Seq[Byte], around: Byte): UTF8String = {
    val larger = Array.fill(text.length + 20)(around)
    text.copyToArray(larger, 3)
    UTF8String.fromAddress(larger, Platform.BYTE_ARRAY_OFFSET + 3L, text.length)
  }

  property("texts are found until they are cleared") {
    forAll(texts, Gen.choose(-1, 1)) { (asked, around) =>
      val meter = new Meter
      val keys = new TextKeys(meter)
      val empty = meter.bytes
      (1 to 2).foreach { turn =>
        val seen = mutable.LinkedHashMap.empty[Option[Seq[Byte]], Int]
        asked.foreach { text =>
          val number = text.fold(keys.findNull())(t => keys.number(inside(t, around.toByte)))
          assertEquals(number, seen.getOrElseUpdate(text, seen.size))
        }
        assertEquals(keys.size, seen.size)
        seen.foreach { case (text, number) =>
          assertEquals(keys.isNull(number), text.isEmpty)
          text.foreach(t => assertEquals(keys.text(number).getBytes.toSeq, t))
          assertEquals(keys.find(number.toLong), number)
        }
        keys.clear()
        assertEquals((keys.size, keys.generation, meter.bytes), (0, turn, empty))
      }
    }
  }

  test("many texts, some longer than a chunk, outside the heap, too") {
    val meter = new Meter
    val keys = new TextKeys(meter)
    def text(i: Int): String = if (i % 5000 == 7) "x" * 600000 + i else s"key $i"
    for (i <- 0 until 20000) assertEquals(keys.number(UTF8String.fromString(text(i))), i)
    assert(meter.bytes > 4L * 600000, meter.bytes)
    for (i <- 0 until 20000 by 7) {
      val expected = text(i).getBytes
      val address = Platform.allocateMemory(expected.length.toLong)
      try {
        Platform.copyMemory(expected, Platform.BYTE_ARRAY_OFFSET, null, address, expected.length.toLong)
        assertEquals(keys.number(UTF8String.fromAddress(null, address, expected.length)), i)
      } finally Platform.freeMemory(address)
      assertEquals(keys.text(i).toString, text(i))
    }
  }
}
