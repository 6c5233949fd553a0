package chronosketch.rank

/** The end of the values near which a tail sketch is more accurate: its rank error is a share of the elements from there on.
  *
  * @param name
  *   the name in SQL
  */
sealed abstract class Tail(val name: String) extends Serializable {

  /** Whether the error falls towards the greatest value. */
  def isHigh: Boolean

  /** Whether the error falls towards the least value. */
  def isLow: Boolean

  /** The number of elements on the certain side of a gap between two tuples, which the gap may be wide in proportion to.
    *
    * @param below
    *   the number of elements that are certainly before the gap
    * @param above
    *   the number of elements that are certainly after the gap
    */
  final def nearer(below: Long, above: Long): Long =
    math.min(if (isLow) below else Long.MaxValue, if (isHigh) above else Long.MaxValue)

  /** Whether a rank error that falls towards this tail is also one that falls towards another. */
  final def promises(other: Tail): Boolean = (isHigh || !other.isHigh) && (isLow || !other.isLow)

  /** The largest possible rank error of a profile's quantiles, each as a share of the elements from its rank to the end of the tail.
    * The count must be certain.
    */
  final def error(profile: RankProfile): Double = {
    val n = profile.countLow
    var worst = 0.0
    var i = 1
    while (i < profile.size) {
      val (below, before) = profile.rankBounds(i - 1)
      // the rank in the middle of two keys is the farthest from both
      val error = (before + 1 - below) / 2
      worst = math.max(worst, error.toDouble / (nearer(below, n - before) + error))
      i += 1
    }
    worst
  }

  override def toString: String = name
}

object Tail {

  /** The rank error at rank r of n is at most ε·(n − r + 1). */
  case object High extends Tail("high") {
    def isHigh: Boolean = true
    def isLow: Boolean = false
  }

  /** The rank error at rank r is at most ε·r. */
  case object Low extends Tail("low") {
    def isHigh: Boolean = false
    def isLow: Boolean = true
  }

  /** The rank error at rank r of n is at most ε·min(r, n − r + 1). */
  case object Both extends Tail("both") {
    def isHigh: Boolean = true
    def isLow: Boolean = true
  }

  val all: Seq[Tail] = Seq(High, Low, Both)

  def named(name: String): Option[Tail] = all.find(_.name == name)
}
