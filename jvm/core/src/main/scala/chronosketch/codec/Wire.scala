package chronosketch.codec

import java.util.Arrays

import chronosketch.Refusal

/** Encodes numbers as bytes. Numbers of fixed width are big-endian; others are varints: base 128 with a continuation bit, least
  * significant digits first.
  */
object Wire {

  /** Writes into an array, which grows as needed.
    *
    * @param most the most bytes that may be written
    */
  final class Writer private[codec] (initial: Array[Byte], most: Int) {
    private var bytes = initial
    private var at = 0

    def this(initial: Array[Byte]) = this(initial, Wire.MaxBytes)
    def this(initialBytes: Int = 64) = this(new Array[Byte](math.max(16, initialBytes)))

    def length: Int = at

    private def reserve(more: Int): Unit =
      if (bytes.length - at < more) {
        // as a Long: above 2³⁰ bytes a doubled Int is negative
        val wanted = at.toLong + more
        if (wanted > most) refuse()
        bytes = Arrays.copyOf(bytes, math.min(most.toLong, math.max(wanted, 2L * bytes.length)).toInt)
      }

    private def refuse(): Nothing =
      throw Refusal("CHRONOSKETCH_SKETCH_TOO_LARGE", "limit" -> most.toString)

    /** Reserves space for about `more` bytes at once, so that the array need not be doubled several times. */
    def expect(more: Long): Unit = reserve(math.min(more, (most - at).toLong).toInt)

    def byte(value: Int): Unit = { reserve(1); bytes(at) = value.toByte; at += 1 }

    def int(value: Int): Unit = { reserve(4); putInt(at, value); at += 4 }

    def putInt(position: Int, value: Int): Unit = Wire.putInt(bytes, position, value)

    def double(value: Double): Unit = {
      val bits = java.lang.Double.doubleToLongBits(value)
      int((bits >>> 32).toInt)
      int(bits.toInt)
    }

    /** Writes the 64 bits of a number as an unsigned varint of 1 to 10 bytes. Up to 8 bytes, the usual case, are stored at once. */
    def varint(value: Long): Unit = {
      reserve(10)
      if ((value & ~0x7fL) == 0L) {
        // most counts, weights and Δ take one byte
        bytes(at) = value.toByte
        at += 1
      } else longerVarint(value)
    }

    /** Writes the number 1 n times. */
    def ones(n: Int): Unit = {
      reserve(n)
      Arrays.fill(bytes, at, at + n, 1.toByte)
      at += n
    }

    private def longerVarint(value: Long): Unit = {
      val n = (70 - java.lang.Long.numberOfLeadingZeros(value | 1L)) / 7
      if (n <= 8) {
        val more = Wire.Continue & ((1L << (8 * (n - 1))) - 1)
        LittleEndian.put(bytes, at, Wire.spread(value) | more)
        at += n
      } else longVarint(value)
    }

    /** Writes a varint of 9 or 10 bytes: the first eight all have the continuation bit. */
    private def longVarint(value: Long): Unit = {
      LittleEndian.put(bytes, at, Wire.spread(value) | Wire.Continue)
      bytes(at + 8) = (value >>> 56).toByte
      at += 9
      if (value < 0) {
        bytes(at) = 1
        at += 1
      }
    }

    /** Reserves space for the next block of the n numbers, from the i-th on. Returns the end of the block. */
    private def reserveBlock(i: Int, n: Int): Int = {
      val end = math.min(n.toLong, i.toLong + Wire.BlockNumbers).toInt
      // 8 bytes are stored even for the last number
      reserve(10 * (end - i) + 8)
      end
    }

    /** Writes the differences between neighbours among the first n numbers, each as [[varint]] does. */
    def differences(numbers: Array[Long], n: Int): Unit = {
      var i = 1
      while (i < n) {
        val end = reserveBlock(i, n)
        val to = bytes
        var o = at
        while (i < end) {
          val value = numbers(i) - numbers(i - 1)
          val length = (70 - java.lang.Long.numberOfLeadingZeros(value | 1L)) / 7
          if (length <= 8) {
            LittleEndian.put(to, o, Wire.spread(value) | Wire.Continue & ((1L << (8 * (length - 1))) - 1))
            o += length
          } else {
            at = o
            longVarint(value)
            o = at
          }
          i += 1
        }
        at = o
      }
    }

