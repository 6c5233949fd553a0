package chronosketch.sliding

/** Where elements are: some places hold one, others none. Read from the first to the last, and again. */
trait Elements {

  /** Calls on with the keys of the elements from one place until another, in their order. */
  def foreach(from: Long, until: Long, append: ElementSink): Unit

  /** How many there are. */
  def count(from: Long, until: Long): Long
}

trait ElementSink {
  def append(key: Long): Unit
}

/** Which keys are the φ-quantiles of a frame that is too large to be kept? Each frame is seen by its places; neither end goes back. */
trait LargeFrames {

  /** On to the frame of these places. */
  def see(from: Long, until: Long): Unit

  /** Nothing is kept until the next frame. */
  def forget(): Unit

  /** How many elements the frame has: where it has none there are no answers. */
  def count: Long

  /** How many values are kept. */
  def stored: Long

  /** The memory that these take now. */
  def sizeBytes: Long

  /** The answer to the φ of this number. */
  def value(phi: Int): Long
}
