package chronosketch.spark.window

import scala.util.Random

/** A window constraint, and the rows that it selects.
  *
  * @param ofRows   the constraint in SQL, with conditions on rows
  * @param ofSketch the constraint in SQL, with the filter names of [[RandomWindows.filters]]
  * @param holds    whether a row is selected, given the row, the number of newer rows and the newest time
  * @param isPromised whether ε is guaranteed: only if the constraint has no filter
  */
final case class RandomWindow(
    ofRows: String,
    ofSketch: String,
    holds: (RandomWindows.Row, Int, Long) => Boolean,
    isPromised: Boolean
)

object RandomWindows {

  /** A row. The status −2 stands for NULL, because it is neither high nor odd. */
  final case class Row(value: Long, second: Long, status: Long)

  val filters = "map('high', status >= 3, 'odd', NOT status % 2 = 0)"

  private val leaves: Seq[Random => RandomWindow] = Seq(
    r => {
      val seconds = 1 + r.nextInt(12000)
      RandomWindow(
        s"within_last('$seconds seconds')",
        s"within_last('$seconds seconds')",
        (row, _, newest) => row.second > newest - seconds,
        isPromised = true
      )
    },
    r => {
      val n = 1 + r.nextInt(4000)
      RandomWindow(s"among_last($n)", s"among_last($n)", (_, newer, _) => newer < n, isPromised = true)
    },
    _ =>
      RandomWindow("status >= 3", "passing('high')", (row, _, _) => row.status >= 3, isPromised = false),
    _ =>
      RandomWindow(
        "NOT status % 2 = 0",
        "passing('odd')",
        (row, _, _) => row.status % 2 != 0,
        isPromised = false
      ),
    // a NULL status does not pass the filter, so NOT passing selects it
    _ =>
      RandomWindow(
        "(status IS NULL OR status < 3)",
        "NOT passing('high')",
        (row, _, _) => row.status < 3,
        isPromised = false
      )
  )

  def next(random: Random, depth: Int): RandomWindow =
    if (depth == 0) leaves(random.nextInt(leaves.size))(random)
    else {
      val (a, b) = (next(random, depth - 1), next(random, depth - 1))
      val promised = a.isPromised && b.isPromised
      if (random.nextBoolean()) {
        RandomWindow(
          s"(${a.ofRows} AND ${b.ofRows})",
          s"(${a.ofSketch} AND ${b.ofSketch})",
          (row, newer, newest) => a.holds(row, newer, newest) && b.holds(row, newer, newest),
          promised
        )
      } else {
        RandomWindow(
          s"(${a.ofRows} OR ${b.ofRows})",
          s"(${a.ofSketch} OR ${b.ofSketch})",
          (row, newer, newest) => a.holds(row, newer, newest) || b.holds(row, newer, newest),
          promised
        )
      }
    }

  /** The sorted values that a window selects from unordered rows with distinct times. */
  def meant(rows: Seq[Row], window: RandomWindow): IndexedSeq[Long] =
    if (rows.isEmpty) Vector.empty
    else {
      val newest = rows.map(_.second).max
      rows
        .sortBy(-_.second)
        .zipWithIndex
        .collect { case (row, newer) if window.holds(row, newer, newest) => row.value }
        .sorted
        .toIndexedSeq
    }
}
