package chronosketch.spark.history.following

import java.util.UUID

import scala.util.control.NonFatal

import org.apache.spark.sql.functions.{count, count_if, col, lit}
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}

import chronosketch.spark.following.{ChangeSource, ReadErrors, Sources, VersionedTable}
import chronosketch.spark.history.following.HistoryStep._
import chronosketch.spark.history.following.HistoryTable.{Change, Open}
import chronosketch.spark.sql.Uninterrupted

/** One attempt at a step, from the progress that a history has and its source, which was opened after that. */
private[following] final class HistoryStep private (
    session: SparkSession,
    plan: FollowPlan,
    table: HistoryTable,
    source: VersionedTable,
    limits: FollowLimits
) {
  private val before: Option[Progress] = table.progress
  private val latest: Long = source.latest

  /** Makes the step, or writes nothing. */
  def make(): Result = {
    val refusals = new FollowRefusals(plan, source, before)
    val resumed = before.filterNot(refusals.mustRestart)
    // check the arguments in every step, even if there is nothing new, so that a mistake shows at once
    resumed.foreach(refusals.requireSameArguments)
    resumed match {
      // its columns and types were checked when it was added
      case Some(progress) if latest == progress.last => NothingNew
      case Some(progress) => continue(progress)
      case None if latest < 0 =>
        HistoryDefinition.resolve(plan, source, session.table(plan.source))
        NothingNew
      case None => begin()
    }
  }

  private def begin(): Result = {
    // fail on a mistake in an expression before searching through the versions
    val definition = definitionAt(latest)
    val first = plan.start.getOrElse(firstKnown())
    if (first > latest) throw FollowRefusals.startsTooLate(plan, latest)
    explaining(first) {
      val snapshot = source.snapshot(first).withColumn(ChangeSource.Version, lit(first))
        .withColumn(ChangeSource.Copies, lit(1L))
      val start = definition.images(snapshot)
      val images =
        if (first == latest) start
        else start.unionByName(definition.images(source.changes(first + 1, latest)))
      val times = increasing(first, source.times(first, latest), None)
      val segment = Segment(first, first, Some(times.head.micros), first - 1, None, 0, 0)
      commit(StepRows(definition, segment, None, None, definition.netChanges(images), times, limits), None)
    }
  }

  private def continue(progress: Progress): Result = {
    val first = progress.last + 1
    explaining(first) {
      val definition = unchanged(progress.definition)
      val times = increasing(first, source.times(first, latest), Some(progress.lastMicros))
      val images = limits.coalesced(
        definition.images(source.changes(first, latest)),
        source.images(first, latest)
      )
      val changes = table.rows(Change)
        .select((definition.groups ++ Seq("version", "value", "copies")).map(col): _*)
      val segment =
        if (progress.segment.began.nonEmpty) progress.segment
        else // the previous step sealed
          progress.segment.copy(sinceMicros = Some(times.head.micros), began = Some(changes.count()))
      val netted = definition.netChanges(images)
      commit(
        StepRows(definition, segment, Some(table.rows(Open)), Some(changes), netted, times, limits),
        Some(progress)
      )
    }
  }

  private def commit(initial: StepRows, resumed: Option[Progress]): Result = {
    val netted = initial.netted.persist()
    try {
      val (began, changes) = counted(netted, initial.segment.base)
      val was = initial.segment
      val segment = was.copy(
        began = was.began.orElse(Some(began)),
        taken = was.taken + changes,
        waiting = was.waiting + changes
      )
      val rows =
        initial.copy(segment = segment, netted = limits.coalesced(netted, Some(began + changes)))
      val (first, last) = (initial.times.head, initial.times.last)
      val isSealed = limits.mustSeal(segment)
      val (after, frame, replacing, written) =
        if (isSealed)
          (
            Segment(last.version, last.version + 1, None, last.version, None, 0, 0),
            rows.closed,
            Seq(Open, Change),
            segment.kept
          )
        else if (resumed.isEmpty || limits.mustRebuild(segment))
          (segment.copy(built = last.version, waiting = 0), rows.rebuilt, Seq(Open), segment.kept)
        else (segment, rows.changes, Nil, changes)
      val made = Progress(
        before.fold(1L)(_.number + 1),
        UUID.randomUUID().toString.replace("-", ""),
        source.identity,
        rows.definition,
        resumed.fold(first.version)(_.first),
        last.version,
        last.micros,
        after
      )
      val all = frame.unionByName(StepRows.stepRow(session, made, initial.times), allowMissingColumns = true)
        .select(rows.definition.columns.map(col): _*)
      if (table.commit(limits.coalesced(all, Some(written)), resumed.map(_ => replacing), made))
        Made(first.version, last.version, began + changes, isSealed)
      else Overtaken
    } finally Uninterrupted.run { netted.unpersist(); () }
  }

  private def definitionAt(version: Long): HistoryDefinition =
    HistoryDefinition.resolve(plan, source, source.snapshot(version))

  /** The first version that a new history can begin with. The definition must resolve there to the same types as in the newest version. */
  private def firstKnown(): Long = {
    val newest = source.snapshot(latest)
    def resolved(rows: DataFrame): Option[HistoryDefinition] =
      try Some(HistoryDefinition.resolve(plan, source, rows))
      catch { case _: AnalysisException => None }
    resolved(newest) match {
      case Some(definition) => source.firstKnown(latest, rows => resolved(rows).contains(definition))
      // a column was renamed; the user will have to adapt the arguments
      case None => source.firstKnown(latest, rows => rows.dtypes.sameElements(newest.dtypes))
    }
  }

  private def unchanged(was: HistoryDefinition): HistoryDefinition = {
    def changed(details: String, cause: Option[Throwable]): Nothing =
      throw ReadErrors.refusal(ReadErrors.SchemaChanged, plan.source, details, cause = cause)
    val now =
      try definitionAt(latest)
      catch {
        case e: AnalysisException => changed(ReadErrors.sentences(e).linesIterator.next(), Some(e))
      }
    if (!now.isSame(was))
      changed(s"types were ${was.types.mkString(", ")} and are ${now.types.mkString(", ")}.", None)
    now
  }

  /** Turns errors from reading changes into refusals that say with which version a history can begin. */
  private def explaining(first: Long)(body: => Result): Result =
    ReadErrors.explainingBy(plan.source, first, latest, remedy)(body)

  private def remedy(condition: String): String = {
    // if files are gone, finding the first version would mean reading all remaining files
    val first =
      try Right(if (condition == ReadErrors.FilesGone) latest else firstKnown())
      catch {
        case e: AnalysisException if e.getCondition == ReadErrors.FeedOff => Left(ReadErrors.sentences(e))
        case NonFatal(_) => Right(latest) // too much is gone to find out
      }
    first match {
      case Left(sentences) => sentences
      case Right(version) =>
        val drop = before.fold("")(_ => s"${FollowRefusals.dropping(plan.into)}, then ")
        s"All changes are known from version $version on. To begin there: ${drop}follow with " +
          s"start => ${source.startNumber(version)}.${FollowRefusals.available(plan.into, before)}"
    }
  }
}

