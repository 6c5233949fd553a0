package chronosketch.spark.rollup

import java.time.ZoneId

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{Literal => SqlLiteral}
import org.apache.spark.sql.catalyst.util.{DateTimeUtils, QuotingUtils}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.{DateType, TimestampType}
import org.apache.spark.sql.{Column, DataFrame}
import org.apache.spark.storage.StorageLevel

import chronosketch.spark.following.{ChangeSource, LastVersion}
import chronosketch.spark.rollup.RollupDefinition.Interval
import chronosketch.spark.rollup.RollupRows.{Start, Time}
import chronosketch.spark.rollup.RollupStep._
import chronosketch.spark.sql.Uninterrupted

/** Rows that replace those of some buckets.
  *
  * @param rows
  *   the new rows of the buckets, as the table has them
  * @param buckets
  *   for each level the buckets that they replace, with None for rows without a time; or None for all buckets
  * @param isSmall
  *   whether one file for each level is enough
  */
private[spark] final case class Replacement(
    rows: DataFrame,
    buckets: Option[Map[String, Seq[BucketRange]]],
    isSmall: Boolean = false
) {

  /** The rows in files by time, so that a question about some hours reads few files, and in order of time and groups, so that it reads few
    * pages of them.
    */
  def inFiles: DataFrame = {
    val time = Seq(rows(RollupDefinition.Level), rows(RollupDefinition.Bucket))
    val files = if (isSmall) rows.repartition(1) else rows.repartitionByRange(time: _*)
    val keys =
      rows.columns.takeWhile(_ != RollupDefinition.Rows).map(name => rows(QuotingUtils.quoteIdentifier(name)))
    files.sortWithinPartitions(keys.toSeq: _*)
  }

  /** The condition of SQL on the rows that are replaced, or None for all. */
  def condition(definition: RollupDefinition): Option[String] =
    buckets.map(RollupStep.condition(definition, _))

  /** Whether no row is replaced and none is new. */
  def isEmpty: Boolean = buckets.exists(_.values.forall(_.isEmpty))
}

/** Computes what a roll-up's rows become when the source's changes since its last step are added. It writes nothing.
  *
  * @param source
  *   the source, opened after the roll-up was read
  * @param isKept
  *   whether frames that are used more than once are kept until the step is closed
  */
