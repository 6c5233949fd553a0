package chronosketch.sliding.order

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.sort.PairSort

/** Assigns each element of a stretch a slot in key order. Slots are ordered by the leading bits of the keys at first. The
  * elements that share their leading bits, a crowd, are sorted only when a search comes to them.
  *
  * Guarantee  every element has its own slot; the elements of a crowd have consecutive slots, and crowds are in key order. Within
  *            an open (sorted) crowd slots are ordered by (key, element)
  * Cost       three passes over the elements, and sorting the crowds that are opened
  */
private[chronosketch] final class LazyOrder {
  private var keys = Array.empty[Long]
  private var start = 0
  private var least = 0L
  private var shift = 0
  private val sorter = new PairSort

  // the crowd being sorted: its keys, and their elements
  private var crowdKeys = new Array[Long](LazyOrder.Few)
  private var crowdElements = new Array[Int](LazyOrder.Few)

  /** The slot of element start + i is slots(i). */
  var slots = new Array[Int](LazyOrder.Few)

  /** The element at slot s is start + elements(s) in an open crowd. Otherwise elements(s) is negative and the element is start +
    * ~elements(s).
    */
  var elements = new Array[Int](LazyOrder.Few)

  // end of each crowd
  private var ends = Array.empty[Int]

  /** Memory in use. The keys belong to the caller and are not counted. */
  def sizeBytes: Long =
    Meter.ObjectBytes + Meter.longs(crowdKeys.length) + sorter.sizeBytes +
      Seq(crowdElements, slots, elements, ends).map(array => Meter.ints(array.length)).sum

  /** Starts a stretch of n elements, beginning at `start`. */
  def begin(keys: Array[Long], start: Int, n: Int): Unit = {
    this.keys = keys
    this.start = start
    if (n > slots.length) {
      slots = new Array[Int](n + n / 4)
      elements = new Array[Int](n + n / 4)
    }
    if (n > LazyOrder.Few) distribute(n)
    else {
      var i = 0
      while (i < n) { elements(i) = ~i; i += 1 }
      sort(0, n)
    }
  }

  private def distribute(n: Int): Unit = {
    val keys = this.keys
    val start = this.start
    val end = start + n
    var least = keys(start)
    var greatest = least
    var i = start + 1
    while (i < end) {
      val key = keys(i)
      least = math.min(least, key)
      greatest = math.max(greatest, key)
      i += 1
    }
    val bits = math.min(LazyOrder.MostBits, 32 - LazyOrder.CrowdBits - Integer.numberOfLeadingZeros(n))
    // unsigned, because the range may need 64 bits
    val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(greatest - least) - bits)
    this.least = least
    this.shift = shift
    val crowds = 1 << bits
    if (ends.length < crowds) ends = new Array[Int](crowds)
    else Arrays.fill(ends, 0, crowds, 0)
    val at = ends
    i = start
    while (i < end) {
      at(((keys(i) - least) >>> shift).toInt) += 1
      i += 1
    }
    var sum = 0
    var crowd = 0
    while (crowd < crowds) {
      val size = at(crowd)
      at(crowd) = sum
      sum += size
      crowd += 1
    }
    val slots = this.slots
    val elements = this.elements
    i = 0
    while (i < n) {
      crowd = ((keys(start + i) - least) >>> shift).toInt
      val slot = at(crowd)
      at(crowd) = slot + 1
      slots(i) = slot
      elements(slot) = ~i
      i += 1
    }
  }

  /** First slot of the crowd that contains this slot. The crowd must not be open. */
  def crowdStart(slot: Int): Int = {
    val crowd = crowdOf(slot)
    if (crowd == 0) 0 else ends(crowd - 1)
  }

  def crowdEnd(slot: Int): Int = ends(crowdOf(slot))

  private def crowdOf(slot: Int): Int = ((keys(start + ~elements(slot)) - least) >>> shift).toInt

  /** Sorts the crowd in these slots, which must not be open yet. */
  def sort(from: Int, until: Int): Unit = {
    val n = until - from
    if (n > crowdKeys.length) {
      crowdKeys = new Array[Long](n + n / 4)
      crowdElements = new Array[Int](n + n / 4)
    }
    var i = 0
    while (i < n) {
      val element = ~elements(from + i)
      crowdKeys(i) = keys(start + element)
      crowdElements(i) = element
      i += 1
    }
    sorter.sort(crowdKeys, crowdElements, 0, n)
    i = 0
    while (i < n) {
      val element = crowdElements(i)
      elements(from + i) = element
      slots(element) = from + i
      i += 1
    }
  }
}

private[chronosketch] object LazyOrder {

  /** At most this many elements form a single crowd, which is sorted at once. */
  private val Few = 64

  /** Crowds have about 2^CrowdBits elements on average. */
  private val CrowdBits = 4
  private val MostBits = 16
}
