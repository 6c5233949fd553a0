package chronosketch.spark.warehouse.answers

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.rank.RankProfile
import chronosketch.spark.sql.JobDescription
import chronosketch.spark.warehouse.manifest.{LiveBatch, ManifestEntry, Run, State}
import chronosketch.spark.warehouse.runs._
import chronosketch.warehouse.StepWindows

/** A query to a warehouse at one version.
  *
  * @param window     the number of newest steps to include; absent: all
  * @param isAccurate whether rows of runs are read until the runs cause no uncertainty; otherwise only summaries are used
  */
private[warehouse] final case class WarehouseQuery(
    path: Path,
    state: State,
    types: Seq[DataType],
    answers: GroupAnswers,
    window: Option[Long],
    isAccurate: Boolean
) {
  val by: StructType = state.definition.bySchema(types)
  val columns: StructType = StructType(by ++ answers.columns)
  val entries: EntriesInWindow = EntriesInWindow.of(state, window)
  def accuracy: String = if (isAccurate) "accurate" else "quick"

  /** The query as EXPLAIN shows it: in one line, and in several. */
  def text: String = texts.mkString(", ")
  def texts: Seq[String] = Seq(
    s"$path",
    s"version ${state.version}",
    s"${entries.runs.size} runs with ${entries.runs.map(_.rows).sum} rows"
  ) ++ Option.when(entries.live.nonEmpty)(
    s"${entries.live.size} live batches with ${entries.live.map(_.rows).sum} rows"
  ) ++ Seq(answers.text, accuracy) ++ window.map(k =>
    s"last $k steps${if (entries.cut.isEmpty) "" else ", beginning inside a run"}"
  )

  /** Computes one row per answer and group that the condition accepts, in order of the groups. Also returns what was read. */
  def run(session: SparkSession, isSelected: InternalRow => Boolean): (Seq[InternalRow], ReadCount) = {
    val folders =
      new EntryFolders(path, session.asInstanceOf[classic.SparkSession].sessionState.newHadoopConf())
    val text = s"${answers.function} of $path"
    val summaries = JobDescription.during(text)(new EntrySummaries(session, folders).read(entries.all, by))
    val groups = searches(summaries, isSelected)
    val reader = new RunRangeReader(session, folders, state.definition.schema(types))
    try {
      SearchPasses.run(groups, reader, text)
      val project = UnsafeProjection.create(columns)
      (groups.flatMap(rowsOf(_, reader.count, project)), reader.count)
    } finally reader.close()
  }

  /** Begins the search of each group. */
  private def searches(
      summaries: Map[String, Seq[GroupSummary]],
      isSelected: InternalRow => Boolean
  ): Seq[GroupSearch] = {
    val groups = mutable.HashMap.empty[UnsafeRow, GroupParts]
    def each[A <: ManifestEntry](kind: Iterable[A])(add: (GroupParts, A, GroupSummary) => Unit): Unit =
      for (entry <- kind; summary <- summaries.getOrElse(entry.id, Nil) if isSelected(summary.by))
        add(groups.getOrElseUpdate(summary.by, new GroupParts), entry, summary)
    each(entries.whole)((parts, run, summary) => parts.runs += run -> summary)
    // the rows of these entries are not read: it is unknown which rows of a cut run count, and live rows are not sorted
    each(entries.cut)((parts, _, summary) =>
      parts.addUnread(RankProfile.straddling(summary.knownRanks.profile))
    )
    each(entries.live)((parts, _, summary) => parts.addUnread(summary.profile))
    if (by.isEmpty && groups.isEmpty)
      groups(UnsafeProjection.create(by)(InternalRow.empty)) = new GroupParts
    groups.toSeq.sortBy(g => g._1: InternalRow)(Groups.ordering(by)).map { case (group, parts) =>
      new GroupSearch(group, parts.runs.toIndexedSeq, parts.unread, answers, isAccurate)
    }
  }

  private def rowsOf(group: GroupSearch, read: ReadCount, project: UnsafeProjection): Seq[InternalRow] =
    (0 until answers.size).map { i =>
      val profile = group.profile(i)
      val all = answers.answer(i, profile) ++ Seq[Any](
        profile.countLow,
        profile.countHigh,
        read.rows,
        entries.rows,
        read.bytes,
        entries.bytes,
        state.version,
        UTF8String.fromString(accuracy)
      )
      project(new JoinedRow(group.by, InternalRow.fromSeq(all))).copy()
    }
}

/** Collects what the entries of a window tell about one group. */
private final class GroupParts {
  val runs = mutable.ArrayBuffer.empty[(Run, GroupSummary)]
  private var unreadRanks = RankProfile.empty

  /** The ranks of rows that are not read. */
  def unread: RankProfile = unreadRanks
  def addUnread(profile: RankProfile): Unit = unreadRanks = unreadRanks.plus(profile)
}

/** The runs and live batches in the window of a query.
  *
  * @param whole the runs inside the window, newest first
  * @param cut   the run that is partly inside: it is unknown which of its rows are
  */
private[answers] final case class EntriesInWindow(live: Seq[LiveBatch], whole: Seq[Run], cut: Option[Run]) {
  def runs: Seq[Run] = whole ++ cut
  def all: Seq[ManifestEntry] = live ++ runs
  def rows: Long = all.map(_.rows).sum
  def bytes: Long = all.map(_.bytes).sum
}

private[answers] object EntriesInWindow {

  /** The entries in the last `window` steps, or all if absent. The open step counts as the newest while it has live batches. */
  def of(state: State, window: Option[Long]): EntriesInWindow = {
    val newest = state.runs.reverse
    window.fold(EntriesInWindow(state.live, newest, None)) { k =>
      val ended = if (state.open.isEmpty) k else k - 1
      val (whole, isCut) = StepWindows.split(newest.map(_.steps), ended)
      EntriesInWindow(state.live, newest.take(whole), if (isCut) Some(newest(whole)) else None)
    }
  }
}
