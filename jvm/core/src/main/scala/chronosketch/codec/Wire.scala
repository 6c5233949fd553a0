package chronosketch.codec

import java.util.Arrays

import chronosketch.Refusal

/** Numbers as bytes: big-endian where the width is fixed, base-128 with a continuation bit, least digits first, where not. */
object Wire {

  /** Writes into an array, and into a longer one when that is full. */
  final class Writer(initial: Array[Byte]) {
    private var bytes = initial
    private var at = 0

    def this(initialBytes: Int = 64) = this(new Array[Byte](math.max(16, initialBytes)))

    def length: Int = at

    private def room(more: Int): Unit =
      if (bytes.length - at < more) {
        // in longs: past a gigabyte, doubling an Int is negative
        val wanted = at.toLong + more
        if (wanted > Wire.MaxBytes)
          throw Refusal("CHRONOSKETCH_SKETCH_TOO_LARGE", "limit" -> Wire.MaxBytes.toString)
        bytes =
          Arrays.copyOf(bytes, math.min(Wire.MaxBytes.toLong, math.max(wanted, 2L * bytes.length)).toInt)
      }

    /** About so many bytes will follow: room for them is made at once, not by doubling. */
    def expect(more: Long): Unit = room(math.min(more, (Wire.MaxBytes - at).toLong).toInt)

    def byte(value: Int): Unit = { room(1); bytes(at) = value.toByte; at += 1 }

    def int(value: Int): Unit = { room(4); putInt(at, value); at += 4 }

    def putInt(position: Int, value: Int): Unit = Wire.putInt(bytes, position, value)

    def double(value: Double): Unit = {
      val bits = java.lang.Double.doubleToLongBits(value)
      int((bits >>> 32).toInt)
      int(bits.toInt)
    }

    /** The number's 64 bits as an unsigned one: 1 to 10 bytes. Up to 8, as nearly all have, they are written at once. */
    def varint(value: Long): Unit = {
      room(10)
      if ((value & ~0x7fL) == 0L) {
        // counts, weights and doubts mostly are
        bytes(at) = value.toByte
        at += 1
      } else longerVarint(value)
    }

    /** The number 1 so many times. */
    def ones(n: Int): Unit = {
      room(n)
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

    /** Of 9 or 10 bytes: all of the first eight have others behind them. */
    private def longVarint(value: Long): Unit = {
      LittleEndian.put(bytes, at, Wire.spread(value) | Wire.Continue)
      bytes(at + 8) = (value >>> 56).toByte
      at += 9
      if (value < 0) {
        bytes(at) = 1
        at += 1
      }
    }

    /** Makes room for the next of n numbers from the i-th on; where they end. */
    private def roomFrom(i: Int, n: Int): Int = {
      val end = math.min(n.toLong, i.toLong + Wire.AtOnce).toInt
      // 8 bytes are stored even for the last
      room(10 * (end - i) + 8)
      end
    }

    /** What each of the first n numbers, but the first, is more than the one before: as [[varint]] writes it, one after another. */
    def differences(numbers: Array[Long], n: Int): Unit = {
      var i = 1
      while (i < n) {
        val end = roomFrom(i, n)
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

    /** The first n numbers, one after another, as [[varint]] writes each. */
    def varints(numbers: Array[Long], n: Int): Unit = {
      var i = 0
      while (i < n) {
        val end = roomFrom(i, n)
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

    /** Small negative numbers as short as small positive ones. */
    def zigzag(value: Long): Unit = varint((value << 1) ^ (value >> 63))

    /** Where so many bytes are to be put into [[array]]. */
    private[codec] def skip(more: Int): Int = {
      room(more)
      at += more
      at - more
    }

    def result(): Array[Byte] = Arrays.copyOf(bytes, at)

    private[chronosketch] def array: Array[Byte] = bytes
  }

  /** Reads what a [[Writer]] wrote, between two positions of an array and never past them. */
  final class Reader(bytes: Array[Byte], from: Int, until: Int) {
    private var at = from

    def remaining: Int = until - at

    /** Another at the same place. */
    def fork(): Reader = new Reader(bytes, at, until)

    private[codec] def array: Array[Byte] = bytes

    /** Where so many bytes stand in [[array]], which are read elsewhere. */
    private[codec] def skip(more: Long): Int = {
      if (more > remaining) throw corrupt("its payload ends early")
      at += more.toInt
      at - more.toInt
    }

    /** On from where another of the same bytes stands. */
    def goTo(that: Reader): Unit = at = that.at

    /** Everything has been read. */
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

    /** n − 1 numbers behind the first of an array, each of which is told by what it is more than the one before, as [[varint]] reads it. */
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

    /** The next n numbers, each as [[varint]] reads it. */
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

    def zigzag(): Long = {
      val value = varint()
      (value >>> 1) ^ -(value & 1)
    }

    /** A number of items, each of which takes at least `bytesEach` of what is left: no allocation the input does not explain. */
    def size(bytesEach: Int): Int = {
      val value = varint()
      if (value < 0 || value > remaining / bytesEach)
        throw corrupt(s"it claims $value items in $remaining bytes")
      value.toInt
    }
  }

  /** What a Java array can hold. */
  val MaxBytes: Int = Int.MaxValue - 16

  /** So many numbers are written before there is another look at the room. */
  private val AtOnce = 1024

  /** Of each of eight bytes the bit that says that another follows. */
  private val Continue = 0x8080808080808080L

  /** 56 bits as eight times seven, a byte each: halves, quarters and eighths move apart. */
  private def spread(value: Long): Long = {
    val halves = (value & 0x0fffffffL) | ((value & 0x00fffffff0000000L) << 4)
    val quarters = (halves & 0x00003fff00003fffL) | ((halves & 0x0fffc0000fffc000L) << 2)
    (quarters & 0x007f007f007f007fL) | ((quarters & 0x3f803f803f803f80L) << 1)
  }

  /** The way back; the bits between do not count. */
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
