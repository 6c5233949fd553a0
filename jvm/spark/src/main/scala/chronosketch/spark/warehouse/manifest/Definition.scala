package chronosketch.spark.warehouse.manifest

import org.apache.spark.sql.types.{DataType, StructField, StructType}

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.spark.sql.SqlValues

/** What a warehouse is a warehouse of.
  *
  * @param id     never changes, and no other has it
  * @param value  the column that is measured
  * @param by     the columns that rows are grouped by
  * @param types  of `by` and then `value`; none until the first rows come
  * @param limits what its summaries keep to
  * @param kappa  how many runs a level has at most
  */
private[spark] final case class Definition(
    id: String,
    value: String,
    by: Seq[String],
    types: Option[Seq[DataType]],
    limits: SummaryLimits,
    kappa: Int
) {

  /** The columns of a run; a value is never NULL there. */
  def schema(types: Seq[DataType]): StructType = StructType(
    by.zip(types).map { case (name, dataType) => StructField(name, dataType) } :+
      StructField(value, types.last, nullable = false)
  )

  def bySchema(types: Seq[DataType]): StructType = StructType(schema(types).dropRight(1))

  /** Whether it is the same, but for what it got later: its id and its types. */
  def isLike(other: Definition): Boolean = copy(id = other.id, types = other.types) == other

  /** The one with these types, which must be those that it has already. */
  def typed(found: Seq[DataType]): Definition = types match {
    case Some(known) if known != found =>
      val (column, before, now) =
        (by :+ value).lazyZip(known).lazyZip(found).find { case (_, a, b) => a != b }.get
      throw Refusal(
        "CHRONOSKETCH_WAREHOUSE_COLUMN",
        "column" -> column,
        "reason" -> s"its type is ${now.sql}, but it was ${before.sql} in earlier rows"
      )
    case _ => copy(types = Some(found))
  }
}

private[spark] object Definition {

  /** Between the values of a type and their keys. */
  def values(valueType: DataType): SqlValues = SqlValues.of(valueType).get

  def domain(valueType: DataType): Domain = values(valueType).domain
}
