package chronosketch.grouped

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
  private var part: KeysPart = null

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

  /** What another task of the same query takes by [[mergePart]]: the group's sketch, or its values where it would hardly be
    * smaller.
    */
  def sealPart(group: Int): Array[Byte] = {
    unstage()
    val few = arrived(group)
    if (few != null && few.size > 0 && KeysPart.isVaried(few.keys, few.size)) KeysPart.of(few.keys, few.size)
    else seal(group)
  }

  private def arrived(group: Int): Arrived =
    if (of.mostHanded == 0) null
    else if (bags.handle(group) >= 0) ownOf(group).arrived(of.mostHanded)
    else {
      val n = bags.copyTo(group, out)
      if (bags.settled(group) == 0 && n <= of.mostHanded) new Arrived(out, n) else null
    }

  def mergePart(group: Int, bytes: Array[Byte]): Unit =
    if (KeysPart.isOne(bytes)) {
      unstage()
      if (part == null) part = new KeysPart(meter)
      val n = part.read(bytes)
      insertRun(group, part.keys, 0, n)
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
}
