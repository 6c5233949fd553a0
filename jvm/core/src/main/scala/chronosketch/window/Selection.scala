package chronosketch.window

import chronosketch.Refusal
import chronosketch.bucketing.{BucketList, Grid}
import chronosketch.sort.BinarySearch.firstWhere

/** Bounds the number of elements of each bucket that a constraint selects.
  *
  * Guarantee  the true number lies between the bounds; a bucket that no edge crosses is selected as a whole or not at all
  * Cost       a sort of the buckets' ends if rows are counted, and a few searches per bucket
  * Units      elements; `asOf` is a time, the last one selected, at which the window ends
  *
  * When rows are counted, the elements after a bucket are at least those of all buckets that begin after it, and at most those of
  * all that end after its beginning. So for a single stream without filters, only the bucket with the edge is uncertain.
  */
private[chronosketch] final class Selection(
    sketch: Windowed,
    constraint: Constraint,
    asOf: Option[Long]
) {
  private val lists = Array.tabulate(sketch.classCount)(sketch.list)
  private val end: Long = math.min(sketch.newest, asOf.getOrElse(Long.MaxValue))
  private val from: Long = asOf.getOrElse(sketch.newest)
  private val reaches = Array.tabulate(lists.length)(Reach.of(constraint, _))

  private lazy val newer = new NewerElements(lists, end)

  requireRetained()

  /** The exact number of rows selected, −1 if it is not certain. */
  def rows: Long = reaches.head match {
    case Reach.Rows(rows) if asOf.isEmpty && reaches.forall(_ == reaches.head) =>
      math.min(rows, lists.map(_.count).sum)
    case _ => -1L
  }

  /** Calls `visit` for every bucket with selected elements: (list, index, least, most). */
  def foreach(visit: (BucketList, Int, Long, Long) => Unit): Unit = {
    var c = 0
    while (c < lists.length) {
      val list = lists(c)
      val reach = reaches(c)
      if (reach != Reach.Nothing) {
        var i = 0
        while (i < list.size) {
          val isCut = list.lastTime(i) > end
          val least = if (isCut) 0L else countWithin(reach, c, i, isLeast = true)
          val most = countWithin(reach, c, i, isLeast = false)
          if (most > 0 && list.times(i) <= end) visit(list, i, least, most)
          i += 1
        }
      }
      c += 1
    }
  }

  /** The least or the greatest possible number of a bucket's elements in a window. The shorter of two nested windows has at most as
    * many.
    */
  private def countWithin(reach: Reach, c: Int, i: Int, isLeast: Boolean): Long = {
    val list = lists(c)
    reach match {
      case Reach.All => list.counts(i)
      case Reach.Nothing => 0L
      case Reach.Span(span) =>
        val time = if (isLeast) list.times(i) else list.lastTime(i)
        if (Windowed.reachesAll(from, span) || time > Windowed.back(from, span)) list.counts(i) else 0L
      case Reach.Rows(rows) =>
        val after = if (isLeast) newer.most(c, i) else newer.least(c, i)
        math.max(0L, math.min(list.counts(i), rows - after))
      case Reach.Shorter(left, right) =>
        math.min(countWithin(left, c, i, isLeast), countWithin(right, c, i, isLeast))
      case Reach.Longer(left, right) =>
        math.max(countWithin(left, c, i, isLeast), countWithin(right, c, i, isLeast))
    }
  }

  /** Rejects a constraint that selects rows which retention may have removed. */
  private def requireRetained(): Unit = if (sketch.retention != Windowed.KeepAll && !sketch.isEmpty) {
    val tooFar = reaches.filterNot(isRetained)
    if (tooFar.nonEmpty) {
      throw Refusal(
        "CHRONOSKETCH_BEYOND_RETENTION",
        "retention" -> sketch.retention.toString,
        "window" -> Selection.text(tooFar.head),
        "asOf" -> asOf.fold("newest")(_.toString)
      )
    }
  }

  private def isRetained(reach: Reach): Boolean = reach match {
    case Reach.Nothing => true
    case Reach.All => sketch.forgotten == 0
    case Reach.Span(span) => Windowed.back(from, span) >= sketch.horizon
    case Reach.Rows(rows) => sketch.forgotten == 0 || newer.since(sketch.horizon) >= rows
    case Reach.Shorter(left, right) => isRetained(left) || isRetained(right)
    case Reach.Longer(left, right) => isRetained(left) && isRetained(right)
  }
}

