package chronosketch.spark.rollup

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.{CurrentDate, CurrentTimestampLike, Expression}
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.types._
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}

import chronosketch.rank.Tail
import chronosketch.spark.following.ChangeSource
import chronosketch.spark.rollup.RollupDefinition._
import chronosketch.spark.rollup.RollupTable.{literal, refused}

/** The arguments of `CALL chronosketch.rollup`, checked as far as they can be without the source. */
final case class RollupPlan(
    source: String,
    time: String,
    zone: String,
    levels: Seq[BucketWidth],
    by: Seq[String],
    values: Seq[(String, String)],
    epsilon: Double,
    retention: Map[String, Interval],
    tail: Option[Tail]
) {

  /** Resolves the expressions against the source's columns. */
  def resolve(session: SparkSession, source: ChangeSource): RollupDefinition = {
    val rows = if (source.latest < 0) session.table(this.source) else source.snapshot(source.latest)
    resolve(source.name, rows)
  }

  /** Resolves the expressions against the columns of a stream's batch. */
  private[rollup] def resolve(batch: StreamBatch): RollupDefinition = resolve("", batch.rows)

  private def resolve(name: String, rows: DataFrame): RollupDefinition = {
    val timeType = resolved(rows, "time", time)._2
    timeType match {
      case TimestampType | TimestampNTZType | DateType =>
      case other =>
        refuse("time", "of type TIMESTAMP, TIMESTAMP_NTZ or DATE", s"$time, which is ${other.sql}")
    }
    if (timeType != TimestampType && zoneOf(zone) != zoneOf("UTC"))
      refuse(
        "zone",
        s"left out, because $time is of type ${timeType.sql}, which has no time zone",
        s"'$zone'"
      )
    if (timeType == DateType) levels.filter(_.micros < BucketWidth.Day).foreach { level =>
      refuse("levels", s"days, because $time is of type DATE", s"'${level.level}'")
    }
    val groups = by.map { text =>
      val (column, dataType) = resolved(rows, "by", text)
      if (!column.matches("[^ ,;{}()\\n\\t=]+"))
        refuse("by", "a column, or an expression with a name, as in 'upper(region) AS region'", s"'$text'")
      Named(column, text, dataType)
    }
    val measured = values.map { case (value, text) => Named(value, text, resolved(rows, "values", text)._2) }
    val definition =
      RollupDefinition(name, time, timeType, zoneOf(zone), levels, groups, measured, epsilon, retention, tail)
    definition.schema.fieldNames.groupBy(_.toLowerCase(Locale.ROOT)).values.find(_.length > 1).foreach {
      same =>
        refuse(
          "by",
          "a list of names that differ from each other, from those of values and from the roll-up's own columns",
          s"'${same.head}' twice"
        )
    }
    // refuses types that cannot be measured
    val computed = new RollupRows(definition)
    computed.aggregated(computed.measured(rows)).schema
    definition
  }

  /** The name and the type of an expression of one row. */
  private def resolved(rows: DataFrame, argument: String, text: String): (String, DataType) = {
    val selected = rows.select(expr(text))
    def depends(e: Expression): Boolean = e.exists {
      case _: CurrentTimestampLike | _: CurrentDate => true
      case other => !other.deterministic
    }
    selected.queryExecution.analyzed match {
      case Project(Seq(one), _) if !depends(one) => (selected.schema.head.name, selected.schema.head.dataType)
      case _ => refuse(argument, "expressions of one row that always give the same result for it", s"'$text'")
    }
  }

  /** Refuses arguments that differ from those that the roll-up was begun with.
    *
    * @param name
    *   the full name of the source, or empty for a stream
    */
  def refuseOther(into: String, was: RollupDefinition, name: String): Unit = {
    def named(all: Seq[(String, String)]) = all.map { case (name, text) => s"$name: $text" }.mkString(", ")
    def texts(all: Seq[String]) = all.mkString(", ")
    val now = Seq(
      ("time", was.time, time),
      ("zone", was.zoneName, if (zoneOf(zone) == was.zone) was.zoneName else zone),
      ("levels", texts(was.levels.map(_.level)), texts(levels.map(_.level))),
      ("by", texts(was.by.map(_.expression)), texts(by)),
      ("values", named(was.values.map(v => v.name -> v.expression)), named(values)),
      ("epsilon", was.epsilon.toString, epsilon.toString),
      (
        "retention",
        named(was.retention.toSeq.sortBy(_._1).map { case (level, i) => level -> i.text }),
        named(retention.toSeq.sortBy(_._1).map { case (level, i) => level -> i.text })
      ),
      ("tail", was.tail.fold("none")(_.name), tail.fold("none")(_.name))
    )
    val differing = (("source", was.source, name) +: now).filter { case (_, then, given) => then != given }
    differing.headOption.foreach { case (argument, then, given) =>
      throw refused(
        "CHRONOSKETCH_ROLLUP_DIFFERS",
        "into" -> into,
        "argument" -> argument,
        "was" -> then,
        "given" -> given,
        "name" -> literal(into)
      )
    }
  }

  private def refuse(argument: String, required: String, sql: String): Nothing = throw refused(
    "CHRONOSKETCH_ROLLUP_ARGUMENT",
    "function" -> "rollup",
    "argument" -> argument,
    "required" -> required,
    "sql" -> sql
  )
}

object RollupPlan {

  private def plan(definition: RollupDefinition) = RollupPlan(
    definition.source,
    definition.time,
    definition.zoneName,
    definition.levels,
    definition.by.map(_.expression),
    definition.values.map(v => v.name -> v.expression),
    definition.epsilon,
    definition.retention,
    definition.tail
  )

  /** Refuses a source whose columns no longer fit the roll-up's definition. */
  def refuseOtherTypes(session: SparkSession, table: RollupTable, source: ChangeSource): Unit =
    refuseOtherTypes(table, table.definition.source)(_.resolve(session, source))

  /** Refuses a batch whose columns no longer fit the roll-up's definition. */
  private[rollup] def refuseOtherTypes(table: RollupTable, batch: StreamBatch): Unit =
    refuseOtherTypes(table, s"the ${batch.name}")(_.resolve(batch))

  private def refuseOtherTypes(
      table: RollupTable,
      source: String
  )(resolve: RollupPlan => RollupDefinition): Unit = {
    val was = table.definition
    val reason =
      try {
        val now = resolve(plan(was))
        val pairs = (was.timeType -> now.timeType) +: (was.by ++ was.values).map(
          _.dataType
        ).zip((now.by ++ now.values).map(_.dataType))
        pairs.collectFirst {
          case (then, given) if then != given => s"the type ${then.sql} is ${given.sql} now"
        }
      } catch { case e: AnalysisException => Some(e.getMessage.linesIterator.next()) }
    reason.foreach { why =>
      throw refused(
        "CHRONOSKETCH_ROLLUP_SOURCE_CHANGED",
        "source" -> source,
        "into" -> table.name,
        "reason" -> why
      )
    }
  }
}
