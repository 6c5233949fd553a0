package chronosketch.grouped

import scala.reflect.ClassTag

import chronosketch.codec.{Packed, Wire}
import chronosketch.memory.Meter
import chronosketch.summary.{Bags, Header, Recipe, Summary, Timed}
import chronosketch.window.Windowed

/** The summaries of groups whose rows have more than a value. There are no bags: a group has a summary from its first row on, and
  * the caller inserts the rows into it.
  */
class GroupedRows[S <: Summary: ClassTag](rowRecipe: Recipe[S], meter: Meter)
    extends GroupedSummaries[S](meter) {
  protected def requireOwn(summary: Summary): S = rowRecipe.family.own(summary)
  protected val recipe: Option[Recipe[S]] = Some(rowRecipe)
  protected def bagsOf(header: Header[Summary]): Bags[S] = null
  override protected def readFew(bytes: Array[Byte]): Bags[S] = null
  protected def flushStaged(): Unit = ()
}

/** Inserts values with times into the summaries of up to millions of groups.
  *
  * Cost   [[insertAll]] sorts the rows by group, so that the memory of a group is accessed once for all of its rows
  * Merge  also by [[mergePart]] of [[sealPart]]: if there are few rows, the part contains the rows, which are inserted in order of
  *        arrival
  */
final class GroupedTimed(timedRecipe: Recipe[Timed], meter: Meter)
    extends GroupedRows[Timed](timedRecipe, meter) {

  // null until the first rows are inserted
  private var sorting: GroupSort = null

  // null until the first part with rows is merged
  private var rowsPart: RowsPart = null

  /** Inserts the first n rows into their groups, which are below `groupsUntil`. None of the rows passed a filter. */
  def insertAll(groups: Array[Int], keys: Array[Long], times: Array[Long], n: Int, groupsUntil: Int): Unit =
    if (groupsUntil <= Staging.Groups) {
      if (sorting == null) sorting = new GroupSort(meter)
      sorting.sort(groups, keys, times, n, groupsUntil)
      insertRuns(groupsUntil)
    } else {
      var i = 0
      while (i < n) { summaryOf(groups(i)).insert(keys(i), times(i), 0); i += 1 }
    }

  private def insertRuns(groupsUntil: Int): Unit = {
    val keys = sorting.run
    val times = sorting.carriedRun
    var from = 0
    var group = 0
    while (group < groupsUntil) {
      val until = sorting.runEnd(group)
      if (from < until) summaryOf(group).insertAll(keys, times, from, until)
      from = until
      group += 1
    }
  }

  override def sealPart(group: Int): Array[Byte] = {
    val rows = ask(group) match {
      case windowed: Windowed => windowed.rowsOfPart
      case _ => null
    }
    if (rows == null) NumberedPart.of(timedRecipe, seal(group), areRows = false)
    else NumberedPart.of(timedRecipe, RowsPart.encode(rows.size, rows.times, rows.keys), areRows = true)
  }

  override protected def mergeUnnumbered(group: Int, bytes: Array[Byte]): Unit =
    if (RowsPart.isRowsPart(bytes)) {
      if (rowsPart == null) rowsPart = new RowsPart(2, meter)
      val n = rowsPart.read(bytes)
      summaryOf(group).insertAll(rowsPart.columns(1), rowsPart.columns(0), 0, n)
    } else merge(group, bytes)

  override def clear(): Unit = {
    if (sorting != null) sorting.release()
    sorting = null
    if (rowsPart != null) rowsPart.release()
    rowsPart = null
    super.clear()
  }
}

/** Encodes and decodes the rows of a group that a task passes to another unsummarised, because a summary would hardly be smaller.
  *
  * Guarantee  the rows in order of arrival
  * Cost       a load, a store and up to 8 bytes per number. Building, encoding and merging a summary of a few thousand rows costs
  *            several times that; so it is built once for all parts instead
  * Merge      insert the rows
  *
  * The bytes only go from task to task of one query and are never stored. No sketch begins with their mark, and no function
  * accepts them.
  *
  * @param width the number of numbers per row
  */
private[grouped] final class RowsPart(width: Int, meter: Meter) {

  /** The decoded rows, column by column: the first number of each row, the second of each, and so on. */
  val columns: Array[Array[Long]] = Array.fill(width)(Array.emptyLongArray)

  private def sizeBytes: Long = width * Meter.longs(columns(0).length)
  meter.add(sizeBytes)

  /** Decodes rows into [[columns]] and returns their number. */
  def read(bytes: Array[Byte]): Int = {
    val r = new Wire.Reader(bytes, 1, bytes.length)
    // not checked against the size of the bytes: Packed needs no bytes for equal numbers
    val n = Math.toIntExact(r.varint())
    if (columns(0).length < n) {
      meter.add(-sizeBytes)
      columns.indices.foreach(i => columns(i) = new Array[Long](n))
      meter.add(sizeBytes)
    }
    columns.foreach(Packed.read(r, _, n))
    r.requireEnd()
    n
  }

  /** Takes the memory off the meter. The object must not be used afterwards. */
  def release(): Unit = meter.add(-sizeBytes)
}

private[grouped] object RowsPart {
  private val Mark = 0

  /** Encodes the first n ≥ 1 rows. */
  def encode(n: Int, columns: Array[Long]*): Array[Byte] = {
    val w = new Wire.Writer(8 * columns.length * n + 64)
    w.byte(Mark)
    w.varint(n.toLong)
    columns.foreach(Packed.write(w, _, n))
    w.result()
  }

  /** The number of rows of a part. */
  def rowsOf(bytes: Array[Byte]): Long = new Wire.Reader(bytes, 1, bytes.length).varint()

  /** Whether the bytes of a part contain rows, not a sketch. */
  def isRowsPart(bytes: Array[Byte]): Boolean = bytes(0) == Mark
}