    /** Writes the first n numbers, each as [[varint]] does. */
    def varints(numbers: Array[Long], n: Int): Unit = {
      var i = 0
      while (i < n) {
        val end = reserveBlock(i, n)
        val to = bytes
        var o = at
        while (i < end) {
          val value = numbers(i)
          if ((value & ~0x7fL) == 0L) {
            to(o) = value.toByte
            o += 1
          } else {
            at = o
            longerVarint(value)
            o = at
          }
          i += 1
        }
        at = o
      }
    }

    /** Writes a signed number. Small negative numbers take as few bytes as small positive ones. */
    def zigzag(value: Long): Unit = varint((value << 1) ^ (value >> 63))

    /** Reserves `more` bytes and returns their position in [[array]], where the caller stores them. */
    private[codec] def skip(more: Long): Int = {
      if (more > most - at) refuse()
      reserve(more.toInt)
      at += more.toInt
      at - more.toInt
    }

    def result(): Array[Byte] = Arrays.copyOf(bytes, at)

    private[chronosketch] def array: Array[Byte] = bytes
  }

  /** Reads what a [[Writer]] wrote, between two positions of an array and never outside of them. */
  final class Reader(bytes: Array[Byte], from: Int, until: Int) {
    private var at = from

    def remaining: Int = until - at

    /** Returns another reader at the same position. */
    def fork(): Reader = new Reader(bytes, at, until)

    private[codec] def array: Array[Byte] = bytes

    /** Skips `more` bytes and returns their position in [[array]], where the caller reads them. */
    private[codec] def skip(more: Long): Int = {
      if (more > remaining) throw corrupt("its payload ends early")
      at += more.toInt
      at - more.toInt
    }

    /** Moves to the position of another reader of the same bytes. */
    def goTo(that: Reader): Unit = at = that.at

    /** Throws an error unless all bytes have been read. */
    def requireEnd(): Unit = if (at != until) throw corrupt(s"$remaining bytes follow its payload")

    def corrupt(why: String): Refusal = Refusal("CHRONOSKETCH_CORRUPT_SKETCH", "reason" -> why)

    def byte(): Int = {
      if (at >= until) throw corrupt("its payload ends early")
      at += 1
      bytes(at - 1) & 0xff
    }

    def int(): Int = (byte() << 24) | (byte() << 16) | (byte() << 8) | byte()

    def double(): Double =
      java.lang.Double.longBitsToDouble((int().toLong << 32) | (int() & 0xffffffffL))

    /** Reads what [[Writer.varint]] wrote. */
    def varint(): Long =
      if (at < until && bytes(at) >= 0) {
        at += 1
        bytes(at - 1).toLong
      } else longerVarint()

    private def longerVarint(): Long =
      if (until - at >= 8) {
        val eight = LittleEndian.get(bytes, at)
        val ends = ~eight & Wire.Continue
        if (ends != 0L) {
          val bits = java.lang.Long.numberOfTrailingZeros(ends) + 1
          at += bits >>> 3
          Wire.gather(eight & (-1L >>> (64 - bits)))
        } else if (until - at >= 10) {
          val ninth = bytes(at + 8)
          val tenth = if (ninth < 0) bytes(at + 9) & 0xff else 0
          if (tenth > 1) throw corrupt("a number has more than 64 bits")
          at += (if (ninth < 0) 10 else 9)
          Wire.gather(eight) | (ninth & 0x7fL) << 56 | tenth.toLong << 63
        } else longVarint()
      } else longVarint()

    private def longVarint(): Long = {
      var value = 0L
      var shift = 0
      var i = at
      while (i < until) {
        val b = bytes(i)
        i += 1
        if (shift == 63 && (b & 0xff) > 1) throw corrupt("a number has more than 64 bits")
        value |= (b & 0x7fL) << shift
        if (b >= 0) {
          at = i
          return value
        }
        shift += 7
        if (shift > 63) throw corrupt("a number has more than 64 bits")
      }
      at = until
      throw corrupt("its payload ends early")
    }

