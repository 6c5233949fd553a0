package chronosketch.spark.warehouse

import scala.annotation.tailrec
import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{Literal, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession, classic}

import chronosketch.Refusal
import chronosketch.spark.sql.{JobDescription, SparkPrivates}
import chronosketch.spark.warehouse.live.{LiveMemory, LiveWriter}
import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.runs._
import chronosketch.warehouse.DamagedWarehouse

/** Selects stored rows: those of some steps, those of the groups that meet a condition, or those that are both.
  *
  * @param steps     the first and the last step; all rows, also live ones, if absent
  * @param condition SQL that reads the columns of `by`
  */
private[warehouse] final case class RowSelection(steps: Option[(Long, Long)], condition: Option[String]) {
  def text: String = {
    val stepText = steps.map { case (first, last) =>
      if (first == last) s"step $first" else s"steps $first to $last"
    }
    (stepText ++ condition.map(text => s"where $text")).mkString(", ")
  }
}

private[warehouse] object RowSelection {

  /** Checks the arguments. `lastStep` is the same as `step` if absent. */
  def of(step: Option[Long], lastStep: Option[Long], condition: Option[String]): RowSelection = {
    def refuse(argument: String, required: String, value: Option[Long]): Nothing = throw Refusal(
      "CHRONOSKETCH_WAREHOUSE_ARGUMENT",
      "argument" -> argument,
      "required" -> required,
      "sql" -> value.fold("NULL")(_.toString)
    )
    if (step.isEmpty && lastStep.nonEmpty) refuse("step", "the first step, if last_step is given", step)
    if (step.isEmpty && condition.isEmpty)
      refuse("step", "the number of a step, or where must be given", step)
    if (lastStep.exists(_ < step.get))
      refuse("last_step", s"${step.get}, which is the step, or more", lastStep)
    RowSelection(step.map(first => (first, lastStep.getOrElse(first))), condition)
  }
}

/** The result of [[Warehouse.replace]].
  *
  * @param step    the last step of the run that has the new rows
  * @param rows    the new rows
  * @param nulls   the new rows that were left out because their value is NULL
  * @param deleted the rows that they replace
  * @param isNew   false if the batch was a repeat
  */
final case class Replaced(step: Long, rows: Long, nulls: Long, deleted: Long, version: Long, isNew: Boolean)

/** The result of [[Warehouse.delete]]: how many rows were deleted. If there were none, no version is committed. */
final case class Deleted(rows: Long, version: Long)

/** New rows, and the batch of a writer that they are, if any: its name and the number of the batch. */
private[warehouse] final class NewRows(rows: DataFrame, batch: Option[(String, Long)]) {

  /** The step of the rows if the state has them already. */
  def stepOfRepeat(state: State): Option[Long] =
    batch.flatMap { case (writer, number) => state.stepOfRepeat(writer, number) }

  /** The rows as they are stored, in order. Refuses columns that the warehouse can't store. */
  def sorted(state: State): SortedRows = new RowSort(ColumnTypes.selectColumns(state.definition, rows)._2)

  /** Records the rows in a state that has them, in this step. */
  def recordIn(state: State, step: Long): State = state.recording(
    batch.map { case (writer, number) => WriterBatch(writer, number, step) },
    ColumnTypes.selectColumns(state.definition, rows)._1
  )
}

/** Appends, replaces and deletes rows of a warehouse, each in one commit.
  *
  * Guarantee  a reader sees the old rows or the new ones. An edit starts over if another writer has merged the same rows meanwhile.
  *            Rows that others add meanwhile stay
  * Cost       new rows are sorted and written. To replace and delete, each run and live batch that has a selected group is read and
  *            written once; others are not read
  */
