package chronosketch.sort

/** Which keys come next, when several runs of sorted keys are merged?
  *
  * Guarantee  all keys of all runs, in order
  * Cost       log₂(runs) comparisons a key, fewer where a run has several keys before the next one of another
  *
  * A run is a number, of which [[fill]] shows some keys after the others.
  */
private[chronosketch] abstract class KeyMerge(runs: Int) {

  /** Of each run the keys that it shows: from `starts` until `ends`. */
  protected final val keys = new Array[Array[Long]](runs)
  protected final val starts, ends = new Array[Int](runs)

  // a heap of the runs by the first key that they show
  private val heads = new Array[Long](runs)
  private val heap = new Array[Int](runs)
  private var size = 0

  /** Shows the next keys of a run, one at least; false where it has none. */
  protected def fill(run: Int): Boolean

  /** Takes a run in, of which nothing has been merged. */
  final def add(run: Int): Unit = if (fill(run)) {
    var at = size
    size += 1
    val head = keys(run)(starts(run))
    while (at > 0 && heads((at - 1) >>> 1) > head) {
      move((at - 1) >>> 1, at)
      at = (at - 1) >>> 1
    }
    put(run, at)
  }

  /** How many of the runs that were taken in are not at their end. */
  final def left: Int = size

  /** Puts the next keys into an array, which is full then unless there are no more; how many. */
  final def next(into: Array[Long]): Int = {
    var n = 0
    while (n < into.length && size > 0) n = taken(into, n)
    n
  }

  /** Takes from the run with the least key what comes before the keys of all others. */
  private def taken(into: Array[Long], from: Int): Int = {
    val run = heap(0)
    val source = keys(run)
    val limit =
      if (size == 1) Long.MaxValue else if (size == 2) heads(1) else math.min(heads(1), heads(2))
    var at = starts(run)
    var n = from
    val end = math.min(ends(run), at + into.length - n)
    while (at < end && source(at) <= limit) {
      into(n) = source(at)
      at += 1
      n += 1
    }
    starts(run) = at
    if (at == ends(run) && !fill(run)) {
      size -= 1
      if (size > 0) sink(heap(size))
    } else sink(run)
    n
  }

  /** A run in the place of the first, and down from there. */
  private def sink(run: Int): Unit = {
    val head = keys(run)(starts(run))
    var at = 0
    var child = 1
    while (child < size) {
      if (child + 1 < size && heads(child + 1) < heads(child)) child += 1
      if (heads(child) < head) {
        move(child, at)
        at = child
        child = 2 * at + 1
      } else child = size
    }
    put(run, at)
  }

  private def move(from: Int, to: Int): Unit = {
    heads(to) = heads(from)
    heap(to) = heap(from)
  }

  private def put(run: Int, at: Int): Unit = {
    heads(at) = keys(run)(starts(run))
    heap(at) = run
  }
}
