package chronosketch.spark.history.following

import java.time.Instant

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.util.DateTimeUtils.microsToInstant
import org.apache.spark.sql.functions.{col, lit, sum, timestamp_micros}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Column, DataFrame, Row, SparkSession}

import chronosketch.spark.history.following.HistoryTable._

/** A version of the source and its commit time. */
private[following] final case class VersionTime(version: Long, micros: Long)

/** Builds the rows that a step writes, from the open rows and changes in the table and the new changes.
  *
  * @param opened
  *   the table's open rows
  * @param before
  *   the table's changes
  * @param netted
  *   the new changes
  */
private[following] final case class StepRows(
    definition: HistoryDefinition,
    segment: Segment,
    opened: Option[DataFrame],
    before: Option[DataFrame],
    netted: DataFrame,
    times: Seq[VersionTime],
    limits: FollowLimits
) {
  private def last: Long = times.last.version

  /** Only the new changes. */
  def changes: DataFrame =
    netted.withColumn("kind", lit(Change)).withColumn("sketch", lit(null).cast(BinaryType))

  /** The new changes, and open rows rebuilt up to the last version. */
  def rebuilt: DataFrame = together(histories(Open), changes)

  /** Sealed rows up to the last version, and new open rows that begin with its values. */
  def closed: DataFrame = {
    val kept = Some(segment.kept)
    val sums = limits.coalesced(allChanges, kept).groupBy((definition.groups :+ "value").map(col): _*)
      .agg(sum("copies").as("copies"))
    val base = sums.where("copies != 0").withColumn("version", lit(last))
    val groups = OpenRows.groupsOf(definition, base)
    val opened = OpenRows.histories(definition, base, groups, last, last, kept, limits)
      .withColumn("kind", lit(Open)).withColumn("from_version", lit(last + 1))
      .withColumn("to_version", lit(last))
    together(histories(Sealed), opened, base.withColumn("kind", lit(Change)))
  }

  private def allChanges: DataFrame = before.fold(netted)(_.unionByName(netted))

  private def histories(kind: String): DataFrame =
    new OpenRows(definition, segment, opened, allChanges, limits).upTo(last).withColumn("kind", lit(kind))
      .withColumn("from_version", lit(segment.since)).withColumn("to_version", lit(last))
      .withColumn("first_ts", moment(segment.sinceMicros))
      .withColumn("last_ts", moment(Some(times.last.micros)))

  private def moment(micros: Option[Long]): Column =
    micros.fold(lit(null).cast(TimestampType))(m => timestamp_micros(lit(m)))

  private def together(frames: DataFrame*): DataFrame =
    frames.reduce(_.unionByName(_, allowMissingColumns = true))
}

private[following] object StepRows {
  private val schema = new StructType().add("kind", StringType).add("from_version", LongType)
    .add("to_version", LongType).add("first_ts", TimestampType).add("last_ts", TimestampType)
    .add("step", StepType)

  /** The row that records a step's progress and the commit times of its versions. */
  def stepRow(session: SparkSession, made: Progress, times: Seq[VersionTime]): DataFrame = {
    val segment = made.segment
    val step = Row(
      made.number,
      made.id,
      made.table,
      made.definition.toJson.toString,
      segment.base,
      segment.since,
      segment.sinceMicros.map(microsToInstant).orNull,
      segment.built,
      segment.began.map(Long.box).orNull,
      segment.taken,
      segment.waiting,
      times.map(t => Row(t.version, microsToInstant(t.micros)))
    )
    val (first, last) = (times.head, times.last)
    def instant(time: VersionTime): Instant = microsToInstant(time.micros)
    val row = Row(Step, first.version, last.version, instant(first), instant(last), step)
    session.createDataFrame(Seq(row).asJava, schema)
  }
}
