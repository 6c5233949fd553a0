package chronosketch

import scala.collection.mutable

/** Pairwise test combinations: few rows in which every two choices of two dimensions occur together. A full cross product would take
  * too long for every run. The rows are always the same.
  */
object Pairs {

  /** Rows with a number for each dimension, from 0 until the size of the dimension. */
  def of(sizes: Int*): Seq[IndexedSeq[Int]] = {
    val open = mutable.LinkedHashSet.empty[(Int, Int, Int, Int)] // two dimensions, and a choice of each
    for (a <- sizes.indices; b <- a + 1 until sizes.size; x <- 0 until sizes(a); y <- 0 until sizes(b))
      open += ((a, x, b, y))
    val rows = mutable.Buffer.empty[IndexedSeq[Int]]
    while (open.nonEmpty) {
      val (a, x, b, y) = open.head
      val row = Array.fill(sizes.size)(-1)
      row(a) = x
      row(b) = y
      sizes.indices.filter(row(_) < 0).foreach { d =>
        row(d) = (0 until sizes(d)).maxBy { choice =>
          sizes.indices.count { other =>
            row(other) >= 0 && open((
              math.min(d, other),
              if (d < other) choice else row(other),
              math.max(d, other),
              if (d < other) row(other) else choice
            ))
          }
        }
      }
      for (i <- row.indices; j <- i + 1 until row.length) open -= ((i, row(i), j, row(j)))
      rows += row.toIndexedSeq
    }
    rows.toSeq
  }

  def of[A, B, C](as: Seq[A], bs: Seq[B], cs: Seq[C]): Seq[(A, B, C)] =
    of(as.size, bs.size, cs.size).map(row => (as(row(0)), bs(row(1)), cs(row(2))))

  def of[A, B, C, D](as: Seq[A], bs: Seq[B], cs: Seq[C], ds: Seq[D]): Seq[(A, B, C, D)] =
    of(as.size, bs.size, cs.size, ds.size).map(row => (as(row(0)), bs(row(1)), cs(row(2)), ds(row(3))))
}