private[spark] final class RollupStep(table: RollupTable, source: ChangeSource, isKept: Boolean = true)
    extends AutoCloseable {
  private val definition = table.definition
  private val zone = definition.zone
  private val rows = new RollupRows(definition)
  private val latest = source.latest
  private var cached: List[DataFrame] = Nil

  /** The rows that the source gained and lost since the last step. */
  private lazy val changes: DataFrame = {
    val first = table.progress.fold(0L)(_.source.version + 1)
    rows.measured(source.changes(first, latest), ChangeSource.Copies)
  }

  /** The rows that the changes would be if all were gained, with the least number of copies, the newest time and a fingerprint of each. They are
    * far fewer than the changes, so these are kept.
    */
  private lazy val aggregatedChanges: DataFrame = {
    val others = Seq(
      min(ChangeSource.Copies).as(ChangeSource.Copies),
      max(Time).as(Time),
      bit_xor(xxhash64(contents(changes): _*)).as(Fingerprint)
    )
    keep(rows.aggregated(changes, others: _*), isReused = true)
  }

  private lazy val changedBuckets: Seq[Touched] =
    aggregatedChanges.groupBy(Start).agg(min(ChangeSource.Copies) < 0, max(Time)).collect().toSeq.map { row =>
      def micros(i: Int) = Option.when(!row.isNullAt(i))(row.getLong(i))
      Touched(micros(0), row.getBoolean(1), micros(2))
    }

  /** The source's version that the rows will be of. */
  lazy val version: LastVersion = {
    // A batch has no time of its own. The newest time of all rows so far is the same if the batch is repeated.
    def newest = (changedBuckets.flatMap(_.newest) ++ table.progress.map(_.source.micros)).maxOption
    val micros = if (definition.isFed) newest.getOrElse(StreamBatch.NoTime) else source.time(latest)
    LastVersion(latest, source.identity, micros)
  }

  /** The levels that lose old rows, with the start of the first bucket that they keep. A level never begins earlier than before. */
  lazy val begins: Map[String, Long] = {
    val before = table.progress.fold(Map.empty[String, Long])(_.begins)
    val retention =
      if (version.micros == StreamBatch.NoTime) Map.empty[String, Interval] else definition.retention
    definition.levels.flatMap { level =>
      val kept = retention.get(level.level).map(r => level.startOf(version.micros - r.micros, zone))
      (before.get(level.level) ++ kept).maxOption.map(level.level -> _)
    }.toMap
  }

  /** Builds all rows from the source. */
  def all(): Replacement = {
    val finest =
      keep(rows.aggregated(rows.measured(source.snapshot(latest))), isReused = definition.levels.size > 1)
    Replacement(union(levels(finest)), None)
  }

  /** Builds the rows of all buckets that a range of times touches from the source. */
  def range(from: Option[Long], to: Option[Long]): Replacement = {
    // a coarser bucket is merged from finest ones, so these have to be there
    val widest = definition.levels.last
    val start = from.map(widest.startOf(_, zone))
    val end = to.map(t => widest.endOf(widest.startOf(t - 1, zone), zone))
    val hull = Seq(BucketRange(Some((start.getOrElse(Long.MinValue), end.getOrElse(Long.MaxValue)))))
    val snapshot = source.snapshot(latest).where(rows.within(hull))
    val finest = keep(rows.aggregated(rows.measured(snapshot)), isReused = definition.levels.size > 1)
    Replacement(union(levels(finest)), Some(definition.levels.map(_.level -> hull).toMap))
  }

  private def levels(finest: DataFrame): Seq[DataFrame] = definition.levels.map { level =>
    val merged = if (level == definition.finest) finest else rows.merged(rows.coarsened(finest, level))
    rows.storable(retained(merged, level), level)
  }

  /** Adds the changes since the last step. */
  def changed(): Replacement = {
    val (withRemovals, appended) = changedBuckets.partition(_.hasRemovals)
    val groups = Option.when(withRemovals.nonEmpty)(keep(changedGroups(withRemovals), isReused = true))
    if (groups.exists(areMost)) all() else added(appended, groups)
  }

  /** Whether groups that are to be built anew are more than half of all. Then it takes less time to build all. If retention has dropped some,
    * this is not known.
    */
  private def areMost(groups: DataFrame): Boolean = !begins.contains(definition.finest.level) &&
    groups.count() > rows.ofLevel(table.rows, definition.finest).count() / 2

  private def added(appended: Seq[Touched], groups: Option[DataFrame]): Replacement = {
    val mixed = groups.toSeq.flatMap(bucketsOf)
    val touched = appended ++ mixed
    val inserts = Option.when(appended.nonEmpty) {
      val inBuckets = if (groups.isEmpty) aggregatedChanges else aggregatedChanges.where(isIn(appended))
      inBuckets.drop(ChangeSource.Copies, Time, Fingerprint)
    }
    val parts = Changes(table.rows, touched, mixed, inserts, groups.filter(_ => mixed.nonEmpty))
    val finest = keep(newFinest(parts), isReused = definition.levels.size > 1)
    val coarser = definition.coarser.scanLeft((definition.finest, finest)) {
      case ((finer, rowsOfFiner), level) =>
        (
          level,
          keep(newCoarser(level, parts, finer, rowsOfFiner), isReused = level != definition.levels.last)
        )
    }
    val all = coarser.map { case (level, frame) => rows.storable(frame, level) }
    Replacement(
      union(all),
      Some(definition.levels.map(l => l.level -> replaced(l, touched)).toMap),
      isSmall = touched.size <= FewBuckets
    )
  }

  private def bucketsOf(groups: DataFrame): Seq[Touched] =
    groups.select(Start).distinct().collect().toSeq.map(row =>
      Touched(Option.when(!row.isNullAt(0))(row.getLong(0)), hasRemovals = true, newest = None)
    )

  /** The groups whose rows changed on balance, in buckets with removals. Images of rows that were only copied cancel out.
    *
    * The images that cancel out are as many of each row gained as lost, so the exclusive or of their hashes is 0. Groups with another
    * fingerprint have changed. Rows of the others are counted.
    */
  private def changedGroups(buckets: Seq[Touched]): DataFrame = {
    val touched = aggregatedChanges.where(isIn(buckets))
    val changed = rows.keysOf(touched.where(touched(Fingerprint) =!= 0))
    val uncertain = touched.where(touched(Fingerprint) === 0)
    if (uncertain.isEmpty) changed
    else {
      val images = rows.having(changes.where(isIn(buckets)), rows.keysOf(uncertain))
      val net = images.groupBy(contents(images): _*).agg(sum(ChangeSource.Copies).as(ChangeSource.Copies))
      changed.union(rows.keysOf(net.where(net(ChangeSource.Copies) =!= 0)))
    }
  }

  /** All columns of measured images but the number of copies. */
  private def contents(images: DataFrame): Seq[Column] =
    images.columns.filter(_ != ChangeSource.Copies).map(name =>
      images(QuotingUtils.quoteIdentifier(name))
    ).toSeq

  /** The new rows of the touched buckets of the finest level. */
  private def newFinest(changes: Changes): DataFrame = {
    val level = definition.finest
    val before = storedIn(changes, level)
    val parts = changes.groups.fold(Seq(before)) { changed =>
      Seq(rows.having(before, changed, are = false), fromSource(changed, level, changes.mixed))
    }
    retained(merged(parts ++ changes.inserts), level)
  }

  /** The new rows of the touched buckets of a coarser level.
    *
    * @param finer
    *   the next finer level, from whose rows those are merged that can't be kept
    * @param rowsOfFiner
    *   the new rows of its touched buckets
    */
  private def newCoarser(
      level: BucketWidth,
      changes: Changes,
      finer: BucketWidth,
      rowsOfFiner: DataFrame
  ): DataFrame = {
    val before = storedIn(changes, level)
    val added = changes.inserts.map(rows.coarsened(_, level))
    val parts = changes.groups.fold(Seq(before) ++ added) { finestGroups =>
      val changed = keep(rows.keysOf(rows.coarsened(finestGroups, level)), isReused = true)
      val buckets = changes.mixed.flatMap(_.start).map(level.startOf(_, zone))
      val lost = begins.get(finer.level).exists(begin => buckets.exists(_ < begin))
      val anew =
        if (lost) fromSource(changed, level, changes.mixed)
        else {
          val within = ranges(level, changes.mixed)
          val untouched = stored(changes, finer, within).where(!inRanges(ranges(finer, changes.touched)))
          val finerRows = untouched.unionByName(rowsOfFiner.where(inRanges(within)))
          rows.having(rows.coarsened(finerRows, level), changed)
        }
      Seq(rows.having(before, changed, are = false), anew) ++ added.map(rows.having(_, changed, are = false))
    }
    retained(merged(parts), level)
  }

  /** Rows of some groups built from the source, which is read only where their buckets are. */
  private def fromSource(groups: DataFrame, level: BucketWidth, buckets: Seq[Touched]): DataFrame = {
    val near = rows.measured(source.snapshot(latest).where(rows.within(ranges(level, buckets))))
    rows.aggregated(rows.having(near.withColumn(Start, level.startOf(near(RollupRows.Time), zone)), groups))
  }

  private def merged(parts: Seq[DataFrame]): DataFrame = rows.merged(union(parts))

  /** The rows that a level had in the touched buckets. */
  private def storedIn(changes: Changes, level: BucketWidth): DataFrame =
    stored(changes, level, ranges(level, changes.touched))

  /** The rows that a level had in some ranges, with a condition on the table's own columns, so that only their files are read. */
  private def stored(changes: Changes, level: BucketWidth, within: Seq[BucketRange]): DataFrame =
    rows.ofLevel(changes.stored.where(RollupStep.condition(definition, Map(level.level -> within))), level)

  private def retained(frame: DataFrame, level: BucketWidth): DataFrame =
    begins.get(level.level).fold(frame)(begin => frame.where(frame(Start).isNull || frame(Start) >= begin))

  /** The ranges of a level's rows that a step replaces: touched buckets, and those that retention drops. */
  private def replaced(level: BucketWidth, touched: Seq[Touched]): Seq[BucketRange] = {
    val before = table.progress.flatMap(_.begins.get(level.level))
    val dropped = begins.get(level.level).filter(begin => before.forall(_ < begin))
    ranges(level, touched) ++ dropped.map(begin => BucketRange(Some((Long.MinValue, begin))))
  }

  private def ranges(level: BucketWidth, touched: Seq[Touched]): Seq[BucketRange] =
    RollupStep.ranges(level, touched.map(_.start), zone)

  private def isIn(touched: Seq[Touched]): Column = {
    val starts = col(Start).isin(touched.flatMap(_.start): _*)
    if (touched.exists(_.start.isEmpty)) starts || col(Start).isNull else starts
  }

  private def inRanges(ranges: Seq[BucketRange]): Column =
    RollupRows.anyOf(ranges, col(Start), lit(_: Long))

  private def union(parts: Seq[DataFrame]): DataFrame = parts.reduce(_ unionByName _)

  /** Keeps a frame that is used more than once until this step is closed. */
  private def keep(frame: DataFrame, isReused: Boolean): DataFrame =
    if (!isReused || !isKept) frame
    else {
      cached ::= frame.persist(StorageLevel.MEMORY_AND_DISK)
      frame
    }

  override def close(): Unit = {
    Uninterrupted.run(cached.foreach(_.unpersist()))
    cached = Nil
  }
}

