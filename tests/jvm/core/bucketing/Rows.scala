package chronosketch.bucketing

import java.util.SplittableRandom

import chronosketch.domain.Domain
import chronosketch.summary.ExactBag
import chronosketch.window.{Constraint, WindowSketch, Windowed}

/** A row of a window sketch: its key, its time and the filters that it passes. */
final case class Row(key: Long, time: Long, passed: Int)

/** The oracle for windows: all rows sorted by position, and the rows in each window by definition. */
object Rows {
  def sorted(rows: Seq[Row]): IndexedSeq[Row] =
    rows.toIndexedSeq.sortWith { (a, b) =>
      if (a.time != b.time) a.time < b.time
      else if (a.key != b.key) Tie.of(a.key) < Tie.of(b.key)
      else a.passed < b.passed
    }

  /** The rows, given sorted, that satisfy a constraint. */
  def selected(rows: IndexedSeq[Row], constraint: Constraint, asOf: Option[Long]): IndexedSeq[Row] =
    if (rows.isEmpty) rows
    else {
      val end = asOf.getOrElse(rows.last.time)
      val counted = rows.filter(_.time <= end)
      counted.zipWithIndex.collect {
        case (row, i) if holds(constraint, row, counted.size - i, BigInt(end) - row.time) => row
      }
    }

  /** Whether a row satisfies a constraint. `place` is 1 for the newest row; `age` is the time from the row to the end. */
  def holds(c: Constraint, row: Row, place: Long, age: BigInt): Boolean = c match {
    case Constraint.WithinLast(span) => age < span
    case Constraint.AmongLast(n) => place <= n
    case Constraint.Passes(i) => (row.passed & (1 << i)) != 0
    case Constraint.And(l, r) => holds(l, row, place, age) && holds(r, row, place, age)
    case Constraint.Or(l, r) => holds(l, row, place, age) || holds(r, row, place, age)
    case Constraint.Not(inner) => !holds(inner, row, place, age)
  }

  def bag(rows: Seq[Row]): ExactBag = ExactBag.of(rows.map(_.key).toArray)

  def sketch(
      rows: Seq[Row],
      epsilon: Double,
      filters: Int = 0,
      retention: Long = Windowed.KeepAll
  ): WindowSketch = {
    val s = new WindowSketch(
      Domain.BigInt,
      Domain.BigInt,
      epsilon,
      retention,
      Vector.tabulate(filters)(i => s"f$i")
    )
    rows.foreach(r => s.insert(r.key, r.time, r.passed))
    s
  }

  /** Orders in which times arrive, by name. */
  val times: Seq[(String, (Int, Int, SplittableRandom) => Long)] = Seq(
    "in order" -> ((i, _, _) => i.toLong * 10),
    "backwards" -> ((i, n, _) => (n - i).toLong * 10),
    "at random" -> ((_, _, r) => r.nextLong(1000000)),
    "one time" -> ((_, _, _) => 7L),
    "few days" -> ((i, n, _) => i.toLong * 10 / n),
    "negative, with gaps" -> ((i, n, _) => -1000000000000L + (if (i > n / 2) i * 1000000007L else i.toLong)),
    "every long" -> ((_, _, r) => r.nextLong()),
    "outliers" -> ((i, _, r) =>
      if (i % 100 == 3) (if (r.nextBoolean()) Long.MaxValue else Long.MinValue) else i * 1000L
    ),
    "late" -> ((i, _, r) => i * 10L - r.nextInt(2000))
  )
}
