package chronosketch.window

import java.util.SplittableRandom

import chronosketch.bucketing.Tie
import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.summary.{Distributions, Envelope, ExactBag, MergeShape}
import chronosketch.window.Constraint.{AmongLast, WithinLast}

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

/** A random window sketch and its rows, from a seed: built in one part or merged from several, and perhaps decoded. */
final class RandomWindow(seed: Long) {
  private val random = new SplittableRandom(seed)
  private def one[A](choices: Seq[A]): A = choices(random.nextInt(choices.size))

  private val distribution = one(Distributions.all)
  private val (times, time) = one(Rows.times)
  private val epsilon = one(Seq(0.0, 0.01, 0.05, 0.2, 0.5))
  private val n = 1 + random.nextInt(one(Seq(30, 300, 2000)))
  private val rows = distribution.sample(n, seed).toIndexedSeq.zipWithIndex.map { case (key, i) =>
    Row(key, time(i, n, random), 0)
  }
  private val sketch = {
    val ends = MergeShape.Balanced.ends(one(Seq(1, 1, 2, 20)), n)
    val parts = ends.zip(0 +: ends).map { case (end, start) => Rows.sketch(rows.slice(start, end), epsilon) }
    val whole = one(MergeShape.all).unite(parts)
    if (random.nextBoolean()) whole else stored(whole)
  }

  private lazy val sorted = Rows.sorted(rows)

  /** Describes every false claim about some windows. */
  def violations: Seq[String] = {
    val windows = Seq.fill(2)(AmongLast(1L + random.nextInt(n))) ++
      Seq(1 + random.nextLong(n * 10L), random.nextLong(Long.MaxValue), Long.MaxValue).map(WithinLast(_))
    windows.flatMap { w =>
      val (window, seen) = in(w)
      val wide = Option.when(!window.profile.isEmpty && window.profile.rankError > epsilon)(
        s"rank error ${window.profile.rankError}"
      )
      (WindowCertificate.violations(window.profile, seen) ++ wide).map {
        v =>
          s"seed $seed, ${distribution.name}, times $times, n $n, ε $epsilon, $w: $v"
      }
    }
  }

  /** A window of the sketch, and the keys in it. */
  def in(window: Constraint): (RestrictedWindow, ExactBag) =
    (RestrictedWindow.of(sketch, window, None), Rows.bag(Rows.selected(sorted, window, None)))

  /** A window of some of the last rows. */
  def anyWindow: Constraint = AmongLast(1L + random.nextInt(n))

  private def stored(s: WindowSketch): WindowSketch = WindowSketches.own(Families.open(Envelope.seal(s)))
}
