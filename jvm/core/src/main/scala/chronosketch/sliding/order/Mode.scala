package chronosketch.sliding.order

/** Finds the most frequent key of every row's frame.
  *
  * Guarantee  exact; of several equally frequent keys, the smallest
  * Cost       sorting stretches of a few frames' length; O(log d) per row, amortised, for d distinct keys in a stretch; O(1) if
  *            the key that arrives or leaves is not among the most frequent of its subtree
  * Source     a tournament tree over the counts of the distinct keys, each node holding the more frequent of two; Knuth, The Art
  *            of Computer Programming 3, §5.4.1
  */
final class Mode extends StretchWalk {
  // how often each distinct key is in the frame
  private var counts = Array.empty[Int]

  // a tree over d distinct keys: leaf d + i is key i, node k holds the winner of nodes 2·k and 2·k + 1, node 1 the overall
  // winner
  private var winners = Array.empty[Int]

  private var players = 0

  protected def begin(): Unit = {
    players = stretch.count
    seat(players)
  }

  protected def arrive(number: Int): Unit = play(number, 1, players)
  protected def leave(number: Int): Unit = play(number, -1, players)
  protected def answer: Long = stretch.keys(winners(1))

  /** Fills the tree with counts of 0, where the smallest key wins. */
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

  private def play(player: Int, change: Int, players: Int): Unit = {
    val counts = this.counts
    val winners = this.winners
    counts(player) += change
    var at = (players + player) >>> 1
    while (at > 0) {
      val leftKey = winners(2 * at)
      val rightKey = winners(2 * at + 1)
      val ahead = counts(leftKey) - counts(rightKey)
      val winner = if (ahead > 0 || (ahead == 0 && leftKey < rightKey)) leftKey else rightKey
      // the same winner with the same count: nothing changes further up
      if (winner == winners(at) && winner != player) return
      winners(at) = winner
      at >>>= 1
    }
  }
}
