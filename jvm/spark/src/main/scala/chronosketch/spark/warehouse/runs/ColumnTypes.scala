package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.catalyst.expressions.Cast.toSQLType
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.types._
import org.apache.spark.sql.{DataFrame, classic}

import chronosketch.Refusal
import chronosketch.spark.sql.{KeyCodec, SparkPrivates}
import chronosketch.spark.warehouse.manifest.Definition

/** Selects the columns that a warehouse stores, and checks that their types are accepted. */
private[warehouse] object ColumnTypes {

  /** Selects the columns of `by` and then the value. Returns them with the definition that has their types. */
  def selectColumns(definition: Definition, rows: DataFrame): (Definition, DataFrame) = {
    val plan = rows.queryExecution.analyzed
    val (defined, columns) = selectAttributes(definition, plan.output)
    (defined, SparkPrivates.frame(rows.asInstanceOf[classic.DataFrame].sparkSession, Project(columns, plan)))
  }

  /** Selects these columns from the attributes of a plan. */
  def selectAttributes(
      definition: Definition,
      columns: Seq[Attribute]
  ): (Definition, Seq[NamedExpression]) = {
    val by = definition.by.map(column(columns, _))
    val value = column(columns, definition.value)
    by.foreach(requireGroupType)
    if (KeyCodec.of(value.dataType).isEmpty || value.dataType == NullType)
      refuse(
        value.name,
        s"its type is ${toSQLType(value.dataType)}, and quantiles of that type can't be computed"
      )
    // named as in the definition; with one form of zero and one of NaN
    val selected: Seq[NamedExpression] = by.zip(definition.by).map { case (a, name) => Alias(a, name)() } :+
      Alias(SparkPrivates.normalizeFloatingNumbers(value), definition.value)()
    (definition.withTypes((by :+ value).map(_.dataType)), selected)
  }

  private def column(all: Seq[Attribute], name: String): Attribute =
    all.filter(_.name.equalsIgnoreCase(name)) match {
      case Seq(one) => one
      case Nil => refuse(name, s"the rows only have the columns ${all.map(_.name).mkString(", ")}")
      case _ => refuse(name, "the rows have more than one such column")
    }

  private def requireGroupType(by: Attribute): Unit = by.dataType match {
    case text: StringType if text == StringType =>
    case BooleanType | ByteType | ShortType | IntegerType | LongType | _: DecimalType | DateType | TimestampType |
        TimestampNTZType | BinaryType =>
    case other =>
      refuse(
        by.name,
        s"it is ${toSQLType(other)}, and rows are grouped by whole numbers, decimals, dates, timestamps, booleans, binaries and plain strings"
      )
  }

  private def refuse(column: String, reason: String): Nothing =
    throw Refusal("CHRONOSKETCH_WAREHOUSE_COLUMN", "column" -> column, "reason" -> reason)
}
