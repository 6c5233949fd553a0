package chronosketch.grouped

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.summary.{BufferedKeys, Bags, Header, Inserts, InsertingRecipe, Recipe, Summary}

/** Inserts values into the summaries of up to millions of groups.
  *
  * Merge  also by [[mergePart]] or [[keepPart]] of [[sealPart]]: if there are few values, the part contains the values. [[mergePart]]
  *        inserts them in order of arrival
  */
final class GroupedInserts(inserting: InsertingRecipe[Inserts], meter: Meter)
    extends GroupedSummaries[Inserts](meter) {
  useBags(inserting)

  // null until the first key is inserted
  private var staging: Staging = null
  private var sorting: GroupSort = null

  // null until the first part with values is merged
  private var rowsPart: RowsPart = null

  protected def requireOwn(summary: Summary): Inserts = inserting.family.own(summary)
  protected val recipe: Option[Recipe[Inserts]] = Some(inserting)

  /** Bags only for sketches with the same recipe, since a bag becomes a summary of this recipe. */
  protected def bagsOf(header: Header[Summary]): Bags[Inserts] = if (header == inserting) inserting else null

  def insert(group: Int, key: Long): Unit =
    if (group >= Staging.Groups) insertNow(group, key)
    else if (staging == null) stage(group, key)
    else if (staging.add(group, key)) flushStaged()

  private def insertNow(group: Int, key: Long): Unit = if (!bags.add(group, key)) summaryOf(group).insert(key)

  private def stage(group: Int, key: Long): Unit = {
    staging = new Staging(meter)
    insert(group, key)
  }

  protected def flushStaged(): Unit = if (staging != null && !staging.isEmpty) {
    if (sorting == null) sorting = new GroupSort(meter)
    insertRuns(staging.sortInto(sorting))
  }

  /** Inserts the first n keys into their groups, which are below `groupsUntil`. */
  def insertAll(groups: Array[Int], keys: Array[Long], n: Int, groupsUntil: Int): Unit = {
    flushStaged()
    if (groupsUntil <= Staging.Groups) {
      if (sorting == null) sorting = new GroupSort(meter)
      sorting.sort(groups, keys, n, groupsUntil)
      insertRuns(groupsUntil - 1)
    } else {
      var from = 0
      while (from < n) {
        val until = math.min(n, from + GroupedInserts.PrefetchedKeys)
        bags.prefetch(groups, from, until)
        while (from < until) { insertNow(groups(from), keys(from)); from += 1 }
      }
    }
  }

  private def insertRuns(greatest: Int): Unit = {
    val keys = sorting.run
    var from = 0
    var group = 0
    while (group <= greatest) {
      val until = sorting.runEnd(group)
      if (from < until) insertRun(group, keys, from, until)
      from = until
      group += 1
    }
  }

  private def insertRun(group: Int, keys: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    if (bags.handle(group) < 0) i = bags.addAll(group, keys, i, until)
    if (i < until) summaryOf(group).insertAll(keys, i, until)
  }

  def insert(group: Int, key: Long, copies: Long): Unit =
    if (inserting.insertsSingly(copies)) {
      var i = copies
      while (i > 0) { insert(group, key); i -= 1 }
    } else if (copies != 0) summary(group).insert(key, copies)

  override def sealPart(group: Int): Array[Byte] = {
    prepare(group)
    val few = bufferedKeys(group)
    if (few != null && few.size > 0 && GroupedInserts.areMostlyDistinct(few))
      NumberedPart.of(inserting, RowsPart.encode(few.size, few.keys), areRows = true)
    else NumberedPart.of(inserting, seal(group), areRows = false)
  }

  /** The keys of a group, if they are few and still in order of arrival; otherwise null. */
  private def bufferedKeys(group: Int): BufferedKeys =
    if (bags.handle(group) >= 0) summaryOf(group).bufferedKeys(inserting.mostUnsummarised)
    else if (bags.queriedCount(group) > 0 || bags.size(group) > inserting.mostUnsummarised) null
    else new BufferedKeys(outKeys, copyBag(group))

  override protected def mergeUnnumbered(group: Int, bytes: Array[Byte]): Unit =
    if (RowsPart.isRowsPart(bytes)) {
      flushStaged()
      val n = readRows(bytes)
      insertRun(group, rowsPart.columns(0), 0, n)
    } else merge(group, bytes)

  private def readRows(bytes: Array[Byte]): Int = {
    if (rowsPart == null) rowsPart = new RowsPart(1, meter)
    rowsPart.read(bytes)
  }

  override protected def readFew(bytes: Array[Byte]): Bags[Inserts] =
    if (!RowsPart.isRowsPart(bytes)) super.readFew(bytes)
    else if (RowsPart.rowsOf(bytes) > KeyBags.MostKeys) null
    else {
      fewCount = readRows(bytes)
      System.arraycopy(rowsPart.columns(0), 0, inKeys, 0, fewCount)
      inserting
    }

  override def clear(): Unit = {
    if (rowsPart != null) rowsPart.release()
    rowsPart = null
    if (staging != null) staging.release()
    if (sorting != null) sorting.release()
    staging = null
    sorting = null
    super.clear()
  }
}

private object GroupedInserts {

  /** The number of keys whose groups are prefetched together. */
  private val PrefetchedKeys = 256

  /** The number of sampled keys, and how many of them may be duplicates. */
  private val SampledKeys = 64
  private val MostDuplicates = 4

  /** Whether the keys are mostly distinct, judged by a sample. The sketch of keys with many duplicates is small. */
  private def areMostlyDistinct(few: BufferedKeys): Boolean = few.size <= SampledKeys / 4 || {
    val n = math.min(few.size, SampledKeys)
    val sample = Array.tabulate(n)(i => few.keys((i.toLong * few.size / n).toInt))
    Arrays.sort(sample)
    var duplicates = 0
    var i = 1
    while (i < n) {
      if (sample(i) == sample(i - 1)) duplicates += 1
      i += 1
    }
    duplicates <= MostDuplicates
  }
}
