package chronosketch.spark.sliding

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import chronosketch.CheckSuite
import chronosketch.spark.sliding.frames.{
  FrameBound,
  FrameBounds,
  FrameColumns,
  FrameDriver,
  KeptBytes,
  Peers,
  RowsBound,
  SpilledColumns,
  Unbounded
}

/** Compares FrameDriver with the definition of a frame, for rows in pieces of any size, in memory and on disk. */
class FrameDriverSuite extends CheckSuite {
  private val End: Gen[FrameBound] = Gen.frequency(
    1 -> Gen.const(Unbounded),
    1 -> Gen.const(Peers),
    3 -> Gen.choose(-4, 4).map(RowsBound(_))
  )

  // groups of sorted keys; None stands for NULL, which is first
  private val groups: Gen[List[List[Option[Long]]]] =
    Gen.choose(0, 6).flatMap(n =>
      Gen.listOfN(n, Gen.choose(1, 12).flatMap(m => Gen.listOfN(m, Gen.option(Gen.choose(0L, 5L)))))
    )
      .map(_.map(_.sorted))

  private def first(bound: FrameBound, group: Seq[Option[Long]], i: Int): Int = bound match {
    case RowsBound(k) => i + k
    case Peers => group.indexOf(group(i))
    case _ => 0
  }

  private def end(bound: FrameBound, group: Seq[Option[Long]], i: Int): Int = bound match {
    case RowsBound(k) => i + k + 1
    case Peers => group.lastIndexOf(group(i)) + 1
    case _ => group.size
  }

  private def isFrame(lower: FrameBound, upper: FrameBound): Boolean = (lower, upper) match {
    case (RowsBound(a), RowsBound(b)) => a <= b
    case (Peers, RowsBound(_)) | (RowsBound(_), Peers) => false
    case _ => true
  }

  private type Frames = Seq[(Long, Long)]

  private def expected(groups: Seq[Seq[Option[Long]]], lower: FrameBound, upper: FrameBound): Frames = {
    val starts = groups.scanLeft(0)(_ + _.size)
    groups.zip(starts).flatMap { case (group, start) =>
      group.indices.map { i =>
        val until = math.max(0, math.min(end(upper, group, i), group.size))
        val from = math.max(0, math.min(first(lower, group, i), until))
        ((start + from).toLong, (start + until).toLong)
      }
    }
  }

  private def noColumns(rows: Int): FrameColumns = {
    val columns = new FrameColumns(Array.empty, new KeptBytes(null))
    columns.resize(rows)
    columns
  }

  private def append(columns: FrameColumns, key: Option[Long], isLast: Boolean): Unit = {
    columns.order(columns.filled) = key.getOrElse(0L)
    columns.flags(columns.filled) = if (key.isEmpty) 1L else 0L
    columns.append(1)
    if (isLast) columns.endPartition()
  }

  /** Each row's key, and whether it is the last of its group. */
  private def rowsOf(groups: Seq[Seq[Option[Long]]]): Seq[(Option[Long], Boolean)] =
    groups.flatMap(g => g.init.map(_ -> false) :+ (g.last -> true))

  property("frames of rows and of peers, while rows are appended and dropped") {
    forAll(groups, End, End, Gen.choose(1, 9)) { (groups, lower, upper, piece) =>
      if (isFrame(lower, upper)) {
        val rows = rowsOf(groups)
        val columns = noColumns(rows.size)
        val driver = new FrameDriver(FrameBounds(lower, upper), nullsFirst = true, columns)
        driver.reserve(rows.size)
        val found = rows.grouped(piece).flatMap { some =>
          some.foreach { case (key, isLast) => append(columns, key, isLast) }
          val before = driver.firstUnresolved
          driver.resolveFrames(columns)
          val resolved =
            (before until driver.firstUnresolved).map(row => (driver.from(row), driver.until(row)))
          driver.dropBefore(driver.firstUnresolved)
          columns.dropPartitionsBefore(driver.firstUnresolved)
          columns.dropBefore(driver.needed(driver.firstUnresolved))
          resolved
        }.toSeq
        assertEquals(found, expected(groups, lower, upper), groups)
      }
    }
  }

  property("the frames are the same if a group is spilled from some row on") {
    forAll(groups, End, End, Gen.choose(1, 9), Gen.choose(0, 40)) { (groups, lower, upper, piece, cut) =>
      if (isFrame(lower, upper) && groups.nonEmpty) {
        val rows = rowsOf(groups)
        val columns = noColumns(rows.size)
        rows.foreach { case (key, isLast) => append(columns, key, isLast) }
        val driver = new FrameDriver(FrameBounds(lower, upper), nullsFirst = true, columns)
        driver.reserve(rows.size)
        driver.resolveFrames(columns)
        var row = math.min(cut, rows.size - 1).toLong
        val found = Seq.newBuilder[(Long, Long)]
        def answer(until: Long): Unit = while (row < until) {
          found += ((driver.from(row), driver.until(row)))
          row += 1
        }
        val first = row
        row = 0L
        answer(first)
        // spill the rest of the group, and continue piece by piece
        driver.dropBefore(row)
        val group = columns.partitionOf(row)
        val end = columns.endOf(group)
        val spilled = new SpilledColumns(0, _ => ())
        spilled.begin(driver.needed(row))
        driver.restart(spilled, row, group, isFirst = false)
        while (row < end) {
          spilled.append(columns, math.min(spilled.end + piece, end))
          driver.resolveFrames(spilled.end, spilled.end == end, piece)
          answer(driver.firstUnresolved)
          driver.dropBefore(row)
        }
        // continue with the following groups in memory
        driver.restart(columns, end, group + 1, isFirst = true)
        driver.resolveFrames(columns)
        answer(rows.size.toLong)
        assertEquals(found.result(), expected(groups, lower, upper), s"$groups cut at $first")
      }
    }
  }
}
