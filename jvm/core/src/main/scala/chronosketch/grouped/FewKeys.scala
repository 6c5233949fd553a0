package chronosketch.grouped

import java.util.Arrays

import chronosketch.codec.{Packed, Wire}
import chronosketch.summary.{Bags, Summary}

/** Collects the keys of a group's parts that have only few keys, to make one summary of all of them.
  *
  * Guarantee  the summary depends on the keys alone, not on their order or the parts they come from
  */
private[grouped] final class FewKeys[S <: Summary](val maker: Bags[S]) {
  private var keys = new Array[Long](2 * KeyBags.MostKeys)
  private var n = 0

  def add(more: Array[Long], count: Int): Unit = {
    if (n + count > keys.length) keys = Arrays.copyOf(keys, 2 * keys.length)
    System.arraycopy(more, 0, keys, n, count)
    n += count
  }

  def summary: S = {
    Arrays.sort(keys, 0, n)
    maker.ofBag(keys, 0, n)
  }

  /** Orders the makers of one group's summaries: the bytes of an empty summary. */
  def makerBytes: Array[Byte] = FewKeys.emptySketch(maker)
}

/** Encodes the keys of a bag with the header of their summaries, as a part. */
private[grouped] object FewKeys {
  private val Mark: Byte = 2

  private def emptySketch(maker: Bags[_ <: Summary]): Array[Byte] = maker.seal(Array.emptyLongArray, 0)

  def isKeys(part: Array[Byte]): Boolean = part(0) == Mark

  /** Encodes the first n ≥ 1 keys. */
  def encode(maker: Bags[_ <: Summary], keys: Array[Long], n: Int): Array[Byte] = {
    val w = new Wire.Writer(8 * n + 64)
    w.byte(Mark.toInt)
    val empty = emptySketch(maker)
    w.varint(empty.length.toLong)
    empty.foreach(b => w.byte(b & 0xff))
    w.varint(n.toLong)
    Packed.write(w, keys, n)
    w.result()
  }

  /** The empty sketch that has the header. */
  def emptySketch(part: Array[Byte]): Array[Byte] = readEmpty(reader(part))

  /** Reads the keys and returns their number. */
  def read(part: Array[Byte], into: Array[Long]): Int = {
    val r = reader(part)
    readEmpty(r)
    val n = Math.toIntExact(r.varint())
    Packed.read(r, into, n)
    n
  }

  private def reader(part: Array[Byte]) = new Wire.Reader(part, 1, part.length)

  private def readEmpty(r: Wire.Reader): Array[Byte] =
    Array.fill(Math.toIntExact(r.varint()))(r.byte().toByte)
}
