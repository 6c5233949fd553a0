package chronosketch.grouped

import java.util.Arrays

import chronosketch.families.Families
import chronosketch.memory.Meter
import chronosketch.summary.{Bags, Envelope, Header, Inserts, Recipe, Summary}

/** Merges the stored sketches of each group. The sketches may be of any family.
  *
  * Cost  small sketches whose merge equals inserting their keys are staged: the keys of many sketches are sorted by group, and the
  *       summary of a group is accessed once for all of its keys. Only groups with a summary have staged keys
  */
final class GroupedUnions(meter: Meter) extends GroupedSummaries[Summary](meter) {

  // null until a small sketch is merged into a group that has a summary
  private var staging: StagedSketches = null

  protected def requireOwn(summary: Summary): Summary = summary
  protected def recipe: Option[Recipe[Summary]] = None
  protected def bagsOf(header: Header[Summary]): Bags[Summary] = header.bags.orNull

  /** Sketches that may differ in more than their rows are opened: one that has seen nothing is neutral. */
  override protected def united(own: Summary, stored: Envelope.StoredHeader, bytes: Array[Byte]): Summary =
    if (isAlike(own, stored)) super.united(own, stored, bytes)
    else Summary.union(own, Envelope.openChecked(bytes, Families.byId))

  private def isAlike(own: Summary, stored: Envelope.StoredHeader): Boolean =
    !own.isEmpty && stored.header.bags.nonEmpty && own.header == stored.header

  /** A merge into a bag overtakes no staged keys, because groups with bags have none. */
  override protected def flushBeforeMerge(): Unit = ()

  override protected def mergeLarge(group: Int, stored: Envelope.StoredHeader, bytes: Array[Byte]): Unit = {
    val n = if (isLikeBags(bytes, stored) && takesKeys(group, stored)) readKeys(stored, bytes) else -1
    if (n >= 0) stage(group, n)
    else {
      if (hasStaged(group)) flushStaged()
      super.mergeLarge(group, stored, bytes)
    }
  }

  private def hasStaged(group: Int): Boolean = staging != null && staging.has(group)

  /** Whether keys of sketches with this header can be inserted into the summary of a group. No number of staged keys can make it refuse
    * them later. A group that has staged keys need not be asked again.
    */
  private def takesKeys(group: Int, stored: Envelope.StoredHeader): Boolean =
    group < StagedSketches.Groups && (hasStaged(group) || (summaryOf(group) match {
      case own: Inserts => isAlike(own, stored) && own.maxCount <= GroupedUnions.MostBeforeStaging
      case _ => false
    }))

  /** Reads the keys of a small sketch whose merge equals inserting them. Returns their number; −1 if it is another sketch. */
  private def readKeys(stored: Envelope.StoredHeader, bytes: Array[Byte]): Int = {
    val reader = stored.payload(bytes)
    val n = bagMaker.readSmall(reader, alone = false, inKeys)
    if (n >= 0) reader.requireEnd()
    n
  }

  private def stage(group: Int, n: Int): Unit = if (n > 0) {
    if (staging == null) staging = new StagedSketches(meter)
    if (!staging.addAll(group, inKeys, n)) {
      flushStaged()
      staging.addAll(group, inKeys, n)
    }
  }

  protected def flushStaged(): Unit = if (staging != null && !staging.isEmpty) {
    val greatest = staging.sort()
    var from = 0
    var group = 0
    while (group <= greatest) {
      val until = staging.runEnd(group)
      if (from < until) summaryOf(group).asInstanceOf[Inserts].insertAll(staging.run, from, until)
      from = until
      group += 1
    }
  }

  override def clear(): Unit = {
    if (staging != null) staging.release()
    staging = null
    bagMaker = null
    super.clear()
  }
}

private object GroupedUnions {

  /** The most elements of a summary into which keys are staged. All staged keys together are fewer. */
  private val MostBeforeStaging = Long.MaxValue / 2
}

/** The staged keys of sketches, and which groups have some. */
private final class StagedSketches(meter: Meter) {
  private val staging = new Staging(meter)
  private val sorting = new GroupSort(meter)
  private val isStaged = new Array[Boolean](StagedSketches.Groups)
  meter.add(StagedSketches.Groups.toLong)

  def isEmpty: Boolean = staging.isEmpty
  def has(group: Int): Boolean = group < StagedSketches.Groups && isStaged(group)

  /** Adds n keys of a group. Returns false and adds none if there is no room for them. */
  def addAll(group: Int, keys: Array[Long], n: Int): Boolean = staging.addAll(group, keys, n) && {
    isStaged(group) = true
    true
  }

  /** Sorts all keys into the runs of their groups and forgets that they were staged. Returns the greatest group of a key. */
  def sort(): Int = {
    val greatest = staging.sortInto(sorting)
    Arrays.fill(isStaged, 0, greatest + 1, false)
    greatest
  }

  /** The sorted keys. Those of a group end at [[runEnd]], where those of the next group begin. */
  def run: Array[Long] = sorting.run
  def runEnd(group: Int): Int = sorting.runEnd(group)

  /** Takes the memory off the meter. The object must not be used afterwards. */
  def release(): Unit = {
    staging.release()
    sorting.release()
    meter.add(-StagedSketches.Groups.toLong)
  }
}

private object StagedSketches {

  /** Groups from this number on are not staged: a full buffer would hardly have two sketches of each. */
  final val Groups = 1 << 11
}
