package chronosketch.sliding.fold

import java.util.Arrays

import chronosketch.families.Families
import chronosketch.sliding.{Frames, Room}
import chronosketch.summary.{Bags, Envelope, Summary}

/** What do stored sketches of few values make together, for each row that sees some of them? A row's values are kept in order: those
  * that come are put in, and those that go are taken out.
  *
  * Guarantee  every row's union has the bytes that merging its sketches one after another gives
  * Cost       a pass over a row's values, where [[Folds]] merges sketches several times; 8 bytes a value of all elements
  * Merge      none. Where a sketch does not keep its values one by one, or a row sees many of them, it declines, and [[CellUnions]] serves
  *
  * An element is the union of some sketches: [[add]] each of them, then [[endElement]].
  */
final class FewValues {
  private var header: Envelope.StoredHeader = null
  private var bags: Bags[Summary] = null
  private var most = 0

  // the values of element i are in order, from ends(i) until ends(i + 1)
  private var values = new Array[Long](64)
  private var ends = new Array[Int](64)
  private var elements, size = 0
  private var isBegun = false
  private val read = new Array[Long](FewValues.Most)

  private var frames: Frames = _
  private var row = 0
  private var seen: Summary = null
  private var seenBytes: Array[Byte] = null

  // what the row before saw, and room for what the next one sees
  private var inOrder, spare = new Array[Long](64)
  private var count = 0
  private var from, until = 0
  private var gone, come = new Array[Long](8)

  /** Starts with other elements. */
  def clear(): Unit = {
    elements = 0
    size = 0
    isBegun = false
    forget()
  }

  private def forget(): Unit = {
    seen = null
    seenBytes = null
  }

  /** Adds a stored sketch to the element at hand; false where it declines. What is no sketch is refused. */
  def add(bytes: Array[Byte]): Boolean = {
    Envelope.check(bytes)
    takes(bytes) && {
      val reader = header.payload(bytes)
      val n = bags.readSmall(reader, alone = true, read)
      n >= 0 && n <= most && {
        reader.requireEnd()
        if (size + n > values.length) values = Arrays.copyOf(values, 2 * (size + n))
        System.arraycopy(read, 0, values, size, n)
        size += n
        isBegun = true
        true
      }
    }
  }

  /** Mostly the header is that of the sketch before: then nothing is parsed. */
  private def takes(bytes: Array[Byte]): Boolean =
    if (header != null && header.isOf(bytes)) bags != null
    // sketches of different kinds, also those of nothing, are merged one by one
    else if (isBegun) false
    else {
      header = Envelope.StoredHeader.of(bytes, Families.byId)
      bags = header.header.bags.orNull
      if (bags != null) most = math.min(bags.mostInBag, FewValues.Most)
      bags != null
    }

  /** The element at hand is whole; false where it declines: copies of a few values are quicker to merge, which counts them. */
  def endElement(): Boolean = {
    val first = ends(elements)
    elements += 1
    if (elements == ends.length) ends = Arrays.copyOf(ends, 2 * elements)
    ends(elements) = size
    Arrays.sort(values, first, size)
    var distinct = 0
    var i = first
    while (i < size) {
      if (i == first || values(i) != values(i - 1)) distinct += 1
      i += 1
    }
    size - first <= 2 * distinct
  }

  /** Starts with the rows that see the elements; false where one of them sees too many values. */
  def begin(frames: Frames): Boolean = {
    this.frames = frames
    row = 0
    forget()
    count = 0
    from = 0
    until = 0
    var areFew = true
    var i = 0
    while (areFew && i < frames.rows) {
      areFew = ends(frames.until(i)) - ends(frames.from(i)) <= most
      i += 1
    }
    areFew
  }

  /** What the next row sees, null where that is nothing: to be looked at before the next call, and not changed. */
  def next(): Summary =
    if (!advance()) null
    else {
      if (seen == null) seen = bags.ofOrdered(inOrder, count)
      seen
    }

  /** The bytes of [[next]], without an object of it. */
  def nextSealed(): Array[Byte] =
    if (!advance()) null
    else {
      if (seenBytes == null) seenBytes = bags.sealOrdered(inOrder, count)
      seenBytes
    }

  /** Whether the next row sees any element. Its values are in order then. */
  private def advance(): Boolean = {
    val first = frames.from(row)
    val end = frames.until(row)
    row += 1
    first < end && {
      if (first != from || end != until) {
        slide(first, end)
        forget()
      }
      true
    }
  }

  private def slide(first: Int, end: Int): Unit = {
    if (first >= until) {
      count = 0
      from = first
      until = first
    }
    gone = run(gone, from, first)
    come = run(come, until, end)
    val (less, more) = (ends(first) - ends(from), ends(end) - ends(until))
    from = first
    until = end
    if (less + more > 0) {
      spare = Room.of(spare, count - less + more)
      FewValues.move(inOrder, count, gone, less, come, more, spare)
      count += more - less
      val before = inOrder
      inOrder = spare
      spare = before
    }
  }

  /** The values of some elements, in order, in an array for work. */
  private def run(into: Array[Long], from: Int, until: Int): Array[Long] = {
    val n = ends(until) - ends(from)
    val run = Room.of(into, n)
    System.arraycopy(values, ends(from), run, 0, n)
    if (until - from > 1) Arrays.sort(run, 0, n)
    run
  }
}

private object FewValues {

  /** A pass over more takes as long as merging. */
  private val Most = 4096

  /** The n values without those that go, which are among them, and with those that come; all in order. */
  private def move(
      values: Array[Long],
      n: Int,
      gone: Array[Long],
      less: Int,
      come: Array[Long],
      more: Int,
      to: Array[Long]
  ): Unit = {
    var i, j, k, o = 0
    while (i < n) {
      val value = values(i)
      i += 1
      if (j < less && gone(j) == value) j += 1
      else {
        while (k < more && come(k) <= value) { to(o) = come(k); o += 1; k += 1 }
        to(o) = value
        o += 1
      }
    }
    System.arraycopy(come, k, to, o, more - k)
  }
}
