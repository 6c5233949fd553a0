package chronosketch.grouped

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.summary.{Arrived, Bags, Header, Inserts, InsertingRecipe, Recipe, Summary}

/** Which values did each of a million groups see?
  *
  * Merge  [[mergePart]] of [[sealPart]] as well: of few values that is them, inserted in order of arrival
  */
final class GroupedInserts(of: InsertingRecipe[Inserts], meter: Meter)
    extends GroupedSummaries[Inserts](meter) {
  useBags(of)

  // null until the first key comes
  private var staging: Staging = null
  private var sorting: GroupSort = null

  // null until the first part comes that is values
  private var part: RowsPart = null

  protected def opened(summary: Summary): Inserts = of.family.own(summary)
  protected val recipe: Option[Recipe[Inserts]] = Some(of)

  /** Those of its own recipe alone: a bag becomes one of its summaries. */
  protected def bagsOf(header: Header[Summary]): Bags[Inserts] = if (header == of) of else null

  def insert(group: Int, key: Long): Unit =
    if (group >= Staging.Groups) insertNow(group, key)
    else if (staging == null) stage(group, key)
    else if (staging.isFullWith(group, key)) unstage()

  private def insertNow(group: Int, key: Long): Unit = if (!bags.add(group, key)) ownOf(group).insert(key)

  private def stage(group: Int, key: Long): Unit = {
    staging = new Staging(meter)
    insert(group, key)
  }

  protected def unstage(): Unit = if (staging != null && !staging.isEmpty) {
    if (sorting == null) sorting = new GroupSort(meter)
    insertRuns(staging.sortInto(sorting))
  }

  /** The first n keys, each into the group of its number, which is less than `groupsUntil`. */
  def insertAll(groups: Array[Int], keys: Array[Long], n: Int, groupsUntil: Int): Unit = {
    unstage()
    if (groupsUntil <= Staging.Groups) {
      if (sorting == null) sorting = new GroupSort(meter)
      sorting.sort(groups, keys, n, groupsUntil)
      insertRuns(groupsUntil - 1)
    } else {
      var from = 0
      while (from < n) {
        val until = math.min(n, from + GroupedInserts.Touched)
        bags.touchAll(groups, from, until)
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
    if (i < until) ownOf(group).insertAll(keys, i, until)
  }

  def insert(group: Int, key: Long, copies: Long): Unit =
    if (of.insertsSingly(copies)) {
      var i = copies
      while (i > 0) { insert(group, key); i -= 1 }
    } else if (copies != 0) summary(group).insert(key, copies)

  override def sealPart(group: Int): Array[Byte] = {
    unstage()
    val few = arrived(group)
    if (few != null && few.size > 0 && GroupedInserts.isVaried(few)) RowsPart.of(few.size, few.keys)
    else seal(group)
  }

  private def arrived(group: Int): Arrived =
    if (bags.handle(group) >= 0) ownOf(group).arrived(of.mostHanded)
    else if (bags.settled(group) > 0 || bags.size(group) > of.mostHanded) null
    else new Arrived(out, bags.copyTo(group, out))

  override def mergePart(group: Int, bytes: Array[Byte]): Unit =
    if (RowsPart.isOne(bytes)) {
      unstage()
      if (part == null) part = new RowsPart(1, meter)
      val n = part.read(bytes)
      insertRun(group, part.columns(0), 0, n)
    } else merge(group, bytes)

  override def clear(): Unit = {
    if (part != null) part.giveBack()
    part = null
    if (staging != null) staging.giveBack()
    if (sorting != null) sorting.giveBack()
    staging = null
    sorting = null
    super.clear()
  }
}

private object GroupedInserts {

  /** Of so many keys the groups are touched before the first is inserted. */
  private val Touched = 256

  /** So many keys are looked at, and so many of these may have come before. */
  private val Looks = 64
  private val Twins = 4

  /** Whether the keys mostly differ, told by a few of them: many of few values are a small sketch. */
  private def isVaried(few: Arrived): Boolean = few.size <= Looks / 4 || {
    val looked = math.min(few.size, Looks)
    val some = Array.tabulate(looked)(i => few.keys((i.toLong * few.size / looked).toInt))
    Arrays.sort(some)
    var twins = 0
    var i = 1
    while (i < looked) {
      if (some(i) == some(i - 1)) twins += 1
      i += 1
    }
    twins <= Twins
  }
}
