package chronosketch.codec

import java.util.SplittableRandom

import chronosketch.Campaign
import chronosketch.families.Families
import chronosketch.summary.Envelope

/** The randomly changed bytes of a stored sketch. */
final case class MutatedBytes(family: String, name: String, bytes: Array[Byte])

/** Generates randomly changed bytes of stored sketches of every family; always the same for the same number. */
final class ByteMutations(seed: Long) {
  import ByteMutations._

  def apply(number: Long): MutatedBytes = {
    val random = new SplittableRandom(Campaign.seedOf(seed, number))
    val family = families(random.nextInt(families.size))
    // mostly small sketches: large ones take long and have few fields that small ones lack
    val (name, stored) = one(if (random.nextInt(50) == 0) family.all else family.small, random)
    val payload = new Mutation(stored, HeaderAt, stored.length - ChecksumBytes, random)
    (0 to Seq(0, 0, 0, 1, 3)(random.nextInt(5))).foreach(_ => payload.change(other(family, random)))
    MutatedBytes(family.name, name, finished(stored, payload.result, random))
  }

  /** Another stored sketch, mostly of the same family: the end of another family's payload is hardly ever valid here. */
  private def other(family: StoredFamily, random: SplittableRandom): Array[Byte] =
    one((if (random.nextInt(4) > 0) family else families(random.nextInt(families.size))).small, random)._2

  /** Completes the bytes, mostly with the right length and checksum, sometimes with a wrong one or with the end cut off. */
  private def finished(stored: Array[Byte], payload: Array[Byte], random: SplittableRandom): Array[Byte] = {
    val bytes = stored.take(HeaderAt) ++ payload ++ stored.takeRight(ChecksumBytes)
    if (bytes.length < Stored.SmallestBytes) bytes
    else random.nextInt(16) match {
      case 0 => bytes
      case 1 => Stored.reseal(bytes).take(random.nextInt(bytes.length + 1))
      case 2 =>
        Wire.putInt(bytes, LengthAt, bytes.length)
        bytes
      case 3 =>
        val length = extremeInts(random.nextInt(extremeInts.length))
        Stored.checksummed(bytes.patch(LengthAt, ofInt(length), 4))
      case 4 =>
        // change the magic or the version
        val at = random.nextInt(LengthAt)
        Stored.reseal(bytes.updated(at, random.nextInt(256).toByte))
      case _ => Stored.reseal(bytes)
    }
  }
}

object ByteMutations {
  private val LengthAt = 5
  private val HeaderAt = 9
  private val ChecksumBytes = 4

  private final case class StoredFamily(name: String, all: IndexedSeq[(String, Array[Byte])]) {
    val small: IndexedSeq[(String, Array[Byte])] = {
      val few = all.filter(_._2.length < 1200)
      if (few.isEmpty) IndexedSeq(all.minBy(_._2.length)) else few
    }
  }

  private val families: IndexedSeq[StoredFamily] = {
    val stored = Stored.all.toIndexedSeq
    Families.all.toIndexedSeq.map { family =>
      StoredFamily(
        family.name,
        stored.collect { case (name, s) if s.family eq family => name -> Envelope.seal(s) }
      )
    }
  }

  private def one[A](choices: IndexedSeq[A], random: SplittableRandom): A =
    choices(random.nextInt(choices.size))

  private val extremeInts = Array(0, 1, 17, 18, 0x7fffffff, 0x80000000, -1, 0x7ffffffb, 1 << 30)

  private val extremeLongs = Array(
    0L,
    1L,
    2L,
    127L,
    128L,
    255L,
    1L << 14,
    (1L << 31) - 1,
    1L << 31,
    (1L << 32) - 1,
    1L << 32,
    1L << 62,
    Long.MaxValue - 1,
    Long.MaxValue,
    Long.MinValue,
    -1L
  )

  private val extremeDoubles = Array(
    0.0,
    -0.0,
    1.0,
    0.5,
    1e-4,
    -1.0,
    1e300,
    Double.MinPositiveValue,
    Double.NaN,
    Double.PositiveInfinity,
    Double.NegativeInfinity,
    9e15,
    9.3e18
  )

  private def ofInt(value: Int): Array[Byte] = {
    val w = new Wire.Writer(4)
    w.int(value)
    w.result()
  }

  private def ofVarint(value: Long): Array[Byte] = {
    val w = new Wire.Writer(10)
    w.varint(value)
    w.result()
  }

  private def ofDouble(value: Double): Array[Byte] = {
    val w = new Wire.Writer(8)
    w.double(value)
    w.result()
  }

  /** Changes the bytes between the length and the checksum, one change after the other. */
  private final class Mutation(stored: Array[Byte], from: Int, until: Int, random: SplittableRandom) {
    private var bytes = stored.slice(from, until)

    def result: Array[Byte] = bytes

    def change(other: => Array[Byte]): Unit = if (bytes.nonEmpty) {
      // most fields that decoders check are at the beginning
      val at = random.nextInt(if (random.nextInt(3) == 0) bytes.length else math.min(bytes.length, 60))
      random.nextInt(12) match {
        case 0 | 1 => bytes(at) = (bytes(at) ^ (1 << random.nextInt(8))).toByte
        case 2 => bytes(at) = random.nextInt(256).toByte
        case 3 => bytes(at) = (bytes(at) + random.nextInt(5) - 2).toByte
        case 4 => replace(at, 1 + random.nextInt(4), Array.emptyByteArray)
        case 5 => replace(at, 0, Array.fill(1 + random.nextInt(4))(random.nextInt(256).toByte))
        case 6 | 7 =>
          replace(at, varintBytes(at), ofVarint(extremeLongs(random.nextInt(extremeLongs.length))))
        case 8 =>
          replace(at, varintBytes(at), ofVarint(random.nextLong() >>> random.nextInt(64)))
        case 9 => replace(at, 8, ofDouble(extremeDoubles(random.nextInt(extremeDoubles.length))))
        case 10 =>
          val that = other
          val begin = from + random.nextInt(math.max(1, that.length - from - ChecksumBytes))
          replace(at, bytes.length, that.slice(begin, that.length - ChecksumBytes))
        case _ =>
          // cut off the end, or repeat a piece
          if (random.nextBoolean()) replace(at, bytes.length, Array.emptyByteArray)
          else {
            val length = 1 + random.nextInt(40)
            replace(at, 0, bytes.slice(at, at + length))
          }
      }
    }

    private def varintBytes(at: Int): Int = {
      var n = 1
      while (n < 10 && at + n < bytes.length && bytes(at + n - 1) < 0) n += 1
      n
    }

    private def replace(at: Int, length: Int, by: Array[Byte]): Unit =
      bytes = bytes.take(at) ++ by ++ bytes.drop(at + length)
  }
}
