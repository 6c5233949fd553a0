package chronosketch.spark.history.following

import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.functions.{col, expr, min}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{AnalysisException, DataFrame, Row, SparkSession}

import chronosketch.spark.following.{ReadErrors, Sources, TableNames}
import chronosketch.spark.history.following.HistoryTable._
import chronosketch.spark.sql.Conditions

/** A history's Delta table at one of its own versions.
  *
  * @param all
  *   its rows, or None if there is no table yet
  * @param notes
  *   the `userMetadata` of its newest commits, the newest first
  */
private[following] final class HistoryTable private (
    session: SparkSession,
    name: String,
    all: Option[DataFrame],
    notes: Seq[String]
) {

  /** The rows of some kinds. */
  def rows(kinds: String*): DataFrame =
    all.getOrElse(throw Conditions.refusal("CHRONOSKETCH_NO_HISTORY", "into" -> name))
      .where(col("kind").isin(kinds: _*))

  /** The last step, or None if no step was made. Refuses a table that is not a history, or that a newer jar has written. */
  lazy val progress: Option[Progress] = all.flatMap { rows =>
    // The newest commit has it as a note. If that is not a step's, as after OPTIMIZE, read the step's row.
    val found = notes.headOption.flatMap(Progress.fromJson).orElse(readProgress())
    // the first step would overwrite these rows
    if (found.isEmpty && !rows.isEmpty) throw notAHistory(name, ": it has rows, but none of a step")
    found.foreach { progress =>
      val missing = (progress.definition.byNames :+ "value").filterNot(rows.columns.contains)
      if (missing.nonEmpty)
        throw notAHistory(name, s": it has no column ${missing.mkString(", ")}, as its steps say")
    }
    found
  }

  private def readProgress(): Option[Progress] = {
    val newest = "max_by(struct(step.*, unix_micros(step.since_ts) AS since_micros, to_version, " +
      "unix_micros(last_ts) AS last_micros), step.number) AS newest"
    val found = rows(Step).agg(expr(newest), min("from_version")).head()
    Option.when(!found.isNullAt(0)) {
      val step = found.getStruct(0)
      def count(field: String): Option[Long] = Option(step.getAs[Any](field)).map(_.asInstanceOf[Long])
      def number(field: String): Long = count(field).get
      Progress(
        number("number"),
        step.getAs[String]("id"),
        step.getAs[String]("table"),
        definitionOf(step.getAs[String]("definition")),
        found.getLong(1),
        number("to_version"),
        number("last_micros"),
        Segment(
          number("base"),
          number("since"),
          count("since_micros"),
          number("built"),
          count("began"),
          number("taken"),
          number("waiting")
        )
      )
    }
  }

  private def definitionOf(text: String): HistoryDefinition =
    Option(text).flatMap(HistoryDefinition.fromJson) match {
      case Some(Right(definition)) => definition
      case Some(Left(format)) => throw Conditions.refusal(
          "CHRONOSKETCH_HISTORY_TOO_NEW",
          "into" -> name,
          "format" -> format,
          "known" -> HistoryDefinition.Format.toString
        )
      case None => throw notAHistory(name, s": its definition is '$text'")
    }

  /** Refuses a table that cannot be created because its schema does not exist. */
  def requireSchema(): Unit = if (all.isEmpty)
    TableNames.schema(session, name).filterNot(session.catalog.databaseExists).foreach { schema =>
      throw Conditions.refusal(
        "CHRONOSKETCH_INTO_NOT_FOUND",
        "into" -> name,
        "schema" -> schema,
        "create" -> (if (schema.contains(".")) "" else s" Create it: CREATE SCHEMA $schema")
      )
    }

  /** Replaces the rows of some kinds and appends the rest, in one commit. None replaces all rows, and creates the table if it does not
    * exist. Returns false if another follower has made this step.
    */
  def commit(frame: DataFrame, replacing: Option[Seq[String]], made: Progress): Boolean =
    try {
      if (replacing.isEmpty) create(made.definition)
      // Written by path: saveAsTable would replace the table and lose its partitioning. Delta skips a transaction number that it has
      // recorded, so only one of two followers writes a step.
      val writer = frame.write.format("delta")
        .mode(if (replacing.exists(_.isEmpty)) "append" else "overwrite")
        .option("txnAppId", "chronosketch.history").option("txnVersion", made.number.toString)
        .option("userMetadata", made.toJson)
      val how = replacing match {
        case None => writer.option("overwriteSchema", "true").partitionBy("kind")
        case Some(Nil) => writer
        case Some(kinds) => writer.option("replaceWhere", kinds.mkString("kind IN ('", "', '", "')"))
      }
      allowingAppends(session)(how.save(Sources.location(session, name)))
      recentNotes(session, name).contains(made.toJson) || isMade(made)
    } catch { case e: Throwable if ReadErrors.isConflict(e) => false }

  /** Whether the table has this very step, although it is not one of its newest commits. Refuses a table whose later steps are gone. */
  private def isMade(made: Progress): Boolean =
    open(session, name).progress.filter(_.number >= made.number) match {
      case Some(now) => now.id == made.id
      case None => throw Conditions.refusal(
          "CHRONOSKETCH_HISTORY_SET_BACK",
          "into" -> name,
          "step" -> made.number.toString,
          "copy" -> (if (name.endsWith("`")) s"${name.dropRight(1)}_again`" else s"${name}_again")
        )
    }

  private def create(definition: HistoryDefinition): Unit = {
    val by = definition.byNames.zip(definition.byTypes)
    val columns = definition.columns.map(column =>
      by.find { case (name, _) => QuotingUtils.quoteIdentifier(name) == column }.map(_._2)
        .orElse(Option.when(column == "value")(definition.storedType))
        .fold(s"$column ${Columns(column).sql}")(kind => s"$column $kind")
    )
    session.sql(
      s"CREATE TABLE IF NOT EXISTS $name (${columns.mkString(", ")}) USING delta PARTITIONED BY (kind)"
    )
    ()
  }
}

