package chronosketch.spark.warehouse.answers

import org.apache.spark.sql.types._

/** The columns of an answer, which follow those of `by`. */
private[warehouse] object AnswerColumns {

  /** The columns of a quantile. `valueType` is the type of the warehouse's values. */
  def ofQuantile(valueType: DataType): Seq[StructField] = Seq(
    StructField("phi", DoubleType, nullable = false),
    StructField("value", valueType),
    StructField("low", valueType),
    StructField("high", valueType),
    StructField("rank_error", LongType)
  ) ++ common

  /** The columns of a rank. `askedType` is the type of the value that was given. */
  def ofRank(askedType: DataType): Seq[StructField] = Seq(
    StructField("value", askedType),
    StructField("rank_low", LongType, nullable = false),
    StructField("rank_high", LongType, nullable = false)
  ) ++ common

  private def common: Seq[StructField] = Seq(
    StructField("count_low", LongType, nullable = false),
    StructField("count_high", LongType, nullable = false),
    StructField("rows_read", LongType, nullable = false),
    StructField("rows_total", LongType, nullable = false),
    StructField("bytes_read", LongType, nullable = false),
    StructField("bytes_total", LongType, nullable = false),
    StructField("version", LongType, nullable = false),
    StructField("accuracy", StringType, nullable = false)
  )

  val Names: Seq[String] = (ofQuantile(LongType) ++ ofRank(LongType)).map(_.name).distinct
}
