package chronosketch.spark.warehouse.manifest

import org.apache.spark.sql.types.{DataType, StructField, StructType}

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.spark.sql.KeyCodec
import chronosketch.warehouse.MemoryShares

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
  def hasSameSettings(other: Definition): Boolean = copy(id = other.id, types = other.types) == other

  /** A copy with these types. Refuses types that differ from those it has already. */
  def withTypes(found: Seq[DataType]): Definition = types match {
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
  def values(valueType: DataType): KeyCodec = KeyCodec.of(valueType).get

  def domain(valueType: DataType): Domain = values(valueType).domain
}

/** The limits of the summaries of a warehouse. */
private[spark] sealed trait SummaryLimits {

  /** The limit of the run at a place, counted from the oldest, which is 1. */
  def run(place: Int): EntryLimit

  /** The limit of one of `batches` live batches. */
  def live(batches: Int): EntryLimit
}

/** Limits the rank error to a share of the rows: epsilon1 in a run, epsilon2 in a live batch. */
private[spark] final case class ErrorLimits(epsilon1: Double, epsilon2: Double) extends SummaryLimits {
  def run(place: Int): EntryLimit = MaxError(epsilon1)
  def live(batches: Int): EntryLimit = MaxError(epsilon2)

  /** The error that users set as `epsilon`. */
  def epsilon: Double = 2 * epsilon1
}

private[spark] object ErrorLimits {
  def of(epsilon: Double): ErrorLimits = ErrorLimits(epsilon / 2, epsilon / 4)
}

/** Limits the bytes of all summaries together. The summaries are as accurate as these bytes allow. */
private[spark] final case class MemoryLimits(shares: MemoryShares) extends SummaryLimits {
  def run(place: Int): EntryLimit = MaxBytes(shares.bytesOfRun(place))
  def live(batches: Int): MaxBytes = MaxBytes(shares.bytesOfLive(batches))
}

/** The limit of the summaries of one run or one live batch. */
private[spark] sealed trait EntryLimit extends Serializable

/** Limits the rank error of each group to a share of its rows. */
private[spark] final case class MaxError(epsilon: Double) extends EntryLimit

/** Limits the bytes of all groups together. */
private[spark] final case class MaxBytes(bytes: Long) extends EntryLimit
