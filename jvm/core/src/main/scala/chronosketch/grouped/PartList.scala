package chronosketch.grouped

import java.nio.ByteBuffer
import java.util.{Arrays, Comparator}

import chronosketch.summary.Envelope

/** Encodes several parts as one, and sorts parts.
  *
  * The bytes only go from task to task of one query, or to the disk of one task, and are never stored. No sketch begins with their
  * mark, and no function accepts them.
  */
private[chronosketch] object PartList {
  private val Mark: Byte = 1

  // that of FewKeys; rows have mark 0
  private val LastMark: Byte = 2

  private val byBytes: Comparator[Array[Byte]] = (a, b) => Arrays.compareUnsigned(a, b)

  /** Sorts parts by their bytes. The length comes early in an encoded sketch, so short sketches come before long ones. */
  def sort(parts: Array[Array[Byte]]): Unit = if (parts.length > 1) Arrays.sort(parts, byBytes)

  /** Refuses bytes that are meant to be a stored sketch and would be taken for another part. */
  def requireStored(bytes: Array[Byte]): Unit =
    if (bytes.length == 0 || bytes(0) <= LastMark) Envelope.check(bytes)

  def isList(bytes: Array[Byte]): Boolean = bytes.length > 0 && bytes(0) == Mark

  /** Packs the parts from `from` until `until` into one. There must be at least one. */
  def pack(parts: Array[Array[Byte]], from: Int, until: Int): Array[Byte] =
    if (until - from == 1) parts(from)
    else {
      var size = 5L
      var i = from
      while (i < until) { size += 4L + parts(i).length; i += 1 }
      val packed = ByteBuffer.allocate(Math.toIntExact(size))
      packed.put(Mark).putInt(until - from)
      i = from
      while (i < until) { packed.putInt(parts(i).length).put(parts(i)); i += 1 }
      packed.array
    }

  /** Packs parts into lists of at most `most` bytes, but at least one part each. */
  def packWithin(parts: Array[Array[Byte]], most: Int): Array[Array[Byte]] = {
    val lists = Array.newBuilder[Array[Byte]]
    var from = 0
    while (from < parts.length) {
      var size = parts(from).length.toLong
      var until = from + 1
      while (until < parts.length && size + parts(until).length <= most) {
        size += parts(until).length
        until += 1
      }
      lists += pack(parts, from, until)
      from = until
    }
    lists.result()
  }

  /** Returns the parts of a list. */
  def unpack(list: Array[Byte]): Array[Array[Byte]] = {
    val packed = ByteBuffer.wrap(list, 1, list.length - 1)
    Array.fill(packed.getInt()) {
      val part = new Array[Byte](packed.getInt())
      packed.get(part)
      part
    }
  }
}
