package chronosketch.warehouse

/** How much of a memory may the summaries of one run take, or of one live batch?
  *
  * Guarantee  while there are at most so many steps, all summaries together take at most `bytes`
  * Units      bytes
  * Source     Singh, Srivastava, Tirthapura, HistStream, VLDB 2016, §2 (half of the memory to each side); departs: what one of a
  *            side gets, which the paper leaves open
  *
  * Half goes to the runs and half to what is live. A quick answer is wrong in proportion to 1/share of the runs, an accurate one to 1/share
  * of what is live: with halves, one percent more for one side costs the other as much as it gains.
  */
final case class MemoryShares(bytes: Long, steps: Long, kappa: Int) {

  /** How many runs there are at worst at any time. */
  val runs: Long = MemoryShares.mostDigits(steps, kappa.toLong + 1) + 1

  /** What the summaries of a run may take that has so many older ones before it and itself: the n-th has an n-th of the first's. Later
    * it may have fewer before it, never more, so that all shares that were given out add up to half of the memory at most. Old runs have
    * most rows, so they get most.
    */
  def ofRun(place: Int): Long = (bytes / 2 / firsts / place).toLong

  /** What the summaries of a live batch may take where there are so many: all the same, and another share only where their number goes
    * beyond a power of two, so that a summary is seldom made coarser.
    */
  def ofLive(batches: Int): Long = {
    val below = Integer.highestOneBit(batches)
    bytes / 2 / (if (batches == below) below.toLong else 2L * below)
  }

  /** How many times the first's share all of them make. */
  private val firsts: Double = {
    var all = 0.0
    var i = runs
    while (i > 0) { all += 1.0 / i.toDouble; i -= 1 }
    all
  }
}

object MemoryShares {

  /** What the summary of a group takes at least. */
  private val LeastOfRun: Long = 250

  /** The least memory of which each run gets something. */
  def least(steps: Long, kappa: Int): Long = {
    val shares = MemoryShares(0, steps, kappa)
    math.ceil(2 * LeastOfRun.toDouble * shares.firsts * shares.runs.toDouble).toLong
  }

  /** The greatest sum of digits of the numbers up to one: a level of runs is a digit, which is full with base − 1. */
  private def mostDigits(upTo: Long, base: Long): Long = {
    var rest = upTo
    var sum = 0L // of the digits below, at best
    var digits = 0
    while (rest > 0) {
      val digit = rest % base
      // this digit as it is, or one less and all below full
      sum = math.max(digit + sum, digit - 1 + digits * (base - 1))
      digits += 1
      rest /= base
    }
    sum
  }
}