private[chronosketch] object Selection {

  /** Checks a constraint from outside, and creates its selection. */
  def of(sketch: Windowed, constraint: Constraint, asOf: Option[Long]): Selection = {
    Constraint.check(constraint)
    Constraint.filters(constraint).find(_ >= sketch.filters.size).foreach { unknown =>
      throw new IllegalArgumentException(s"no filter $unknown among ${Filters.text(sketch.filters)}")
    }
    new Selection(sketch, constraint, asOf)
  }

  private def text(reach: Reach): String = reach match {
    case Reach.Nothing => "none"
    case Reach.All => "all"
    case Reach.Span(span) => s"within_last($span)"
    case Reach.Rows(rows) => s"among_last($rows)"
    case Reach.Shorter(left, right) => s"(${text(left)} AND ${text(right)})"
    case Reach.Longer(left, right) => s"(${text(left)} OR ${text(right)})"
  }
}

/** Counts the elements of all classes, up to the time `end`, that are newer than a bucket. */
private[chronosketch] final class NewerElements(lists: Array[BucketList], end: Long) {
  import NewerElements._

  private val all = lists.indices.flatMap(c => (0 until lists(c).size).map(BucketIndex(c, _))).toArray

  // sorted by beginning: the buckets that certainly count, because they do not extend beyond `end`
  private val starts = all.filter(a => lists(a.c).lastTime(a.i) <= end)
    .sortWith((a, b) => isBefore(timeOf(a), tieOf(a), a.c, timeOf(b), tieOf(b), b.c))
  private val fromStart = starts.map(countOf).scanRight(0L)(_ + _)

  // sorted by end: all buckets that may count, because they begin no later than `end`
  private val ends = all.filter(a => timeOf(a) <= end)
    .sortWith((a, b) =>
      isBefore(lastTimeOf(a), lastTieOf(a), endClass(a), lastTimeOf(b), lastTieOf(b), endClass(b))
    )
  private val fromEnd = ends.map(countOf).scanRight(0L)(_ + _)

  private def timeOf(a: BucketIndex): Long = lists(a.c).times(a.i)
  private def tieOf(a: BucketIndex): Long = lists(a.c).ties(a.i)
  private def lastTimeOf(a: BucketIndex): Long = lists(a.c).lastTime(a.i)
  private def lastTieOf(a: BucketIndex): Long = lists(a.c).lastTie(a.i)
  private def countOf(a: BucketIndex): Long = lists(a.c).counts(a.i)

  /** The elements of one position are ordered by class. A larger bucket that ends at a position may end with any class. */
  private def endClass(a: BucketIndex): Int = if (lists(a.c).level(a.i) == 0) a.c else lists.length

  /** Least number of elements that come after all elements of the bucket. */
  def least(c: Int, i: Int): Long = {
    val list = lists(c)
    val (time, tie) = (list.lastTime(i), list.lastTie(i))
    val own = if (list.level(i) == 0) c else lists.length
    fromStart(firstWhere(starts.length)(k =>
      isBefore(time, tie, own, timeOf(starts(k)), tieOf(starts(k)), starts(k).c)
    ))
  }

  /** Largest number of elements of other buckets that may come after some element of the bucket: those of all
    * buckets that do not end before it begins.
    */
  def most(c: Int, i: Int): Long = {
    val list = lists(c)
    val (time, tie) = (list.times(i), list.ties(i))
    val own = if (list.level(i) == 0) c else -1
    val reaching = fromEnd(firstWhere(ends.length) { k =>
      val e = ends(k)
      !isBefore(lastTimeOf(e), lastTieOf(e), endClass(e), time, tie, own)
    })
    reaching - (if (time <= end) list.counts(i) else 0L)
  }

  /** Least number of elements after a time. */
  def since(time: Long): Long = fromStart(firstWhere(starts.length)(k => timeOf(starts(k)) > time))
}

private[chronosketch] object NewerElements {
  final case class BucketIndex(c: Int, i: Int)

  private def isBefore(timeA: Long, tieA: Long, a: Int, timeB: Long, tieB: Long, b: Int): Boolean =
    if (timeA == timeB && tieA == tieB) a < b else Grid.isBefore(timeA, tieA, timeB, tieB)
}