private[spark] object RollupStep {
  private val Fingerprint = "_chronosketch_fingerprint"

  /** Spark can't compile conditions of many ranges. If there are more, the rows between the nearest of them are written again, too. */
  private val MostRanges = 32

  /** Rows of so few buckets go into one file for each level. */
  private val FewBuckets = 100

  /** A bucket of the finest level that has changes, or None for rows without a time.
    *
    * @param newest
    *   the newest time of the changed rows, if it is known
    */
  private final case class Touched(start: Option[Long], hasRemovals: Boolean, newest: Option[Long])

  /** The changes that a step adds to stored rows.
    *
    * @param stored
    *   the rows before the step
    * @param mixed
    *   the touched buckets that have removals
    * @param inserts
    *   aggregated inserts of the other touched buckets
    * @param groups
    *   the groups in mixed buckets that are built anew
    */
  private final case class Changes(
      stored: DataFrame,
      touched: Seq[Touched],
      mixed: Seq[Touched],
      inserts: Option[DataFrame],
      groups: Option[DataFrame]
  )

  /** The ranges of a level that the buckets of some starts fill. There are at most [[MostRanges]] and one for rows without a time. */
  def ranges(level: BucketWidth, starts: Seq[Option[Long]], zone: ZoneId): Seq[BucketRange] = {
    val joined = mutable.ArrayBuffer.empty[(Long, Long)]
    starts.flatten.map(level.startOf(_, zone)).distinct.sorted.foreach { start =>
      val end = level.endOf(start, zone)
      if (joined.nonEmpty && joined.last._2 == start) joined(joined.size - 1) = (joined.last._1, end)
      else joined += start -> end
    }
    val few =
      if (joined.size <= MostRanges) joined.toSeq
      else {
        // keep the widest gaps
        val gaps =
          (1 until joined.size).sortBy(i => joined(i - 1)._2 - joined(i)._1).take(MostRanges - 1).sorted
        (0 +: gaps).zip(gaps :+ joined.size).map { case (from, until) =>
          (joined(from)._1, joined(until - 1)._2)
        }
      }
    few.map(range => BucketRange(Some(range))) ++ Option.when(starts.contains(None))(BucketRange(None))
  }

  /** A condition of SQL on a roll-up: rows whose level has their bucket in one of its ranges. */
  def condition(definition: RollupDefinition, ranges: Map[String, Seq[BucketRange]]): String = {
    val bucket = RollupDefinition.Bucket
    def literal(micros: Long): String = definition.timeType match {
      case DateType => SqlLiteral(Math.floorDiv(micros, BucketWidth.Day).toInt, DateType).sql
      // Spark writes literals in the session's time zone, where an hour can come twice a year
      case TimestampType if micros >= Year1 && micros < Year10000 =>
        s"TIMESTAMP '${DateTimeUtils.microsToInstant(micros)}'"
      case TimestampType => s"timestamp_micros(${micros}L)"
      case time => SqlLiteral(micros, time).sql
    }
    val conditions = for {
      (level, inLevel) <- ranges.toSeq if inLevel.nonEmpty
    } yield {
      val any = inLevel.map {
        case BucketRange(None) => s"$bucket IS NULL"
        case BucketRange(Some((start, end))) =>
          val bounds = Option.when(start != Long.MinValue)(s"$bucket >= ${literal(start)}") ++
            Option.when(end != Long.MaxValue)(s"$bucket < ${literal(end)}")
          if (bounds.isEmpty) s"$bucket IS NOT NULL" else bounds.mkString("(", " AND ", ")")
      }
      s"(${RollupDefinition.Level} = ${RollupTable.literal(level)} AND (${any.mkString(" OR ")}))"
    }
    if (conditions.isEmpty) "false" else conditions.mkString(" OR ")
  }

  private val Year1 = -62135596800000000L
  private val Year10000 = 253402300800000000L
}
