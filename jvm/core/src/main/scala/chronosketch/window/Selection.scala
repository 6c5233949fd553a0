package chronosketch.window

import chronosketch.Refusal
import chronosketch.bucketing.{BucketList, Grid}

/** How many elements of each bucket does a constraint mean, at least and at most?
  *
  * Guarantee  never fewer nor more than that; a bucket that no edge crosses is in or out as a whole
  * Cost       a sort of the buckets' edges where rows are counted, a few searches a bucket
  * Units      elements; `asOf` is a time, the last that counts, and the window ends at it
  * Merge      none
  *
  * Of rows that are counted, a bucket's newer ones are those of all buckets behind it, surely, and those of all that reach
  * past its beginning, at most: of one stream without a filter only the bucket with the edge is in doubt.
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

  private lazy val newer = new Newer(lists, end)

  requireKept()

  /** How many rows that is, where it is certain; else −1. */
  def rows: Long = reaches.head match {
    case Reach.Rows(rows) if asOf.isEmpty && reaches.forall(_ == reaches.head) =>
      math.min(rows, lists.map(_.count).sum)
    case _ => -1L
  }

  // of the bucket asked about last
  private var least = 0L
  private var most = 0L

  /** Tells `in` of every bucket which has elements that are meant: (list, index, least, most). */
  def foreach(in: (BucketList, Int, Long, Long) => Unit): Unit = {
    var c = 0
    while (c < lists.length) {
      val list = lists(c)
      val reach = reaches(c)
      if (reach != Reach.Nothing) {
        var i = 0
        while (i < list.size) {
          locate(reach, c, i)
          val isCut = list.lastTime(i) > end
          if (isCut) least = 0L
          if (most > 0 && list.times(i) <= end) in(list, i, least, most)
          i += 1
        }
      }
      c += 1
    }
  }

  /** Into `least` and `most`. Of nested windows the shorter has fewer of every bucket. */
  private def locate(reach: Reach, c: Int, i: Int): Unit = {
    val list = lists(c)
    val count = list.counts(i)
    reach match {
      case Reach.All => least = count; most = count
      case Reach.Nothing => least = 0L; most = 0L
      case Reach.Span(span) =>
        val before = Windowed.back(from, span)
        val reachesAll = Windowed.reachesAll(from, span)
        least = if (reachesAll || list.times(i) > before) count else 0L
        most = if (reachesAll || list.lastTime(i) > before) count else 0L
      case Reach.Rows(rows) =>
        least = math.max(0L, math.min(count, rows - newer.most(c, i)))
        most = math.max(0L, math.min(count, rows - newer.least(c, i)))
      case Reach.Shorter(left, right) =>
        locate(left, c, i)
        val (low, high) = (least, most)
        locate(right, c, i)
        least = math.min(low, least)
        most = math.min(high, most)
      case Reach.Longer(left, right) =>
        locate(left, c, i)
        val (low, high) = (least, most)
        locate(right, c, i)
        least = math.max(low, least)
        most = math.max(high, most)
    }
  }

  /** What may have been forgotten must not be asked for. */
  private def requireKept(): Unit = if (sketch.retention != Windowed.KeepAll && !sketch.isEmpty) {
    val tooFar = reaches.filterNot(isKept)
    if (tooFar.nonEmpty) {
      throw Refusal(
        "CHRONOSKETCH_BEYOND_RETENTION",
        "retention" -> sketch.retention.toString,
        "window" -> Selection.text(tooFar.head),
        "asOf" -> asOf.fold("newest")(_.toString)
      )
    }
  }

  private def isKept(reach: Reach): Boolean = reach match {
    case Reach.Nothing => true
    case Reach.All => sketch.forgotten == 0
    case Reach.Span(span) => Windowed.back(from, span) >= sketch.horizon
    case Reach.Rows(rows) => sketch.forgotten == 0 || newer.since(sketch.horizon) >= rows
    case Reach.Shorter(left, right) => isKept(left) || isKept(right)
    case Reach.Longer(left, right) => isKept(left) && isKept(right)
  }
}

private[chronosketch] object Selection {

  /** Of a constraint that anybody may have written. */
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

/** How many elements of all classes, up to the time `end`, are newer than those of a bucket? */
private[chronosketch] final class Newer(lists: Array[BucketList], end: Long) {
  import Newer._

  private val all = lists.indices.flatMap(c => (0 until lists(c).size).map(At(c, _))).toArray

  // in order of where they begin, those that surely count: none that reaches past `end`
  private val starts = all.filter(a => lists(a.c).lastTime(a.i) <= end)
    .sortWith((a, b) => isBefore(timeOf(a), tieOf(a), a.c, timeOf(b), tieOf(b), b.c))
  private val fromStart = starts.map(countOf).scanRight(0L)(_ + _)

  // in order of where they end, all that may count: none that begins past `end`
  private val ends = all.filter(a => timeOf(a) <= end)
    .sortWith((a, b) =>
      isBefore(lastTimeOf(a), lastTieOf(a), endClass(a), lastTimeOf(b), lastTieOf(b), endClass(b))
    )
  private val fromEnd = ends.map(countOf).scanRight(0L)(_ + _)

  private def timeOf(a: At): Long = lists(a.c).times(a.i)
  private def tieOf(a: At): Long = lists(a.c).ties(a.i)
  private def lastTimeOf(a: At): Long = lists(a.c).lastTime(a.i)
  private def lastTieOf(a: At): Long = lists(a.c).lastTie(a.i)
  private def countOf(a: At): Long = lists(a.c).counts(a.i)

  /** Elements of one position are in order of class; a larger bucket that ends there may have any class's place. */
  private def endClass(a: At): Int = if (lists(a.c).level(a.i) == 0) a.c else lists.length

  /** At least so many elements come after every one of the bucket's. */
  def least(c: Int, i: Int): Long = {
    val list = lists(c)
    val (time, tie) = (list.lastTime(i), list.lastTie(i))
    val own = if (list.level(i) == 0) c else lists.length
    fromStart(first(starts.length)(k =>
      isBefore(time, tie, own, timeOf(starts(k)), tieOf(starts(k)), starts(k).c)
    ))
  }

  /** At most so many of others come after the last but one of the bucket's: all that do not end before it begins. */
  def most(c: Int, i: Int): Long = {
    val list = lists(c)
    val (time, tie) = (list.times(i), list.ties(i))
    val own = if (list.level(i) == 0) c else -1
    val reaching = fromEnd(first(ends.length) { k =>
      val e = ends(k)
      !isBefore(lastTimeOf(e), lastTieOf(e), endClass(e), time, tie, own)
    })
    reaching - (if (time <= end) list.counts(i) else 0L)
  }

  /** Elements that surely came after a time. */
  def since(time: Long): Long = fromStart(first(starts.length)(k => timeOf(starts(k)) > time))

  private def first(n: Int)(holds: Int => Boolean): Int = {
    var low = 0
    var high = n
    while (low < high) {
      val mid = (low + high) >>> 1
      if (holds(mid)) high = mid else low = mid + 1
    }
    low
  }
}

private[chronosketch] object Newer {
  final case class At(c: Int, i: Int)

  private def isBefore(timeA: Long, tieA: Long, a: Int, timeB: Long, tieB: Long, b: Int): Boolean =
    if (timeA == timeB && tieA == tieB) a < b else Grid.isBefore(timeA, tieA, timeB, tieB)
}
