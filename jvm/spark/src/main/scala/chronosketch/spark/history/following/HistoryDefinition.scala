package chronosketch.spark.history.following

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.functions.{col, expr, sum}
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.{Column, DataFrame}

import chronosketch.spark.following.ChangeSource
import chronosketch.spark.history.following.HistoryDefinition._
import chronosketch.spark.sql.Conditions

/** The definition of a history: its value, groups, filter, epsilon and their types. Each step stores it as JSON.
  *
  * @param by
  *   expressions of one row; `byTypes` and `byNames` have the type and the name of each one's column
  * @param source
  *   the full name of the followed table. One table can have several, so it is not compared
  */
final case class HistoryDefinition(
    value: String,
    valueType: String,
    by: Seq[String],
    byTypes: Seq[String],
    byNames: Seq[String],
    where: Option[String],
    epsilon: Double,
    source: String
) {

  /** Whether another definition has the same expressions and types. */
  def isSame(other: HistoryDefinition): Boolean = copy(source = "") == other.copy(source = "")

  def types: Seq[String] = valueType +: byTypes

  /** The quoted names of the group columns. */
  val groups: Seq[String] = byNames.map(QuotingUtils.quoteIdentifier)

  /** The columns of the history's table. Those that Delta skips files by come first. */
  def columns: Seq[String] = (Reserved.take(5) ++ groups) ++ Reserved.drop(5)

  /** The type of the column `value` in the history's table. */
  def storedType: String = if (StoredAsText.exists(valueType.startsWith)) "string" else valueType

  /** Evaluates each image of a row alone: filters it, and computes its groups, its value and its sign. */
  def images(rows: DataFrame): DataFrame = {
    val stored = expr(s"CAST($value AS $storedType)").as("value")
    val version = col(ChangeSource.Version).as("version")
    where.fold(rows)(rows.where)
      .select(by.map(expr) ++ Seq(version, stored, col(ChangeSource.Copies).as("copies")): _*)
      .where("value IS NOT NULL")
  }

  /** Adds up the copies of each value in a version. An update to the same value leaves nothing. */
  def netChanges(images: DataFrame): DataFrame =
    images.groupBy((groups ++ Seq("version", "value")).map(col): _*).agg(sum("copies").as("copies"))
      .where("copies != 0")

  /** Any value, for a change with no copies that only marks a version. */
  def placeholder: Column = {
    val zero = valueType match {
      case months if months.startsWith("interval") && Seq("year", "month").exists(months.contains) =>
        "INTERVAL '0' MONTH"
      case seconds if seconds.startsWith("interval") => "INTERVAL '0' SECOND"
      case moment if moment.startsWith("date") || moment.startsWith("timestamp") => "'1970-01-01'"
      case time if time.startsWith("time") => "'00:00:00'"
      case _ => "0"
    }
    expr(s"CAST(CAST($zero AS $valueType) AS $storedType)")
  }

  /** Builds the history of each group from `version`, `value` and `copies`. */
  def sketches(changes: DataFrame): DataFrame = {
    val measured = expr(s"CAST(value AS $valueType)").as("value")
    val rows = changes.select((groups.map(col) :+ col("version")) ++ Seq(measured, col("copies")): _*)
    val history = expr(s"history_sketch_agg(value, version, copies, ${epsilon}D)")
    rows.groupBy(groups.map(col): _*).agg(history.as("sketch"))
  }

  def toJson: ObjectNode = {
    val json = mapper.createObjectNode().put("format", Format).put("value", value)
      .put("value_type", valueType)
    def add(name: String, texts: Seq[String]): Unit = {
      val array = json.putArray(name)
      texts.foreach(array.add(_))
    }
    add("by", by)
    add("by_types", byTypes)
    add("by_names", byNames)
    json.put("where", where.orNull).put("epsilon", epsilon).put("source", source)
  }
}

object HistoryDefinition {

  /** The format of a history's table. It is stored with every step. */
  val Format = 1

  /** Columns of a history's table. Group columns must not have these names. */
  private val Reserved =
    Seq(
      "kind",
      "from_version",
      "to_version",
      "first_ts",
      "last_ts",
      "sketch",
      "version",
      "value",
      "copies",
      "step"
    )

  /** Delta has no columns of these types. They are stored as text, which casts back to the same value. */
  private val StoredAsText = Seq("time(", "interval")

  /** Delta allows none of these characters in column names. */
  private val Forbidden = " ,;{}()\n\t=".toSet

  private[following] val mapper = new ObjectMapper()

  /** Resolves the expressions over rows of the source. Refuses names and types that a history cannot have. */
  def resolve(plan: FollowPlan, source: ChangeSource, all: DataFrame): HistoryDefinition = {
    val rows = plan.where.fold(all)(all.where)
    val groups = if (plan.by.isEmpty) Nil else rows.selectExpr(plan.by: _*).schema.fields.toSeq
    val names = groups.map(_.name)
    names.zipWithIndex.foreach { case (name, i) =>
      def isOneOf(others: Seq[String]) =
        others.exists(_.toLowerCase(Locale.ROOT) == name.toLowerCase(Locale.ROOT))
      if (isOneOf(names.take(i))) refuse(s"two columns '$name'", s"$name AS another_$name")
      if (isOneOf(Reserved)) refuse(
        s"a column '$name', but the history's table has a column of that name itself",
        s"$name AS its_$name"
      )
      if (name.exists(Forbidden)) refuse(
        s"a column '$name', but a Delta table cannot have a column of that name",
        "upper(region) AS region"
      )
    }
    // refuses types that cannot be measured
    rows.selectExpr(s"history_sketch_agg(${plan.value}, 0L, 1L, ${plan.epsilon}D)").schema
    val measured = rows.selectExpr(s"${plan.value} AS value").schema.head
    HistoryDefinition(
      plan.value,
      typeOf(measured),
      plan.by,
      groups.map(typeOf),
      names,
      plan.where,
      plan.epsilon,
      source.name
    )
  }

  private def refuse(problem: String, other: String): Nothing = throw Conditions.refusal(
    "CHRONOSKETCH_NAME_TAKEN",
    "problem" -> problem,
    "other" -> s"'$other'"
  )

  private def typeOf(field: StructField): String = field.dataType.catalogString

  /** Reads a definition. Returns its format if that is not this jar's, and None if the text is not a definition. */
  def fromJson(text: String): Option[Either[String, HistoryDefinition]] =
    try Some(fromJson(mapper.readTree(text)))
    catch { case NonFatal(_) => None }

  private[following] def fromJson(json: JsonNode): Either[String, HistoryDefinition] = {
    def texts(name: String) = json.get(name).elements.asScala.map(_.asText).toSeq
    val format = Option(json.get("format")).fold(Format.toString)(_.asText)
    if (format != Format.toString) Left(format)
    else Right(HistoryDefinition(
      json.get("value").asText,
      json.get("value_type").asText,
      texts("by"),
      texts("by_types"),
      texts("by_names"),
      Option(json.get("where")).filterNot(_.isNull).map(_.asText),
      json.get("epsilon").asDouble,
      Option(json.get("source")).fold("")(_.asText)
    ))
  }
}
