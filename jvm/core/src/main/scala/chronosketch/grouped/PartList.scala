package chronosketch.grouped

import java.nio.ByteBuffer
import java.util.{Arrays, Comparator}

import chronosketch.families.Families
import chronosketch.summary.{Envelope, RandomRecipe, RandomSummary, Recipe, Summary}

/** Encodes several parts as one, and sorts parts.
  *
  * The bytes only go from task to task of one query, or to the disk of one task, and are never stored. No sketch begins with their
  * mark, and no function accepts them.
  */
private[chronosketch] object PartList {
  private val Mark: Byte = 1

  // that of NumberedPart; rows have mark 0, and FewKeys 2
  private val LastMark: Byte = 3

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

/** Encodes a part of a random summary with a number. No two parts that an operator unites have the same.
  *
  * Guarantee  the union of the parts of a group draws from a random stream that depends on their numbers. Groups with equal rows have
  *            parts with other numbers, so their rows are drawn independently
  * Units      the number and the part; it goes where lists of parts go
  */
private[chronosketch] object NumberedPart {
  private val Mark: Byte = 3
  private val PartAt = 1 + 8

  /** Numbers a part, if the summary that unites it with others draws random numbers for it.
    *
    * @param areRows whether the part has rows that no summary has drawn
    */
  def of(recipe: Recipe[Summary], part: Array[Byte], areRows: Boolean): Array[Byte] = recipe match {
    case random: RandomRecipe if areRows || random.drawsInMerges =>
      ByteBuffer.allocate(PartAt + part.length).put(Mark).putLong(random.nextPart()).put(part).array
    case _ => part
  }

  def isNumbered(bytes: Array[Byte]): Boolean = bytes.length > 0 && bytes(0) == Mark

  /** The part without its number. */
  def withoutNumber(numbered: Array[Byte]): Array[Byte] =
    Arrays.copyOfRange(numbered, PartAt, numbered.length)

  /** Mixes the number of a part into the random stream of a summary, before the summary draws the rows of the part. */
  def mixNumber(numbered: Array[Byte], into: Summary): Unit = into match {
    case random: RandomSummary => random.mixIn(ByteBuffer.wrap(numbered).getLong(1))
    case other => throw new IllegalStateException(s"a numbered part of a ${other.family.name}")
  }

  /** Opens a part that is a sketch, with a number or without. */
  def open(bytes: Array[Byte]): Summary =
    if (isNumbered(bytes)) {
      val summary = Families.open(withoutNumber(bytes))
      mixNumber(bytes, summary)
      summary
    } else Families.open(bytes)
}
