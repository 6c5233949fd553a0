package chronosketch.spark.rollup

import java.time.{ZoneId, ZoneOffset}
import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.rank.Tail
import chronosketch.spark.rollup.RollupDefinition._

/** A roll-up: which table it follows, or that a stream feeds it, what its rows are, and the types that the source's columns had. The table property
  * [[RollupDefinition.Property]] keeps it as JSON.
  *
  * @param source
  *   the full name of the table, or empty if a stream feeds the roll-up
  * @param time
  *   an expression of one row: its time
  * @param levels
  *   the widths of buckets, the finest first; each divides the next
  * @param by
  *   expressions of one row, and the names of their columns
  * @param values
  *   the names of what is measured, and expressions of one row
  * @param retention
  *   how long rows of a level are kept, in micros
  * @param tail
  *   the end of the values towards which the rank error of the sketches falls
  */
final case class RollupDefinition(
    source: String,
    time: String,
    timeType: DataType,
    zone: ZoneId,
    levels: Seq[BucketWidth],
    by: Seq[Named],
    values: Seq[Named],
    epsilon: Double,
    retention: Map[String, Interval],
    tail: Option[Tail]
) {

  /** Whether a stream feeds the roll-up batch by batch. Then its rows cannot be built anew. */
  def isFed: Boolean = source.isEmpty

  def finest: BucketWidth = levels.head
  def zoneName: String = if (zone == ZoneOffset.UTC) "UTC" else zone.getId
  def coarser: Seq[BucketWidth] = levels.tail

  def schema: StructType = StructType(
    Seq(StructField(Level, StringType), StructField(Bucket, timeType)) ++
      by.map(g => StructField(g.name, g.dataType)) ++ (StructField(Rows, LongType) +: values.flatMap(stored))
  )

  private def stored(value: Named): Seq[StructField] = Seq(
    StructField(value.name, BinaryType),
    StructField(countOf(value.name), LongType)
  ) ++ sumType(value.dataType).map(StructField(sumOf(value.name), _)) ++ Seq(
    StructField(minOf(value.name), value.dataType),
    StructField(maxOf(value.name), value.dataType)
  )

  /** The oldest format that has all of it, so that older versions go on with what they understand. */
  private def format: Int = if (tail.isEmpty) 1 else Format

  def toJson: String = {
    val json = mapper.createObjectNode()
    json.put("format", format).put("source", source).put("time", time).put("timeType", timeType.sql)
    json.put("zone", zoneName).put("epsilon", epsilon)
    tail.foreach(t => json.put("tail", t.name))
    val widths = json.putArray("levels")
    levels.foreach(l => widths.addObject().put("level", l.level).put("micros", l.micros))
    def add(name: String, all: Seq[Named]): Unit = {
      val array = json.putArray(name)
      all.foreach(n =>
        array.addObject().put("name", n.name).put("expression", n.expression).put("type", n.dataType.sql)
      )
    }
    add("by", by)
    add("values", values)
    val kept = json.putArray("retention")
    levels.flatMap(l => retention.get(l.level).map(l.level -> _)).foreach { case (level, interval) =>
      kept.addObject().put("level", level).put("text", interval.text).put("micros", interval.micros)
    }
    mapper.writeValueAsString(json)
  }
}

object RollupDefinition {

  /** The table property that has the definition. */
  val Property = "chronosketch.rollup"

  /** The newest format. Format 2 has a tail, which a version that knows only format 1 would pass over: it would build other sketches. */
  val Format = 2

  val Level = "level"
  val Bucket = "bucket"
  val Rows = "rows"

  def countOf(value: String): String = s"${value}_count"
  def sumOf(value: String): String = s"${value}_sum"
  def minOf(value: String): String = s"${value}_min"
  def maxOf(value: String): String = s"${value}_max"

  /** An expression of one row, the name of its column and its type. */
  final case class Named(name: String, expression: String, dataType: DataType)

  /** A length of time, as the user wrote it. */
  final case class Interval(text: String, micros: Long)

  /** The type that Spark's `sum` has, or None for types that it doesn't sum. */
  def sumType(value: DataType): Option[DataType] = value match {
    case decimal: DecimalType =>
      Some(DecimalType(Math.min(decimal.precision + 10, DecimalType.MAX_PRECISION), decimal.scale))
    case ByteType | ShortType | IntegerType | LongType => Some(LongType)
    case FloatType | DoubleType => Some(DoubleType)
    case interval @ (_: YearMonthIntervalType | _: DayTimeIntervalType) => Some(interval)
    case _ => None
  }

  private[rollup] val mapper = new ObjectMapper()

  /** Reads a definition. Returns the format if it is newer than this jar's, and None if the text is not a definition. */
  def fromJson(text: String): Option[Either[String, RollupDefinition]] =
    try {
      val json = mapper.readTree(text)
      val format = json.get("format").asInt
      if (format > Format) Some(Left(format.toString))
      else if (format >= 1) Some(Right(read(json)))
      else None
    } catch { case NonFatal(_) => None }

  private def read(json: JsonNode): RollupDefinition = {
    def objects(name: String) = json.get(name).elements.asScala.toSeq
    def named(name: String) = objects(name).map(n =>
      Named(n.get("name").asText, n.get("expression").asText, DataType.fromDDL(n.get("type").asText))
    )
    RollupDefinition(
      json.get("source").asText,
      json.get("time").asText,
      DataType.fromDDL(json.get("timeType").asText),
      zoneOf(json.get("zone").asText),
      objects("levels").map(l => BucketWidth(l.get("level").asText, l.get("micros").asLong)),
      named("by"),
      named("values"),
      json.get("epsilon").asDouble,
      objects("retention").map(r =>
        r.get("level").asText -> Interval(r.get("text").asText, r.get("micros").asLong)
      ).toMap,
      Option(json.get("tail")).map(t => Tail.named(t.asText).get)
    )
  }

  /** A length of time in micros, if the text is an interval above 0 without months. */
  def intervalOf(text: String): Option[Long] =
    try {
      val interval = IntervalUtils.stringToInterval(UTF8String.fromString(text.trim.toLowerCase(Locale.ROOT)))
      val micros =
        Math.addExact(Math.multiplyExact(interval.days.toLong, BucketWidth.Day), interval.microseconds)
      Option.when(interval.months == 0 && micros > 0)(micros)
    } catch { case NonFatal(_) => None }

  /** Returns the zone; one whose offset is always zero is UTC itself. */
  def zoneOf(id: String): ZoneId = ZoneId.of(id).normalized match {
    case ZoneOffset.UTC => ZoneOffset.UTC
    case zone => zone
  }
}
