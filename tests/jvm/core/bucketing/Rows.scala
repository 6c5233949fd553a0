package chronosketch.bucketing

import java.util.SplittableRandom

import chronosketch.domain.Domain
import chronosketch.summary.ExactBag
import chronosketch.window.{Constraint, WindowSketch, Windowed}

/** A row as a window sketch sees it. */
final case class Row(key: Long, time: Long, passed: Int)

/** The oracle: all rows, in order of position, and the windows of them by definition. */
object Rows {
  def sorted(rows: Seq[Row]): IndexedSeq[Row] =
    rows.toIndexedSeq.sortWith { (a, b) =>
      if (a.time != b.time) a.time < b.time
      else if (a.key != b.key) Tie.of(a.key) < Tie.of(b.key)
      else a.passed < b.passed
    }

  /** Of the rows in order, those that a constraint means. */
  def meant(rows: IndexedSeq[Row], constraint: Constraint, asOf: Option[Long]): IndexedSeq[Row] =
    if (rows.isEmpty) rows
    else {
      val end = asOf.getOrElse(rows.last.time)
      val counted = rows.filter(_.time <= end)
      counted.zipWithIndex.collect {
        case (row, i) if holds(constraint, row, counted.size - i, BigInt(end) - row.time) => row
      }
    }

  /** `place` counts from the newest, which has 1; `age` is how long before the end it was. */
  def holds(c: Constraint, row: Row, place: Long, age: BigInt): Boolean = c match {
    case Constraint.WithinLast(span) => age < span
    case Constraint.AmongLast(n) => place <= n
    case Constraint.Passes(i) => (row.passed & (1 << i)) != 0
    case Constraint.And(l, r) => holds(l, row, place, age) && holds(r, row, place, age)
    case Constraint.Or(l, r) => holds(l, row, place, age) || holds(r, row, place, age)
    case Constraint.Not(of) => !holds(of, row, place, age)
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

  /** Ways in which times come. */
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
