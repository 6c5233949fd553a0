package chronosketch.warehouse

/** Divides a memory among the summaries of runs and of live batches.
  *
  * Guarantee  while there are at most `steps` steps, all summaries together take at most `bytes`
  * Units      bytes
  * Source     Singh, Srivastava, Tirthapura, HistStream, VLDB 2016, §2 (half of the memory to each side). The paper does not say how
  *            to divide a side
  *
  * Half of the memory goes to the runs and half to the live batches. The error of a quick answer is proportional to 1/(share of the runs),
  * that of an accurate answer to 1/(share of the live batches). With equal halves, one percent more for one side costs the other as much
  * as it gains.
  */
final case class MemoryShares(bytes: Long, steps: Long, kappa: Int) {

  /** The greatest number of runs at any time. */
  val runs: Long = MemoryShares.maxDigitSum(steps, kappa.toLong + 1) + 1

  /** The bytes for the summaries of the run at a place, counted from the oldest run, which is 1: run n gets an n-th of the first run's share.
    * The place of a run can only decrease later, so all shares given out add up to at most half of the memory. Old runs get most, because
    * they have most rows.
    */
  def bytesOfRun(place: Int): Long = (bytes / 2 / sumOfShares / place).toLong

  /** The bytes for the summaries of one of n live batches. All get the same, and the share changes only when n exceeds a power of two, so
    * that summaries are seldom coarsened.
    */
  def bytesOfLive(batches: Int): Long = {
    val power = Integer.highestOneBit(batches)
    bytes / 2 / (if (batches == power) power.toLong else 2L * power)
  }

  /** The sum of all runs' shares, in shares of the first run. */
  private val sumOfShares: Double = {
    var sum = 0.0
    var i = runs
    while (i > 0) { sum += 1.0 / i.toDouble; i -= 1 }
    sum
  }
}

object MemoryShares {

  /** The least bytes that the summary of a group takes. */
  private val MinBytesOfRun: Long = 250

  /** The least memory from which each run gets enough for a summary. */
  def minBytes(steps: Long, kappa: Int): Long = {
    val shares = MemoryShares(0, steps, kappa)
    math.ceil(2 * MinBytesOfRun.toDouble * shares.sumOfShares * shares.runs.toDouble).toLong
  }

  /** The greatest digit sum of the numbers up to `upTo`. The number of runs of a level is a digit, which is at most base − 1. */
  private def maxDigitSum(upTo: Long, base: Long): Long = {
    var rest = upTo
    var sum = 0L // greatest digit sum of the lower digits
    var digits = 0
    while (rest > 0) {
      val digit = rest % base
      // either this digit and the best lower ones, or this digit minus 1 and all lower ones maximal
      sum = math.max(digit + sum, digit - 1 + digits * (base - 1))
      digits += 1
      rest /= base
    }
    sum
  }
}