    /** Reads n − 1 differences, each as [[varint]] does. Element 0 of the array is given; each other one is the one before it plus
      * a difference.
      */
    def differences(numbers: Array[Long], n: Int): Unit = {
      val from = bytes
      val last = until - 8
      var o = at
      var i = 1
      while (i < n) {
        val ends = if (o <= last) ~LittleEndian.get(from, o) & Wire.Continue else 0L
        if (ends != 0L) {
          val bits = java.lang.Long.numberOfTrailingZeros(ends) + 1
          numbers(i) = numbers(i - 1) + Wire.gather(LittleEndian.get(from, o) & (-1L >>> (64 - bits)))
          o += bits >>> 3
        } else {
          at = o
          numbers(i) = numbers(i - 1) + varint()
          o = at
        }
        i += 1
      }
      at = o
    }

    /** Reads the next n numbers, each as [[varint]] does. */
    def varints(numbers: Array[Long], n: Int): Unit = {
      val from = bytes
      var o = at
      var i = 0
      while (i < n) {
        if (o < until && from(o) >= 0) {
          numbers(i) = from(o).toLong
          o += 1
        } else {
          at = o
          numbers(i) = longerVarint()
          o = at
        }
        i += 1
      }
      at = o
    }

    /** Skips the next n numbers if each of them is 1, and returns true. Otherwise stays where it is. */
    def skipOnes(n: Int): Boolean = n <= remaining && {
      val from = bytes
      val end = at + n
      var o = at
      while (end - o >= 8 && LittleEndian.get(from, o) == Wire.Ones) o += 8
      // the last numbers are the low bytes of a word, if the array has one there
      if (o < end && end - o < 8 && o + 8 <= from.length) {
        if ((LittleEndian.get(from, o) ^ Wire.Ones) << (64 - 8 * (end - o)) == 0L) o = end
      } else while (o < end && from(o) == 1) o += 1
      if (o == end) at = end
      o == end
    }

    def zigzag(): Long = {
      val value = varint()
      (value >>> 1) ^ -(value & 1)
    }

    /** Reads a number of items, each of which takes at least `bytesEach` bytes. Refuses a number that the remaining bytes cannot
      * hold, so that corrupt input cannot cause a large allocation.
      */
    def size(bytesEach: Int): Int = {
      val value = varint()
      if (value < 0 || value > remaining / bytesEach)
        throw corrupt(s"it claims $value items in $remaining bytes")
      value.toInt
    }
  }

  /** The most bytes that a Java array holds. */
  val MaxBytes: Int = Int.MaxValue - 16

  /** Space is reserved once per block of this many numbers. */
  private val BlockNumbers = 1024

  /** The continuation bit of each of eight bytes. */
  private val Continue = 0x8080808080808080L

  /** The number 1 in each of eight bytes. */
  private val Ones = 0x0101010101010101L

  /** Eight bytes as one number, least significant byte first. */
  private[chronosketch] def word(bytes: Array[Byte], at: Int): Long = LittleEndian.get(bytes, at)

  /** Spreads 56 bits over eight bytes, seven bits each: first the halves move apart, then the quarters, then the eighths. */
  private def spread(value: Long): Long = {
    val halves = (value & 0x0fffffffL) | ((value & 0x00fffffff0000000L) << 4)
    val quarters = (halves & 0x00003fff00003fffL) | ((halves & 0x0fffc0000fffc000L) << 2)
    (quarters & 0x007f007f007f007fL) | ((quarters & 0x3f803f803f803f80L) << 1)
  }

  /** The inverse of [[spread]]. Ignores the highest bit of each byte. */
  private def gather(bytes: Long): Long = {
    val quarters = (bytes & 0x007f007f007f007fL) | ((bytes & 0x7f007f007f007f00L) >>> 1)
    val halves = (quarters & 0x00003fff00003fffL) | ((quarters & 0x3fff00003fff0000L) >>> 2)
    (halves & 0x0fffffffL) | ((halves & 0x0fffffff00000000L) >>> 4)
  }

  private[chronosketch] def putInt(bytes: Array[Byte], position: Int, value: Int): Unit = {
    bytes(position) = (value >>> 24).toByte
    bytes(position + 1) = (value >>> 16).toByte
    bytes(position + 2) = (value >>> 8).toByte
    bytes(position + 3) = value.toByte
  }
}
