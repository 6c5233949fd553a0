package chronosketch.spark.sliding.ranges

import java.util.HashMap

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Assigns the rows of each group to tasks. A large group is cut into ranges, one a task. Any other group is assigned to one task by
  * its hash.
  *
  * @param width  the number of fields of a group's key; 0 if there is no PARTITION BY, and so only one group
  * @param groups the keys of the groups that are cut, as the bytes of UnsafeRows
  * @param ranges the ranges of these groups
  * @param spread the number of tasks for all other groups; these tasks come first
  */
final class RangeTable(
    width: Int,
    groups: Array[Array[Byte]],
    ranges: Array[Ranges],
    val spread: Int
) extends Serializable {
  private val begins = ranges.scanLeft(spread)(_ + _.count)

  /** The number of tasks. */
  def targets: Int = begins.last

  /** The number of ranges. */
  def rangeCount: Int = targets - spread

  def isKeyed: Boolean = width > 0

  def rangesOf(cut: Int): Ranges = ranges(cut)

  /** The first task of a group that is cut. */
  def firstTarget(cut: Int): Int = begins(cut)

  /** The group that a task has a range of; −1 if the task has whole groups. */
  def cutOf(target: Int): Int = if (target < spread) -1 else begins.lastIndexWhere(_ <= target)

  /** Maps the keys of the groups that are cut to their index. */
  def index(): HashMap[UnsafeRow, Integer] = {
    val found = new HashMap[UnsafeRow, Integer]()
    groups.indices.foreach { i =>
      val row = new UnsafeRow(width)
      row.pointTo(groups(i), groups(i).length)
      found.put(row, i)
    }
    found
  }
}

object RangeTable {

  /** If there are more groups, none is cut. */
  val MostGroups = 256

  /** The rank error allowed if there are several groups. It may be larger, because each has fewer ranges than a single group. */
  val GroupRankError: Double = 1.0 / 2048

  /** Decides which groups to cut.
    *
    * @param groups the order keys of every group; None if there were too many
    */
  def of(width: Int, groups: Option[Seq[OrderKeySketch]], cut: RangeCut): RangeTable = {
    val all = groups.getOrElse(Nil)
    val rows = all.map(_.profile.countHigh.toDouble).sum
    val cuts = for {
      group <- all
      profile = group.profile
      share = if (width == 0) cut.most else math.round(cut.most * (profile.countHigh / rows)).toInt
      // a single group has a range even if it has no rows, so that there is a task
      if width == 0 || (profile.size > 1 && share > 1)
      ranges = Ranges.of(profile, cut.copy(most = share))
      if width == 0 || ranges.count > 1
    } yield group.key -> ranges
    val spread = if (width > 0 && (cuts.isEmpty || cuts.size < all.size)) cut.most else 0
    new RangeTable(width, cuts.map(_._1).toArray, cuts.map(_._2).toArray, spread)
  }
}
