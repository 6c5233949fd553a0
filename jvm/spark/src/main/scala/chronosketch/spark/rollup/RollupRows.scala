package chronosketch.spark.rollup

import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Column, DataFrame}

import chronosketch.families.Families
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.spark.rollup.RollupDefinition._
import chronosketch.spark.rollup.RollupRows._
import chronosketch.summary.Envelope

/** Computes rows of a roll-up from rows of its source, and from other rows of it.
  *
  * Columns with `_chronosketch` are between the two: the time of a row in micros, and the start of its bucket.
  */
private[spark] final class RollupRows(definition: RollupDefinition) {
  private val zone = definition.zone
  private val groups = definition.by.map(_.name)

  /** Evaluates the definition's expressions over rows of the source: the time, the groups, the values and `others`. */
  def measured(rows: DataFrame, others: String*): DataFrame = {
    val by = definition.by.map(g => expr(g.expression).as(g.name))
    val values = definition.values.map(v => expr(v.expression).as(v.name))
    val time = micros(definition.time, definition.timeType).as(Time)
    val frame = rows.select((time +: by) ++ values ++ others.map(rows(_)): _*)
    frame.withColumn(Start, definition.finest.startOf(frame(Time), zone))
  }

  /** A condition on rows of the source: their time is in one of the ranges of micros. */
  def within(ranges: Seq[BucketRange]): Column =
    anyOf(ranges, expr(definition.time), micros => fromMicros(lit(micros), definition.timeType))

  /** Aggregates measured rows to rows of the finest level, with `others` as further columns. */
  def aggregated(measured: DataFrame, others: Column*): DataFrame = {
    val aggregates = count(lit(1)).as(Rows) +: definition.values.flatMap { v =>
      val value = quotedColumn(v.name)
      Seq(
        sketch(value).as(v.name),
        count(value).as(countOf(v.name))
      ) ++ sumType(v.dataType).map(total(value, v.dataType, _).as(sumOf(v.name))) ++
        Seq(min(value).as(minOf(v.name)), max(value).as(maxOf(v.name)))
    }
    grouped(measured, aggregates ++ others)
  }

  private def sketch(value: Column): Column = {
    val tail = definition.tail.toSeq.flatMap(t => Seq(lit(null), lit(t.name)))
    call_function("quantile_sketch_agg", Seq(value, lit(definition.epsilon)) ++ tail: _*)
  }

  /** Merges rows with the same bucket and groups into one. */
  def merged(rows: DataFrame): DataFrame = {
    val aggregates = sum(Rows).cast(LongType).as(Rows) +: definition.values.flatMap { v =>
      def column(name: String) = quotedColumn(name)
      Seq(
        compact(call_function("sketch_merge_agg", column(v.name))).as(v.name),
        sum(column(countOf(v.name))).as(countOf(v.name))
      ) ++ sumType(v.dataType).map(t => total(column(sumOf(v.name)), t, t).as(sumOf(v.name))) ++
        Seq(min(column(minOf(v.name))).as(minOf(v.name)), max(column(maxOf(v.name))).as(maxOf(v.name)))
    }
    grouped(rows, aggregates)
  }

  /** Replaces the bucket of each row by that of a coarser level. */
  def coarsened(rows: DataFrame, width: BucketWidth): DataFrame =
    rows.withColumn(Start, width.startOf(rows(Start), zone))

  /** Stored rows of a level, with the bucket in micros as in the frames here. */
  def ofLevel(stored: DataFrame, width: BucketWidth): DataFrame = {
    val rows = stored.where(stored(Level) === width.level)
    rows.withColumn(Start, micros(RollupDefinition.Bucket, definition.timeType))
      .select(columns: _*)
  }

  /** Rows as the table has them. */
  def storable(rows: DataFrame, width: BucketWidth): DataFrame = {
    val bucket = fromMicros(rows(Start), definition.timeType).as(RollupDefinition.Bucket)
    val others = definition.schema.fields.drop(2).map(f => quotedColumn(f.name).cast(f.dataType).as(f.name))
    rows.select(Seq(lit(width.level).as(Level), bucket) ++ others: _*)
  }

  /** Keeps the rows whose bucket and groups are in `keys`; if not `are`, those that are not. NULL is a group. */
  def having(rows: DataFrame, keys: DataFrame, are: Boolean = true): DataFrame = {
    val renamed = (Start +: groups).zipWithIndex.map { case (name, i) => quoted(keys, name).as(s"$Key$i") }
    val right = keys.select(renamed: _*)
    val same = (Start +: groups).zipWithIndex.map { case (name, i) =>
      quoted(rows, name) <=> right(s"$Key$i")
    }
    rows.join(right, same.reduce(_ && _), if (are) "left_semi" else "left_anti")
  }

  /** The buckets and groups of rows, each once. */
  def keysOf(rows: DataFrame): DataFrame = rows.select((Start +: groups).map(quoted(rows, _)): _*).distinct()

  private def columns: Seq[Column] =
    (Start +: definition.schema.fieldNames.drop(2).toSeq).map(quotedColumn(_))

  private def grouped(rows: DataFrame, aggregates: Seq[Column]): DataFrame =
    rows.groupBy((Start +: groups).map(quotedColumn(_)): _*).agg(aggregates.head, aggregates.tail: _*)

  /** A sum that is NULL, not an error, if it does not fit into its type. */
  private def total(value: Column, of: DataType, to: DataType): Column = of match {
    case _: DecimalType | ByteType | ShortType | IntegerType | LongType => try_sum(value).cast(to)
    case _ => sum(value).cast(to)
  }
}

