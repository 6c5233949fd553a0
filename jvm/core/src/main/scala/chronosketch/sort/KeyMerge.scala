package chronosketch.sort

/** Merges several sorted runs of keys.
  *
  * Guarantee  all keys of all runs, in ascending order
  * Cost       log₂(runs) comparisons per key; fewer if a run has several keys before the next one of another run
  *
  * A run is identified by its number. [[fill]] loads its keys, some at a time.
  */
private[chronosketch] abstract class KeyMerge(runs: Int) {

  /** The loaded keys of each run: those from `starts` until `ends` of its array in `keys`. */
  protected final val keys = new Array[Array[Long]](runs)
  protected final val starts, ends = new Array[Int](runs)

  // a heap of the runs, by their first loaded key
  private val heads = new Array[Long](runs)
  private val heap = new Array[Int](runs)
  private var size = 0

  /** Loads the next keys of a run, at least one. Returns false if there are no more. */
  protected def fill(run: Int): Boolean

  /** Adds a run from its beginning. */
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

  /** The number of added runs that have keys left. */
  final def left: Int = size

  /** Fills an array with the next keys and returns their number, which is less than the array's length only at the end. */
  final def next(into: Array[Long]): Int = {
    var n = 0
    while (n < into.length && size > 0) n = takeFromLeast(into, n)
    n
  }

  /** Copies keys of the run with the least key, up to the first key of the other runs. Returns the number of keys in `into`. */
  private def takeFromLeast(into: Array[Long], from: Int): Int = {
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

  /** Puts a run at the top of the heap and moves it down to its position. */
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
