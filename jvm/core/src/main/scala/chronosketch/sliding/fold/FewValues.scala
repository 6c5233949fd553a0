package chronosketch.sliding.fold

import java.util.Arrays

import chronosketch.families.Families
import chronosketch.sliding.{Frames, WorkArrays}
import chronosketch.summary.{Bags, Envelope, Summary}

/** Unites stored sketches of few values, for every row. It keeps the values of the row's frame sorted, inserts those that arrive
  * and removes those that leave.
  *
  * Guarantee  every row's union has the bytes that merging its sketches one after another gives
  * Cost       a pass over a row's values, where [[TwoStacks]] merges sketches several times; 8 bytes per value of all elements
  * Limits     the methods return false if a sketch does not store its values one by one, or a row has too many of them; then
  *            [[CellUnions]] is used
  *
  * An element is the union of some sketches: call [[add]] for each of them, then [[endElement]].
  */
final class FewValues {
  private var header: Envelope.StoredHeader = null
  private var bags: Bags[Summary] = null
  private var most = 0

  // the values of element i, sorted, are at ends(i) until ends(i + 1)
  private var values = new Array[Long](64)
  private var ends = new Array[Int](64)
  private var elements, size = 0
  private var isBegun = false
  private val read = new Array[Long](FewValues.Most)

  private var frames: Frames = _
  private var row = 0
  private var current: Summary = null
  private var currentBytes: Array[Byte] = null

  // the sorted values of the last row's frame, and a second array to write the next row's into
  private var inOrder, spare = new Array[Long](64)
  private var count = 0
  private var from, until = 0
  private var gone, come = new Array[Long](8)

  /** Removes all elements. */
  def clear(): Unit = {
    elements = 0
    size = 0
    isBegun = false
    forget()
  }

  private def forget(): Unit = {
    current = null
    currentBytes = null
  }

  /** Adds a stored sketch to the current element. Returns false if this class cannot handle the sketch. Bytes that are not a
    * sketch are rejected.
    */
  def add(bytes: Array[Byte]): Boolean = {
    Envelope.check(bytes)
    readHeader(bytes) && {
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

  /** Reads the sketch's header, unless it equals the previous one, as it usually does. Returns false if the sketch has to be
    * merged.
    */
  private def readHeader(bytes: Array[Byte]): Boolean =
    if (header != null && header.isOf(bytes)) bags != null
    // sketches of different kinds, including empty ones, are merged one by one
    else if (isBegun) false
    else {
      header = Envelope.StoredHeader.of(bytes, Families.byId)
      bags = header.header.bags.orNull
      if (bags != null) most = math.min(bags.mostInBag, FewValues.Most)
      bags != null
    }

  /** Completes the current element. Returns false if its values repeat often: merging is faster then, because it counts copies.
    */
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

  /** Starts a run of rows over the elements. Returns false if the frame of a row has too many values. */
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

  /** The union of the next row's frame, null if that is empty. It is valid until the next call and must not be changed. */
  def next(): Summary =
    if (!advance()) null
    else {
      if (current == null) current = bags.ofOrdered(inOrder, count)
      current
    }

  /** As [[next]], but returns the encoded bytes without creating the summary. */
  def nextSealed(): Array[Byte] =
    if (!advance()) null
    else {
      if (currentBytes == null) currentBytes = bags.sealOrdered(inOrder, count)
      currentBytes
    }

  /** Moves to the next row and updates its sorted values. Returns whether its frame has any element. */
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
      spare = WorkArrays.atLeast(spare, count - less + more)
      FewValues.move(inOrder, count, gone, less, come, more, spare)
      count += more - less
      val before = inOrder
      inOrder = spare
      spare = before
    }
  }

  /** Copies the values of some elements into a work array and sorts them. */
  private def run(into: Array[Long], from: Int, until: Int): Array[Long] = {
    val n = ends(until) - ends(from)
    val run = WorkArrays.atLeast(into, n)
    System.arraycopy(values, ends(from), run, 0, n)
    if (until - from > 1) Arrays.sort(run, 0, n)
    run
  }
}

private object FewValues {

  /** For more values a pass takes as long as merging. */
  private val Most = 4096

  /** Writes the n sorted values to `to`, without the values in `gone`, all of which they contain, and with those in `come`. All
    * arrays are sorted.
    */
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
