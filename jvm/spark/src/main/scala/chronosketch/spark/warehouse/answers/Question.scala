package chronosketch.spark.warehouse.answers

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.spark.sql.JobDescription
import chronosketch.spark.warehouse.blocks.GroupOrder
import chronosketch.spark.warehouse.manifest.{Line, State}
import chronosketch.spark.warehouse.runs._

/** A query to a warehouse at one version.
  *
  * @param window     the number of newest steps to include; absent: all
  * @param isAccurate whether rows of runs are read until the runs cause no uncertainty; otherwise only summaries are used
  */
private[warehouse] final case class Question(
    path: Path,
    state: State,
    types: Seq[DataType],
    wanted: Wanted,
    window: Option[Long],
    isAccurate: Boolean
) {
  val by: StructType = state.definition.bySchema(types)
  val columns: StructType = StructType(by ++ wanted.columns)
  val covered: Covered = Covered.of(state, window)
  def accuracy: String = if (isAccurate) "accurate" else "quick"

  /** The query as EXPLAIN shows it: in one line, and in several. */
  def text: String = texts.mkString(", ")
  def texts: Seq[String] = Seq(
    s"$path",
    s"version ${state.version}",
    s"${covered.runs.size} runs with ${covered.runs.map(_.rows).sum} rows"
  ) ++ Option.when(covered.live.nonEmpty)(
    s"${covered.live.size} live batches with ${covered.live.map(_.rows).sum} rows"
  ) ++ Seq(wanted.text, accuracy) ++ window.map(k =>
    s"last $k steps${if (covered.cut.isEmpty) "" else ", beginning inside a run"}"
  )

  /** Computes one row per group that the condition accepts and per answer, in order of the groups. Also returns what was read. */
  def answer(session: SparkSession, isSelected: InternalRow => Boolean): (Seq[InternalRow], ReadCount) = {
    val folders =
      new RunFolders(path, session.asInstanceOf[classic.SparkSession].sessionState.newHadoopConf())
    val summaries = JobDescription.during(s"${wanted.function} of $path")(
      new LineSummaries(session, folders).of(covered.all, by)
    )
    val groups = groupsOf(summaries, isSelected)
    val reader = new PlaceReader(session, folders, state.definition.schema(types))
    try {
      if (isAccurate) groups.foreach(_.search(wanted))
      if (isAccurate) Passes.run(groups, reader, s"${wanted.function} of $path")
      val project = UnsafeProjection.create(columns)
      (groups.flatMap(rowsOf(_, reader.count, project)), reader.count)
    } finally reader.close()
  }

  private def groupsOf(
      summaries: Map[String, Seq[GroupSummary]],
      isSelected: InternalRow => Boolean
  ): Seq[Group] = {
    val groups = mutable.HashMap.empty[UnsafeRow, Group]
    def group(summary: GroupSummary): Option[Group] =
      if (isSelected(summary.by)) Some(groups.getOrElseUpdate(summary.by, new Group(summary.by))) else None
    def each[A <: Line](lines: Iterable[A])(take: (Group, A, GroupSummary) => Unit): Unit =
      for (line <- lines; summary <- summaries.getOrElse(line.id, Nil); g <- group(summary))
        take(g, line, summary)
    each(covered.whole)(_.add(_, _))
    each(covered.cut)((g, _, summary) => g.cut(summary))
    each(covered.live)((g, _, summary) => g.addLive(summary))
    if (by.isEmpty && groups.isEmpty) Seq(new Group(UnsafeProjection.create(by)(InternalRow.empty)))
    else groups.values.toSeq.sortBy(g => g.by: InternalRow)(GroupOrder.of(by))
  }

  private def rowsOf(group: Group, read: ReadCount, project: UnsafeProjection): Seq[InternalRow] =
    (0 until wanted.size).map { i =>
      val profile = group.profile(i)
      val all = wanted.answer(i, profile) ++ Seq[Any](
        profile.countLow,
        profile.countHigh,
        read.rows,
        covered.rows,
        read.bytes,
        covered.bytes,
        state.version,
        UTF8String.fromString(accuracy)
      )
      project(new JoinedRow(group.by, InternalRow.fromSeq(all))).copy()
    }
}
