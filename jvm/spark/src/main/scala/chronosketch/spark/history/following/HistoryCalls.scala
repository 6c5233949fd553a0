package chronosketch.spark.history.following

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.spark.sql.Procedure.Parameter
import chronosketch.spark.sql.{Arguments, CallArguments, Conditions, Procedure}
import chronosketch.spark.table.{Argument, Example, SqlFunction}

/** The procedure `CALL chronosketch.follow` and the table function `history_at`. */
private[spark] object HistoryCalls {
  private val refusal = "CHRONOSKETCH_FOLLOW_ARGUMENT"
  private val noText = Some("CAST(NULL AS STRING)")
  private val choices = Seq(FollowPlan.Refuse, FollowPlan.Rebuild, FollowPlan.Continue)

  val follow: Procedure = new Procedure(
    "follow",
    "Brings a history up to the newest version of a table, in one commit. Creates it at first. Returns no row if nothing is new.",
    Seq(
      Parameter(
        "source",
        StringType,
        "the table to follow: a Delta table that keeps a change feed or tracks its rows, or an Iceberg table"
      ),
      Parameter("into", StringType, "the history's own Delta table. The first step creates it"),
      Parameter("value", StringType, "what is measured: an expression of one row"),
      Parameter(
        "by",
        ArrayType(StringType),
        "what to group by: columns, or expressions with a name",
        Some("CAST(NULL AS ARRAY<STRING>)")
      ),
      Parameter("where", StringType, "a condition: rows that fail it do not count", noText),
      Parameter(
        "epsilon",
        DoubleType,
        "the rank error, as a share of the values that a group has at a version",
        Some("0.01D")
      ),
      Parameter(
        "start",
        LongType,
        "the version with which a new history begins; by default the first since which all changes are known",
        Some("CAST(NULL AS BIGINT)")
      ),
      Parameter(
        "on_replace",
        StringType,
        "what to do if another table has taken the source's name: 'error', 'rebuild' or 'continue'",
        Some(s"'${FollowPlan.Refuse}'")
      )
    ),
    StructType(
      Seq("first" -> LongType, "last" -> LongType, "changes" -> LongType, "sealed" -> BooleanType)
        .map { case (name, dataType) => StructField(name, dataType) }
    ),
    refusal,
    call =>
      Histories.follow(SparkSession.active, planOf(call)).toSeq.map(made =>
        Seq(made.first, made.last, made.changes, made.isSealed)
      )
  )

  private def planOf(call: CallArguments): FollowPlan = {
    val epsilon = call.required("epsilon")(_.getDouble(_))
    if (!(epsilon >= 0 && epsilon <= 0.5)) call.refuse("epsilon", "a number from 0 to 0.5", epsilon.toString)
    val start = call.option("start")(_.getLong(_))
    start.filter(_ < 0).foreach(n => call.refuse("start", "the number of a version, 0 or more", n.toString))
    val onReplace = call.text("on_replace")
    if (!choices.contains(onReplace))
      call.refuse("on_replace", choices.mkString("one of '", "', '", "'"), s"'$onReplace'")
    FollowPlan(
      call.text("source"),
      call.text("into"),
      call.text("value"),
      if (call.isGiven("by")) call.texts("by") else Nil,
      Option.when(call.isGiven("where"))(call.text("where")),
      epsilon + 0.0, // -0.0 is 0.0
      start,
      onReplace
    )
  }

  private val At = "history_at"

  val functions: Seq[SqlFunction[LogicalPlan]] = Seq(
    SqlFunction(
      At,
      SqlFunction.Tables,
      "Returns the sketches that a history has of one version of its source. CALL chronosketch.follow keeps histories. There is a row for each group that has values at that version, with a BINARY sketch.",
      Seq(
        Argument("into", "the history's table, as SQL names it: text."),
        Argument("version", "a version of the source. Give either version or timestamp.", notGiven),
        Argument(
          "timestamp",
          "a moment, in place of version: you get the last version that was committed by then.",
          notGiven
        )
      ),
      Seq(Example("SELECT sketch_count(sketch) FROM history_at('requests_history', 0)", "100")),
      at
    )
  )

  private def notGiven = Some(Literal(null))

  private def at(arguments: Seq[Expression]): LogicalPlan = {
    val (into, version, timestamp) = (arguments.head, arguments(1), arguments(2))
    def refuse(argument: String, required: String, e: Expression): Nothing = throw Conditions
      .analysisError(
        refusal,
        e.origin,
        "function" -> At,
        "argument" -> argument,
        "required" -> required,
        "sql" -> e.sql
      )
    def constant(argument: String, required: String, e: Expression, to: DataType): Option[Any] = {
      val zone = Some(SQLConf.get.sessionLocalTimeZone)
      val isRight = e.resolved && e.foldable && Cast.canUpCast(e.dataType, to)
      if (!isRight) refuse(argument, required, e)
      Option(Arguments.constant(Cast(e, to, zone)))
    }
    val name = constant("into", "the name of a history's table, as constant text", into, StringType)
    val number = constant("version", "a constant whole number", version, LongType)
    val moment = constant("timestamp", "a constant TIMESTAMP", timestamp, TimestampType)
    def table = name match {
      case Some(text: UTF8String) => text.toString
      case _ => refuse("into", "the name of a history's table, as constant text", into)
    }
    val session = SparkSession.active
    val rows = (number, moment) match {
      case (Some(version: Long), None) => Histories.at(session, table, version)
      case (None, Some(micros: Long)) => Histories.atMoment(session, table, micros)
      case (None, None) => refuse("version", "given, if timestamp is not", version)
      case _ => refuse("timestamp", "left out if version is given", timestamp)
    }
    rows.queryExecution.analyzed
  }
}