private[following] object HistoryTable {

  /** The kinds of rows. Each is a partition, so that replacing the open rows does not read or rewrite the others. */
  val Sealed = "sealed" // a group's history of a range of versions; never changes
  val Open = "open" // a group's history of the versions since the last sealing
  val Change = "change" // the input of the open rows: all values at the base version, and the changes since
  val Step = "step" // the progress after a step, and the commit times of its versions

  /** The type of the column `step`. */
  val StepType: StructType = new StructType().add("number", LongType).add("id", StringType)
    .add("table", StringType).add("definition", StringType).add("base", LongType).add("since", LongType)
    .add("since_ts", TimestampType).add("built", LongType).add("began", LongType).add("taken", LongType)
    .add("waiting", LongType)
    .add("versions", ArrayType(new StructType().add("version", LongType).add("ts", TimestampType)))

  /** The columns that every history's table has, apart from the groups and the value. */
  private val Columns: Map[String, DataType] = Map(
    "kind" -> StringType,
    "from_version" -> LongType,
    "to_version" -> LongType,
    "first_ts" -> TimestampType,
    "last_ts" -> TimestampType,
    "sketch" -> BinaryType,
    "version" -> LongType,
    "copies" -> LongType,
    "step" -> StepType
  )

  /** How many of the newest commits are searched for a step, in case others have written since. */
  private val Recent = 5

  private val SkipCheck = "spark.databricks.delta.replaceWhere.constraintCheck.enabled"

  /** Opens a history's table at its newest version. Refuses a table that is not a history's. */
  def open(session: SparkSession, name: String): HistoryTable =
    if (!Sources.exists(session, name)) new HistoryTable(session, name, None, Nil)
    else {
      val recent =
        try history(session, name)
        catch { case _: AnalysisException => throw notAHistory(name) } // a view, or a table of another format
      // without a version, a DataFrame would see later writes
      val rows =
        session.read.option("versionAsOf", recent.head.getAs[Long]("version").toString).table(name)
      if (!hasColumns(rows.schema)) throw notAHistory(name)
      new HistoryTable(session, name, Some(rows), recent.map(noteOf))
    }

  private def history(session: SparkSession, name: String): Seq[Row] =
    session.sql(s"DESCRIBE HISTORY $name LIMIT $Recent").collect().toSeq

  private def recentNotes(session: SparkSession, name: String): Seq[String] =
    history(session, name).map(noteOf)

  private def noteOf(commit: Row): String = Option(commit.getAs[String]("userMetadata")).getOrElse("")

  private def hasColumns(schema: StructType): Boolean = {
    val types = schema.map(field => field.name -> field.dataType).toMap
    Columns.forall {
      case ("step", _) => types.get("step").exists {
          case step: StructType => StepType.fieldNames.forall(step.fieldNames.contains)
          case _ => false
        }
      case (name, dataType) => types.get(name).contains(dataType)
    }
  }

  private def notAHistory(name: String, why: String = ""): AnalysisException =
    Conditions.refusal("CHRONOSKETCH_NOT_A_HISTORY", "into" -> name, "why" -> why)

  /** Lets one commit replace some kinds and append others, which only a setting of Delta allows. It belongs to the session, so threads take
    * turns.
    */
  private def allowingAppends(session: SparkSession)(save: => Unit): Unit = synchronized {
    val before = session.conf.getOption(SkipCheck)
    session.conf.set(SkipCheck, "false")
    try save
    finally before.fold(session.conf.unset(SkipCheck))(session.conf.set(SkipCheck, _))
  }
}
