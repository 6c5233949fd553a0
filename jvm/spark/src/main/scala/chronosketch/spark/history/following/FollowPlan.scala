package chronosketch.spark.history.following

import org.apache.spark.sql.DataFrame

/** The arguments of `CALL chronosketch.follow`, checked as far as they can be without the source. */
final case class FollowPlan(
    source: String,
    into: String,
    value: String,
    by: Seq[String] = Nil,
    where: Option[String] = None,
    epsilon: Double = 0.01,
    start: Option[Long] = None,
    onReplace: String = FollowPlan.Refuse
)

object FollowPlan {

  /** The choices if another table has taken the source's name. */
  val Refuse = "error"
  val Rebuild = "rebuild"
  val Continue = "continue"
}

/** When open rows are rebuilt and sealed. A change costs a constant number of written rows, however many rows the history has.
  *
  * @param buildShare
  *   open rows are rebuilt when waiting changes exceed this share of the values at their base
  * @param sealShare
  *   open rows are sealed when all their changes exceed this share, and `sealLeast`
  * @param small
  *   up to this many rows go through one partition, and open rows of up to this many changes are rebuilt as a whole. Below that size, a
  *   shuffle or a search for the changed groups costs more than it saves
  */
private[following] final case class FollowLimits(
    buildShare: Double = 0.01,
    sealShare: Double = 0.5,
    sealLeast: Long = 10000,
    small: Long = 100000
) {

  def mustSeal(segment: Segment): Boolean =
    segment.taken > math.max(sealLeast.toDouble, sealShare * segment.began.getOrElse(0L))

  def mustRebuild(segment: Segment): Boolean = segment.waiting > buildShare * segment.began.getOrElse(0L)

  /** Puts few rows in one partition. Spark then needs no shuffle and writes one file. */
  def coalesced(rows: DataFrame, count: Option[Long]): DataFrame =
    if (count.exists(_ <= small)) rows.coalesce(1) else rows
}
