package chronosketch.sliding.order

/** Which key is the most frequent in every row's frame?
  *
  * Guarantee  exact; of several the least
  * Cost       the sorting of stretches of a few frames' length; O(log d) a row amortised for d distinct keys in a stretch, O(1) while
  *            what comes and goes is not among the most frequent of its part of the keys
  * Source     a tournament: the counts of distinct keys, and above them the more frequent of each two; Knuth, The Art of Computer
  *            Programming 3, §5.4.1
  */
final class Mode extends StretchWalk {
  // how often each of the distinct keys is in the frame
  private var counts = Array.empty[Int]

  // d distinct keys: the i-th plays at d + i, the winner of 2·k and 2·k + 1 at k, that of all at 1
  private var winners = Array.empty[Int]

  private var players = 0

  protected def begin(): Unit = {
    players = stretch.count
    seat(players)
  }

  protected def arrive(number: Int): Unit = play(number, 1, players)
  protected def leave(number: Int): Unit = play(number, -1, players)
  protected def answer: Long = stretch.keys(winners(1))

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
