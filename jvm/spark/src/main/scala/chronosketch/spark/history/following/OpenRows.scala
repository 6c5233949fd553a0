package chronosketch.spark.history.following

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}

import chronosketch.spark.following.ReadErrors
import chronosketch.spark.history.following.OpenRows._

/** The rows of a segment from which its histories are built.
  *
  * @param opened
  *   the segment's open rows, built from the changes up to `segment.built`, or None if there are none yet
  * @param changes
  *   all its changes: `version`, `value` and `copies` of each group
  */
private[following] final class OpenRows(
    definition: HistoryDefinition,
    segment: Segment,
    opened: Option[DataFrame],
    changes: DataFrame,
    limits: FollowLimits
) {

  /** Builds the groups anew that have changed since their rows were built; keeps the other rows. */
  def upTo(last: Long): DataFrame = opened match {
    case Some(rows) if definition.groups.nonEmpty && segment.kept > limits.small => changedOnly(rows, last)
    case _ =>
      val all = limits.coalesced(changes, Some(segment.kept))
      histories(definition, all, groupsOf(definition, all), segment.base, last, Some(segment.kept), limits)
  }

  private def changedOnly(rows: DataFrame, last: Long): DataFrame = {
    val unbuilt = limits.coalesced(changes.where(col("version") > segment.built), Some(segment.waiting))
    val touched = groupsOf(definition, unbuilt)
    val built = histories(
      definition,
      among(changes, touched, "left_semi"),
      touched,
      segment.base,
      last,
      None,
      limits
    )
    val others = among(rows, touched, "left_anti")
    built.unionByName(others.select((definition.groups :+ "sketch").map(col): _*))
  }

  private def among(rows: DataFrame, groups: DataFrame, how: String): DataFrame = {
    val names = definition.groups.zipWithIndex.map { case (name, i) => name -> s"_group_$i" }
    val keys = groups.select(names.map { case (name, key) => col(name).as(key) }: _*)
    val small = if (segment.waiting <= limits.small) broadcast(keys) else keys
    rows.join(small, expr(names.map { case (name, key) => s"$name <=> $key" }.mkString(" AND ")), how)
  }
}

private[following] object OpenRows {

  /** The distinct groups of some rows; one row if the history has no groups. */
  def groupsOf(definition: HistoryDefinition, rows: DataFrame): DataFrame =
    if (definition.groups.isEmpty) rows.sparkSession.range(1).toDF()
    else rows.select(definition.groups.map(col): _*).distinct()

  /** Builds the histories of some groups, from version `first` to `last`, of `count` changes if known. */
  def histories(
      definition: HistoryDefinition,
      changes: DataFrame,
      groups: DataFrame,
      first: Long,
      last: Long,
      count: Option[Long],
      limits: FollowLimits
  ): DataFrame = {
    // a change with no copies tells a group's history about a version in which the group did not change
    val marks = Seq[Column](
      explode(array(lit(first), lit(last))).as("version"),
      definition.placeholder.as("value"),
      lit(0L).as("copies")
    )
    val markers = groups.select(definition.groups.map(col) ++ marks: _*)
    val rows = definition.sketches(limits.coalesced(changes.unionByName(markers), count))
    // a deleted value that was never inserted would make every later answer wrong
    val sentence = s"[${ReadErrors.DoNotFit}] The changes delete values that were not there."
    val fits = expr("sketch_describe(sketch).clamped = 0")
    rows.withColumn("sketch", when(fits, col("sketch")).otherwise(raise_error(lit(sentence))))
  }
}