private[spark] object RollupRows {
  val Time = "_chronosketch_time"
  val Start = "_chronosketch_bucket"
  private val Key = "_chronosketch_key"

  /** Thins unions that are stored: a row that many steps have touched is not larger than one that was built at once. */
  private val compact = udf { (sketch: Array[Byte]) =>
    if (sketch == null) null
    else Families.open(sketch) match {
      case union: GreenwaldKhanna => union.compact(); Envelope.seal(union)
      case _ => sketch
    }
  }

  private def quotedColumn(name: String): Column = col(QuotingUtils.quoteIdentifier(name))
  private def quoted(frame: DataFrame, name: String): Column = frame(QuotingUtils.quoteIdentifier(name))

  /** The time that an expression of SQL has, in micros. Times without a zone are local times, as if they were of UTC. */
  def micros(time: String, timeType: DataType): Column = timeType match {
    case DateType => unix_date(expr(time)).cast(LongType) * BucketWidth.Day
    case TimestampNTZType => expr(s"timestampdiff(MICROSECOND, TIMESTAMP_NTZ'1970-01-01 00:00:00', ($time))")
    case _ => unix_micros(expr(time))
  }

  def fromMicros(time: Column, timeType: DataType): Column = timeType match {
    case DateType => date_from_unix_date(floor(time.cast(Exact) / BucketWidth.Day).cast(IntegerType))
    case TimestampNTZType =>
      val seconds = (time.cast(Exact) / 1000000).cast(DecimalType(18, 6))
      expr("TIMESTAMP_NTZ'1970-01-01 00:00:00'") + make_dt_interval(lit(0), lit(0), lit(0), seconds)
    case _ => timestamp_micros(time)
  }

  /** A condition: a time is in one of the ranges, whose ends `literal` makes of micros. */
  def anyOf(ranges: Seq[BucketRange], time: Column, literal: Long => Column): Column = {
    val conditions = ranges.map {
      case BucketRange(None) => time.isNull
      case BucketRange(Some((start, end))) =>
        val bounds = Option.when(start != Long.MinValue)(time >= literal(start)) ++
          Option.when(end != Long.MaxValue)(time < literal(end))
        bounds.reduceOption(_ && _).getOrElse(time.isNotNull)
    }
    // halves, so that the expression is not as deep as there are ranges
    def or(all: Seq[Column]): Column =
      if (all.size <= 1) all.headOption.getOrElse(lit(false))
      else { val (left, right) = all.splitAt(all.size / 2); or(left) || or(right) }
    or(conditions)
  }

  private val Exact = DecimalType(20, 0)
}

/** The start and the end of a bucket in micros, or None for rows without a time. */
private[spark] final case class BucketRange(range: Option[(Long, Long)])
