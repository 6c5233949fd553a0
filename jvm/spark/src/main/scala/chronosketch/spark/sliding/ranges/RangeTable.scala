package chronosketch.spark.sliding.ranges

import java.util.HashMap

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Where the rows of each group go. A large group is cut into ranges, a task each; each other group goes whole to a task, by its hash.
  *
  * @param width  fields of a group's key; 0 where there is no PARTITION BY, and one group
  * @param groups the keys of those that are cut, as the bytes of their rows
  * @param ranges theirs
  * @param spread tasks for all other groups: they come first
  */
final class RangeTable(
    width: Int,
    groups: Array[Array[Byte]],
    ranges: Array[Ranges],
    val spread: Int
) extends Serializable {
  private val begins = ranges.scanLeft(spread)(_ + _.count)

  /** Tasks in all. */
  def targets: Int = begins.last

  /** Ranges in all. */
  def rangeCount: Int = targets - spread

  def isKeyed: Boolean = width > 0

  def of(cut: Int): Ranges = ranges(cut)

  /** The first target of a group that is cut. */
  def begin(cut: Int): Int = begins(cut)

  /** The group whose range a target is; −1 where it has whole ones. */
  def cutOf(target: Int): Int = if (target < spread) -1 else begins.lastIndexWhere(_ <= target)

  /** Finds the groups that are cut by their keys. */
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

  /** Where there are more groups, none is cut. */
  val MostGroups = 256

  /** The rank error allowed for one of several groups, which has fewer ranges than a group alone. */
  val GroupRankError: Double = 1.0 / 2048

  /** @param groups the rows of every group; none where they were too many */
  def of(width: Int, groups: Option[Seq[OrderKeys]], cut: RangeCut): RangeTable = {
    val all = groups.getOrElse(Nil)
    val rows = all.map(_.profile.countHigh.toDouble).sum
    val cuts = for {
      group <- all
      profile = group.profile
      share = if (width == 0) cut.most else math.round(cut.most * (profile.countHigh / rows)).toInt
      // a group alone is a range even where it has no row: then there is one task
      if width == 0 || (profile.size > 1 && share > 1)
      ranges = Ranges.of(profile, cut.copy(most = share))
      if width == 0 || ranges.count > 1
    } yield group.key -> ranges
    val spread = if (width > 0 && (cuts.isEmpty || cuts.size < all.size)) cut.most else 0
    new RangeTable(width, cuts.map(_._1).toArray, cuts.map(_._2).toArray, spread)
  }
}
