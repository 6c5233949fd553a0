package chronosketch.spark.warehouse.manifest

import org.apache.spark.sql.types.{DataType, StructField, StructType}

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.spark.sql.SqlValues

/** The columns of a warehouse, and the settings that it was created with.
  *
  * @param id     unique; it never changes
  * @param value  the column that is measured
  * @param by     the columns that rows are grouped by
  * @param types  the types of `by` and then `value`; empty until the first rows come
  * @param limits the limits of its summaries
  * @param kappa  the maximal number of runs in a level
  */
private[spark] final case class Definition(
    id: String,
    value: String,
    by: Seq[String],
    types: Option[Seq[DataType]],
    limits: SummaryLimits,
    kappa: Int
) {

  /** The columns of a run. The value is never NULL there. */
  def schema(types: Seq[DataType]): StructType = StructType(
    by.zip(types).map { case (name, dataType) => StructField(name, dataType) } :+
      StructField(value, types.last, nullable = false)
  )

  def bySchema(types: Seq[DataType]): StructType = StructType(schema(types).dropRight(1))

  /** Whether two definitions are equal apart from their ids and types, which are not given at creation. */
  def isLike(other: Definition): Boolean = copy(id = other.id, types = other.types) == other

  /** A copy with these types. Refuses types that differ from those it has already. */
  def typed(found: Seq[DataType]): Definition = types match {
    case Some(earlier) if earlier != found =>
      val (column, before, now) =
        (by :+ value).lazyZip(earlier).lazyZip(found).find { case (_, a, b) => a != b }.get
      throw Refusal(
        "CHRONOSKETCH_WAREHOUSE_COLUMN",
        "column" -> column,
        "reason" -> s"its type is ${now.sql}, but it was ${before.sql} in earlier rows"
      )
    case _ => copy(types = Some(found))
  }
}

private[spark] object Definition {

  /** Converts between the values of a type and their keys. */
  def values(valueType: DataType): SqlValues = SqlValues.of(valueType).get

  def domain(valueType: DataType): Domain = values(valueType).domain
}