private[following] object HistoryStep {

  /** The result of an attempt at a step. */
  sealed trait Result

  /** The step added the versions `first` to `last`. `changes` counts their changes after changes of the same value were added up. */
  final case class Made(first: Long, last: Long, changes: Long, isSealed: Boolean) extends Result

  /** The history has all versions. */
  case object NothingNew extends Result

  /** Another follower has written in the meantime. Nothing was written. */
  case object Overtaken extends Result

  /** Reads the progress of a history, and opens its source after that. */
  def open(
      session: SparkSession,
      plan: FollowPlan,
      limits: FollowLimits = FollowLimits()
  ): HistoryStep = {
    val table = HistoryTable.open(session, plan.into)
    ReadErrors.refuseToSkipFiles(session, plan.source)
    val before = table.progress
    if (before.isEmpty) table.requireSchema()
    val note = FollowRefusals.available(plan.into, before)
    new HistoryStep(
      session,
      plan,
      table,
      Sources.open(session, plan.source, before.map(_.lastVersion), note),
      limits
    )
  }

  /** Counts the rows at the base version of the open rows, and the rows after it. */
  private def counted(netted: DataFrame, base: Long): (Long, Long) = {
    val row = netted.agg(count_if(col("version") === base), count(lit(1))).head()
    (row.getLong(0), row.getLong(1) - row.getLong(0))
  }

  /** Makes each time at least a millisecond later than the one before, as Delta does: clocks can go back. */
  private def increasing(first: Long, micros: Seq[Long], after: Option[Long]): Seq[VersionTime] = {
    val increasing = micros.scanLeft(after)((previous, time) =>
      Some(previous.fold(time)(p => math.max(time, p + 1000)))
    ).flatten.takeRight(micros.size)
    increasing.zipWithIndex.map { case (time, i) => VersionTime(first + i, time) }
  }
}
