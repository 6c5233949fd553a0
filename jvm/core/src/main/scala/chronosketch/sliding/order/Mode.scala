package chronosketch.sliding.order

import chronosketch.sliding.{Frames, Stretches}

/** Which key is the most frequent in every row's frame?
  *
  * Guarantee  exact; of several the least
  * Cost       the sorting of stretches of a few frames' length; O(log d) a row amortised for d distinct keys in a stretch, O(1) while
  *            what comes and goes is not among the most frequent of its part of the keys
  * Source     a tournament: the counts of distinct keys, and above them the more frequent of each two; Knuth, The Art of Computer
  *            Programming 3, §5.4.1
  *
  * One a thread: its room is used again from run to run.
  */
final class Mode {
  private val stretch = new DistinctKeys

  // how often each of the distinct keys is in the frame
  private var counts = Array.empty[Int]

  // d distinct keys: the i-th plays at d + i, the winner of 2·k and 2·k + 1 at k, that of all at 1
  private var winners = Array.empty[Int]

  /** Element i has the key keys(i). Leaves at out(row) the most frequent one of the row's frame; what is there of an empty frame
    * says nothing.
    */
  def slide(keys: Array[Long], frames: Frames, out: Array[Long]): Unit = {
    var row = 0
    while (row < frames.rows) {
      val end = Stretches.end(frames, row)
      walk(keys, frames, row, end, out)
      row = end
    }
  }

  private def walk(keys: Array[Long], frames: Frames, first: Int, end: Int, out: Array[Long]): Unit = {
    val froms = frames.from
    val untils = frames.until
    val start = froms(first)
    stretch.read(keys, start, untils(end - 1) - start)
    val players = stretch.count
    val distinct = stretch.keys
    seat(players)
    val numbers = stretch.numbers
    var left = start // elements before this one have left
    var arrived = start // those before this one have arrived
    var row = first
    while (row < end) {
      val from = froms(row)
      val until = untils(row)
      var i = math.max(arrived, from)
      while (i < until) {
        play(numbers(i - start), 1, players)
        i += 1
      }
      val stop = math.min(arrived, from)
      i = left
      while (i < stop) {
        play(numbers(i - start), -1, players)
        i += 1
      }
      left = from
      arrived = until
      if (from < until) out(row) = distinct(winners(1))
      row += 1
    }
  }

  /** All at their places, none of whose keys has been seen yet: the least wins. */
  private def seat(players: Int): Unit = {
    if (counts.length < players) {
      counts = new Array[Int](stretch.keys.length)
      winners = new Array[Int](2 * stretch.keys.length)
    }
    var i = 0
    while (i < players) {
      counts(i) = 0
      winners(players + i) = i
      i += 1
    }
    i = players - 1
    while (i > 0) {
      winners(i) = math.min(winners(2 * i), winners(2 * i + 1))
      i -= 1
    }
  }

  private def play(player: Int, more: Int, players: Int): Unit = {
    val counts = this.counts
    val winners = this.winners
    counts(player) += more
    var at = (players + player) >>> 1
    while (at > 0) {
      val one = winners(2 * at)
      val other = winners(2 * at + 1)
      val ahead = counts(one) - counts(other)
      val winner = if (ahead > 0 || (ahead == 0 && one < other)) one else other
      // who won before wins again with what it had: nothing changes further up
      if (winner == winners(at) && winner != player) return
      winners(at) = winner
      at >>>= 1
    }
  }
}
