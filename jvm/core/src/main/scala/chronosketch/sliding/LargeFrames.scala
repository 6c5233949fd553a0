package chronosketch.sliding

/** A sequence of places, some of which hold an element. Readers go from the first place to the last, and may read places again.
  */
trait Elements {

  /** Passes the keys of all elements between the two places to the sink, in order. */
  def foreach(from: Long, until: Long, append: ElementSink): Unit

  /** Number of elements between the two places. */
  def count(from: Long, until: Long): Long
}

trait ElementSink {
  def append(key: Long): Unit
}

/** Computes φ-quantiles of frames that are too large to be stored. A frame is given by its places; neither end moves backwards.
  */
trait LargeFrames {

  /** Moves to the frame of these places. */
  def moveTo(from: Long, until: Long): Unit

  /** Releases the memory; the next frame starts anew. */
  def forget(): Unit

  /** Number of elements in the frame. If it is 0, the frame has no quantiles. */
  def count: Long

  /** Number of values stored. */
  def stored: Long

  /** Memory in use. */
  def sizeBytes: Long

  /** The quantile for the φ at this index. */
  def value(phi: Int): Long
}
