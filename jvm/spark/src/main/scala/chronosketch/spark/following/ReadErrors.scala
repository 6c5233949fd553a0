package chronosketch.spark.following

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.{AnalysisException, SparkSession}

import chronosketch.spark.sql.Conditions

/** Classifies the errors of Spark, Delta and Iceberg that mean that changes cannot be read, and replaces them with our conditions. */
private[spark] object ReadErrors {
  val NotFound = "CHRONOSKETCH_SOURCE_NOT_FOUND"
  val NotVersioned = "CHRONOSKETCH_SOURCE_NOT_VERSIONED"
  val FeedOff = "CHRONOSKETCH_CHANGE_FEED_OFF"
  val LogGone = "CHRONOSKETCH_SOURCE_LOG_GONE"
  val FilesGone = "CHRONOSKETCH_SOURCE_FILES_GONE"
  val SchemaChanged = "CHRONOSKETCH_SOURCE_SCHEMA_CHANGED"
  val DoNotFit = "CHRONOSKETCH_CHANGES_DO_NOT_FIT"
  val CouldBeSkipped = "CHRONOSKETCH_CHANGES_COULD_BE_SKIPPED"

  /** The remedy of a refusal outside of [[explaining]]. */
  private val Newer = "Read newer versions only."

  /** Keyed by the conditions of Delta and Spark, with or without the subclass after the dot. */
  private val Unreadable = Map(
    "DELTA_MISSING_CHANGE_DATA" -> FeedOff,
    "DELTA_CHANGELOG_REQUIRES_ROW_TRACKING" -> FeedOff,
    "DELTA_CHANGELOG_ROW_TRACKING_DISABLED_IN_RANGE" -> FeedOff,
    "UNSUPPORTED_FEATURE.CHANGE_DATA_CAPTURE" -> FeedOff,
    "DELTA_LOG_FILE_NOT_FOUND" -> LogGone,
    "DELTA_TRUNCATED_TRANSACTION_LOG" -> LogGone,
    "DELTA_VERSIONS_NOT_CONTIGUOUS" -> LogGone,
    "DELTA_VERSION_NOT_FOUND" -> LogGone,
    "DELTA_NO_COMMITS_FOUND" -> LogGone,
    "DELTA_NO_RECREATABLE_HISTORY_FOUND" -> LogGone,
    "FAILED_READ_FILE.FILE_NOT_EXIST" -> FilesGone,
    "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE" -> SchemaChanged,
    "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA" -> SchemaChanged,
    "DELTA_BLOCK_COLUMN_MAPPING_AND_CDC_OPERATION" -> SchemaChanged,
    "DELTA_CHANGELOG_SCHEMA_CHANGE_IN_RANGE" -> SchemaChanged,
    DoNotFit -> DoNotFit,
    // Spark's CHANGES and Iceberg have no conditions for these cases; the names of their classes identify them
    "NoRecreatableHistoryException" -> LogGone,
    "StartVersionNotFoundException" -> LogGone,
    "NotFoundException" -> FilesGone,
    "FileNotFoundException" -> FilesGone
  )

  /** The conditions of a commit that lost against another one. */
  private val Conflicts = Set(
    "DELTA_CONCURRENT_APPEND",
    "DELTA_CONCURRENT_DELETE_DELETE",
    "DELTA_CONCURRENT_DELETE_READ",
    "DELTA_CONCURRENT_TRANSACTION",
    "DELTA_CONCURRENT_WRITE",
    "DELTA_METADATA_CHANGED",
    "DELTA_PROTOCOL_CHANGED",
    "TABLE_OR_VIEW_ALREADY_EXISTS",
    // Iceberg's
    "AlreadyExistsException",
    "CommitFailedException"
  )

  /** The conditions for a table, schema, catalog or path that does not exist. */
  private val Missing = Set(
    "CATALOG_NOT_FOUND",
    "DELTA_MISSING_DELTA_TABLE",
    "DELTA_PATH_DOES_NOT_EXIST",
    "DELTA_TABLE_NOT_FOUND",
    "PATH_NOT_FOUND",
    "REQUIRES_SINGLE_PART_NAMESPACE",
    "SCHEMA_NOT_FOUND",
    "TABLE_OR_VIEW_NOT_FOUND",
    "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY"
  )

  /** Settings with which Spark leaves out files that it cannot read, and does not tell. */
  val Skipping: Seq[String] = Seq("spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles")

  /** Runs `body`, which reads the versions `first` to `last` of a source. If changes are missing, the error says so and what to do:
    * `remedy` is the sentence that says it.
    */
  def explaining[A](source: String, first: Long, last: Long, remedy: String)(body: => A): A =
    explainingBy(source, first, last, _ => remedy)(body)

  /** As [[explaining]], with a remedy that depends on the condition. */
  def explainingBy[A](source: String, first: Long, last: Long, remedy: String => String)(body: => A): A =
    try body
    catch {
      case e: AnalysisException if Ours(e.getCondition) =>
        val details = e.getMessageParameters.get("details")
        throw refusal(e.getCondition, source, details, remedy(e.getCondition), Some(e))
      case e: Throwable =>
        unreadable(e).foreach { condition =>
          throw refusal(condition, source, reason(condition, first, last), remedy(condition), Some(e))
        }
        throw e
    }

  /** The conditions that a source throws itself when versions cannot be read. */
  private val Ours = Set(FilesGone, LogGone, SchemaChanged)

  /** Whether an error says that versions cannot be read. */
  private[following] def isUnreadable(error: Throwable): Boolean =
    unreadable(error).nonEmpty || names(error).exists(Ours)

  /** Whether an error says that another writer has changed the table in the meantime. */
  def isConflict(error: Throwable): Boolean = names(error).exists(in(Conflicts))

  /** Whether an error says that a table, schema, catalog or path does not exist. */
  def isMissing(error: Throwable): Boolean = names(error).exists(in(Missing))

  /** Our condition for an error that means that versions cannot be read, or None for other errors. */
  private[following] def unreadable(error: Throwable): Option[String] =
    names(error).flatMap(name =>
      Unreadable.get(name).orElse(Unreadable.get(withoutSubclass(name)))
    ).headOption

  /** The sentences of an error, without its condition and SQLSTATE. */
  def sentences(error: AnalysisException): String =
    error.getMessage.replaceFirst("^\\[[\\w.]+\\] ", "").replaceFirst("(?s) SQLSTATE: .*", "")

  def refusal(
      condition: String,
      source: String,
      details: String,
      remedy: String = Newer,
      cause: Option[Throwable] = None
  ): AnalysisException =
    Conditions.analysisError(
      condition,
      cause,
      "source" -> source,
      "details" -> details,
      "remedy" -> remedy
    )

  /** Refuses to read rows in a session in which some of them could be left out. */
  def refuseToSkipFiles(session: SparkSession, source: String): Unit =
    Skipping.find(setting => session.conf.getOption(setting).exists(_.equalsIgnoreCase("true"))).foreach {
      setting =>
        throw Conditions.analysisError(
          CouldBeSkipped,
          CurrentOrigin.get,
          "setting" -> setting,
          "source" -> source
        )
    }

  /** The error of a source whose files it has found to be gone, for the versions `first` to `last`. */
  private[following] def filesGone(source: String, first: Long, last: Long): AnalysisException =
    refusal(FilesGone, source, reason(FilesGone, first, last))

  private def reason(condition: String, first: Long, last: Long): String = {
    val versions = s"versions $first to $last"
    condition match {
      case FeedOff =>
        s"it kept no change feed in some of the $versions, and Spark's CHANGES does not have them."
      case LogGone => s"it no longer has all of the $versions."
      case DoNotFit => s"the $versions delete values that were not there."
      case FilesGone => s"$versions need them. VACUUM deleted them, or they expired with snapshots."
      case _ => s"this was in one of the $versions."
    }
  }

  private def in(conditions: Set[String])(name: String): Boolean =
    conditions(name) || conditions(withoutSubclass(name))

  private def withoutSubclass(condition: String): String = condition.takeWhile(_ != '.')

  // "[CONDITION] text", perhaps after the name of a class or of another condition: some classes of Delta do not tell theirs
  private val Opening = """\s*(?:[\w.$]+: )?((?:\[[A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)?\] ?)+)""".r.unanchored

  // A cause may be its own cause's cause. No error of Spark's is nested this deeply.
  private val Depth = 50

  /** The conditions and the names of the classes of an error and its causes. */
  private def names(error: Throwable): Seq[String] =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(Depth).flatMap { cause =>
      val own = cause match {
        case named: SparkThrowable => Option(named.getCondition).toSeq
        case _ => Nil
      }
      (own ++ openings(cause) :+ cause.getClass.getSimpleName).distinct
    }.toSeq

  private def openings(error: Throwable): Seq[String] =
    Opening.findPrefixMatchOf(Option(error.getMessage).getOrElse("")).toSeq.flatMap(
      _.group(1).split("[\\[\\] ]+").filter(_.nonEmpty)
    )
}
