package chronosketch.bucketing

/** A naive implementation of [[Joining]], straight from its description, that visits every cell. */
object NaiveJoining {

  /** A bucket, or the rows of one position, without its contents. */
  final case class Cell(time: Long, tie: Long, level: Int, count: Long) {
    def lastTime: Long = Grid.lastTime(time, level)
    def lastTie: Long = Grid.lastTie(tie, level)
  }

  def cells(list: BucketList): Seq[Cell] =
    (0 until list.size).map(i => Cell(list.times(i), list.ties(i), list.level(i), list.counts(i)))

  def joined(buckets: BucketList, rows: RowBlock, epsilon: Double): Seq[Cell] = {
    val single = (0 until rows.size).map(i => Cell(rows.times(i), rows.tie(i), 0, 1L))
    visit(cells(buckets) ++ single, epsilon, 0L, 0L)
  }

  private def visit(all: Seq[Cell], epsilon: Double, around: Long, after: Long): Seq[Cell] =
    if (all.size <= 1) all
    else {
      val first = all.reduce((a, b) => if (Grid.isBefore(b.time, b.tie, a.time, a.tie)) b else a)
      val last =
        all.reduce((a, b) => if (Grid.isBefore(a.lastTime, a.lastTie, b.lastTime, b.lastTie)) b else a)
      val level =
        math.max(all.map(_.level).max, Grid.common(first.time, first.tie, last.lastTime, last.lastTie))
      val (time, tie) = (Grid.firstTime(first.time, level), Grid.firstTie(first.tie, level))
      val count = all.map(_.count).sum
      if (level == 0 || around + count <= Buckets.maxStraddling(epsilon, after))
        Seq(Cell(time, tie, level, count))
      else {
        val (own, inside) = all.partition(_.level == level)
        val (middleTime, middleTie) = (Grid.middleTime(time, level), Grid.middleTie(tie, level))
        val (left, right) = inside.partition(c => Grid.isBefore(c.time, c.tie, middleTime, middleTie))
        val aroundHalves = around + own.map(_.count).sum
        own ++ visit(left, epsilon, aroundHalves, after + right.map(_.count).sum) ++
          visit(right, epsilon, aroundHalves, after)
      }
    }
}