private[warehouse] final class WarehouseEdits(
    session: SparkSession,
    store: ManifestStore,
    folders: EntryFolders
) {
  private val commits = new EntryCommits(store, folders)
  private val summaries = new EntrySummaries(session, folders)
  private val runWriter = new RunWriter(session, folders)
  private val liveWriter = new LiveWriter(session, folders)
  private val liveMemory = new LiveMemory(session, folders)
  private val entryRows = new EntryRows(session, folders)

  /** Adds rows as one step: the given one, which must be greater than all others, or the next. */
  def append(newRows: NewRows, step: Option[Long]): Appended = {
    val before = store.newest
    def repeat(state: State): Option[Appended] =
      newRows.stepOfRepeat(state).map(Appended(_, 0, 0, state.version, isNew = false))
    repeat(before).getOrElse {
      val number = before.stepFor(step)
      val run = JobDescription.during(s"append to ${folders.warehouse}: step $number") {
        val limit = before.definition.limits.run(before.runs.size + 1)
        runWriter.write(newRows.sorted(before), limit, level = 0, number, number, steps = 1)
      }
      val update = commits.add(run) { state =>
        requireSame(before, state)
        Option.when(newRows.stepOfRepeat(state).isEmpty) {
          val number = state.stepFor(step)
          newRows.recordIn(state.append(run.copy(firstStep = number, lastStep = number)), number)
        }
      }
      if (update.isCommitted) Appended.of(update.after) else repeat(update.before).get
    }
  }

  /** Puts new rows in place of the selected ones. */
  @tailrec def replace(selection: RowSelection, newRows: NewRows): Replaced = {
    val before = store.newest
    newRows.stepOfRepeat(before) match {
      case Some(step) => Replaced(step, 0, 0, 0, before.version, isNew = false)
      case None =>
        val edit = new Edit(before, selection, Some(newRows))
        val update = edit.commit()
        if (update.isCommitted) edit.replaced(update) else replace(selection, newRows)
    }
  }

  /** Deletes the selected rows. */
  @tailrec def delete(selection: RowSelection): Deleted = {
    val before = store.newest
    val edit = new Edit(before, selection, None)
    if (edit.selectsNothing) Deleted(0, before.version)
    else {
      val update = edit.commit()
      if (update.isCommitted) Deleted(update.before.rows - update.after.rows, update.after.version)
      else delete(selection)
    }
  }

  private def requireSame(before: State, state: State): Unit =
    if (state.definition.id != before.definition.id)
      throw DamagedWarehouse("another warehouse was created there meanwhile")

  /** One attempt, made from the state `before`. */
  private final class Edit(before: State, selection: RowSelection, newRows: Option[NewRows]) {
    private val by: StructType = before.definition.types.fold(new StructType)(before.definition.bySchema)
    private val runs: Seq[Run] = selection.steps.fold[Seq[Run]](before.runs) { case (first, last) =>
      before.runsOf(first, last)
    }
    private val live: Seq[LiveBatch] = if (selection.steps.isEmpty) before.live else Nil

    /** The groups of each entry; empty if whole runs are selected, because then no summaries are needed. */
    private val groups: Map[String, Seq[GroupSummary]] =
      if (selection.condition.isEmpty) Map.empty else summaries.read(runs ++ live, by)

    private def groupsOf(entry: ManifestEntry): Seq[GroupSummary] = groups.getOrElse(entry.id, Nil)
    private val stored: Set[UnsafeRow] = groups.valuesIterator.flatten.map(_.by).toSet
    private val selected: Set[UnsafeRow] =
      if (selection.condition.isEmpty || by.isEmpty && groups.isEmpty) Set.empty
      else meeting(selection.condition.get, by, stored)

    private def hasSelected(entry: ManifestEntry): Boolean =
      groupsOf(entry).exists(group => selected(group.by))

    private val selectedRuns = if (selection.condition.isEmpty) runs else runs.filter(hasSelected)
    private val selectedLive = live.filter(hasSelected)

    def selectsNothing: Boolean = selectedRuns.isEmpty && selectedLive.isEmpty

    /** The run that gets the new rows; empty if these become a run of their own. */
    private val target: Option[Run] =
      if (selection.condition.isEmpty || newRows.isEmpty) None
      else if (selection.steps.isEmpty) selectedRuns.lastOption
      else runs.lastOption

    private val (firstStep, lastStep) = selection.steps.getOrElse {
      val next = before.stepFor(None)
      (next, next)
    }

    private val written = mutable.ArrayBuffer.empty[ManifestEntry]
    private def keep[A <: ManifestEntry](entry: A): A = { written += entry; entry }

    /** The new rows, once they are written. */
    private var added: Option[Run] = None
    private var changes: EntryChanges = null

    /** Writes all files and commits them, unless another writer has changed the selected entries. */
    def commit(): Update = JobDescription.during(s"edit of ${selection.text}") {
      try write()
      catch {
        case e: Throwable =>
          written.foreach(entry => folders.delete(entry.id))
          throw e
      }
      val update = commits.addAll(written.toSeq)(next)
      // the target has the new rows now
      for (run <- added if target.nonEmpty) folders.delete(run.id)
      update
    }

    /** Describes the commit of new rows. */
    def replaced(update: Update): Replaced = {
      val id = target.flatMap(run => changes.runs(run.id)).orElse(added).get.id
      val (rows, nulls) = (added.get.rows, added.get.nulls)
      Replaced(
        update.after.runs.find(_.id == id).get.lastStep,
        rows,
        nulls,
        update.before.rows + rows - update.after.rows,
        update.after.version,
        isNew = true
      )
    }

    private def write(): Unit = {
      added = newRows.map(writeAdded)
      val rewritten =
        if (selection.condition.isEmpty) selectedRuns.map(run => run.id -> None)
        else (selectedRuns ++ target).distinct.map(run => run.id -> Some(without(run)))
      changes = EntryChanges(
        rewritten.toMap,
        selectedLive.map(batch => batch.id -> without(batch)).toMap,
        if (target.isEmpty) added else None
      )
    }

    private def writeAdded(newRows: NewRows): Run = {
      // the least share, because the runs after it have theirs already
      val place = before.runs.size + 1
      val steps = if (selection.condition.isEmpty) math.max(1L, runs.map(_.steps).sum) else 1L
      val sorted = newRows.sorted(before)
      val limit = before.definition.limits.run(place)
      val run = keep(runWriter.write(sorted, limit, level = 0, firstStep, lastStep, steps))
      selection.condition.foreach(requireSelected(run, _, StructType(sorted.schema.init)))
      run
    }

    private def requireSelected(run: Run, condition: String, columns: StructType): Unit = {
      val all = summaries.read(Seq(run), columns).getOrElse(run.id, Nil).map(_.by)
      // the condition may have another value now, so stored groups are not asked again
      val inside = selected ++ meeting(condition, columns, all.filterNot(stored))
      all.find(!inside(_)).foreach { group =>
        val values = columns.zipWithIndex.map { case (column, i) =>
          s"${column.name} = ${Literal(group.get(i, column.dataType), column.dataType).sql}"
        }
        throw Refusal(
          "CHRONOSKETCH_WAREHOUSE_NOT_SELECTED",
          "group" -> values.mkString(", "),
          "where" -> condition
        )
      }
    }

    private def without(run: Run): Run = {
      val more = added.filter(_ => target.contains(run))
      val merge = new RunMerge(
        session,
        folders,
        before.definition,
        run +: more.toIndexedSeq,
        isRetained = (input, group) => input.id != run.id || !selected(group)
      )
      val limit = before.definition.limits.run(before.runs.indexOf(run) + 1)
      val rewritten =
        keep(runWriter.write(merge, limit, run.level, run.firstStep, run.lastStep, run.steps))
      EntryCommits.requireRows(Seq(run), rewritten, retainedRows(run) + more.fold(0L)(_.rows))
      rewritten
    }

    private def without(batch: LiveBatch): LiveBatch = {
      val rows = entryRows.read(Seq(batch), before.definition)
      val rewritten =
        keep(liveWriter.rewrite(rows, before.definition, batch.level, before.live.size, selected))
      EntryCommits.requireRows(Seq(batch), rewritten, retainedRows(batch))
      rewritten.copy(nulls = batch.nulls)
    }

    private def retainedRows(entry: ManifestEntry): Long =
      groupsOf(entry).filterNot(group => selected(group.by)).map(_.rows).sum

    /** The state after `state`; None if another writer has changed the selected entries or has committed the batch. */
    private def next(state: State): Option[State] = {
      requireSame(before, state)
      val hasSameRuns = selection.steps.forall { case (first, last) => state.runsOf(first, last) == runs }
      if (hasSameRuns && !isStoredMeanwhile(state) && !newRows.exists(_.stepOfRepeat(state).nonEmpty)) {
        val all = changes.copy(added = changes.added.map(placed(_, state)))
        state.edit(all).map { edited =>
          val recorded = newRows.fold(edited)(_.recordIn(edited, target.orElse(all.added).get.lastStep))
          if (changes.live.isEmpty) recorded else liveMemory.withinMemory(recorded)
        }
      } else None
    }

    /** Whether another writer has stored a group that no run had. Otherwise two that store it at once would both add their rows. */
    private def isStoredMeanwhile(state: State): Boolean =
      newRows.nonEmpty && selection.steps.isEmpty && target.isEmpty && {
        val ids = before.runs.map(_.id).toSet
        val more = state.runs.filterNot(run => ids(run.id))
        more.nonEmpty && {
          val columns = state.definition.bySchema(state.definition.types.get)
          val groups = summaries.read(more, columns).values.flatten.map(_.by)
          meeting(selection.condition.get, columns, groups).nonEmpty
        }
      }

    /** A run of new rows as it is added to a state. New rows without a step become the next one. Levels never rise from older to newer
      * runs.
      */
    private def placed(run: Run, state: State): Run = {
      val next = state.stepFor(None)
      val at = if (selection.steps.nonEmpty) run else run.copy(firstStep = next, lastStep = next)
      at.copy(level = state.runs.find(_.lastStep >= at.firstStep).fold(0)(_.level))
    }
  }

  /** Those of the groups that meet a condition. Refuses a condition that has another value each time. */
  private def meeting(condition: String, by: StructType, groups: Iterable[UnsafeRow]): Set[UnsafeRow] = {
    val all = LocalRelation(toAttributes(by), groups.toSeq.distinct)
    val groupOf = Groups.projection(by)
    val meeting = SparkPrivates.frame(session.asInstanceOf[classic.SparkSession], all).where(condition)
      .asInstanceOf[classic.DataFrame].queryExecution
    if (!meeting.analyzed.deterministic)
      throw Refusal(
        "CHRONOSKETCH_WAREHOUSE_ARGUMENT",
        "argument" -> "where",
        "required" -> "a condition that has the same value each time",
        "sql" -> condition
      )
    meeting.executedPlan.executeCollect().map(groupOf(_).copy()).toSet
  }
}
