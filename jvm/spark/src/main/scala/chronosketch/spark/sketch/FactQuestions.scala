package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.Version
import chronosketch.qlove.QloveSketch
import chronosketch.spark.aggregate.Answer
import chronosketch.spark.sql.{Arguments, Span}
import chronosketch.summary.{Bounded, Envelope, Ranked, Summary}
import chronosketch.window.{RestrictedWindow, WindowSketch}

/** `f(sketch)`: a fact that a sketch knows of itself. */
private[spark] sealed abstract class Fact(name: String, fixedType: DataType) extends Question(name) {
  protected def ask(summary: Summary): Any

  override def readsSummary: Boolean = true

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.checkSketch(1, arguments(0))

  def dataType(arguments: Seq[Expression]): DataType = fixedType

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    values => ask(reader.open(values(0)))
  }
}

case object SketchCount extends Fact("sketch_count", LongType) {
  protected def ask(summary: Summary): Any = summary.count
}

case object SketchCountBounds extends Fact("sketch_count_bounds", Answer.bounds(LongType)) {
  protected def ask(summary: Summary): Any = {
    val (low, high) = summary match {
      case window: RestrictedWindow => (window.countLow, window.countHigh)
      case whole => (whole.count, whole.count)
    }
    new GenericInternalRow(Array[Any](low, high))
  }
}

case object SketchRankError extends Fact("sketch_rank_error", DoubleType) {
  protected def ask(summary: Summary): Any = {
    val profile = Questions.ranked(summary)
    if (profile.isEmpty) null else profile.rankError
  }
}

case object SketchDescribe extends Question("sketch_describe") {
  private val fields = new StructType()
    .add("family", StringType, nullable = false)
    .add("format", IntegerType, nullable = false)
    .add("value_type", StringType, nullable = false)
    .add("parameters", MapType(StringType, DoubleType, valueContainsNull = false), nullable = false)
    .add("count", LongType, nullable = false)
    .add("bytes", IntegerType, nullable = false)
    .add("error", DoubleType)
    .add("exact", BooleanType)
    .add("time_type", StringType)
    .add("retention", StringType)
    .add("filters", ArrayType(StringType, containsNull = false))
    .add("panes", IntegerType)
    .add("answers", ArrayType(QloveFacts.answer, containsNull = false))

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.checkSketch(1, arguments(0))

  def dataType(arguments: Seq[Expression]): DataType = fields

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    values => describe(reader.open(values(0)), values(0).asInstanceOf[Array[Byte]])
  }

  private def text(s: String): UTF8String = UTF8String.fromString(s)

  /** The type of its times, how far back windows reach, and its filters; NULL where a family has none. */
  private def windows(summary: Summary): Seq[Any] = summary match {
    case w: WindowSketch =>
      val retention =
        if (w.retention == WindowSketch.KeepAll) null else text(Span.text(w.retention, w.timeDomain))
      Seq(text(w.timeDomain.sql), retention, new GenericArrayData(w.filters.map(text).toArray[Any]))
    case q: QloveSketch => Seq(text(q.timeDomain.sql), null, null)
    case _ => Seq(null, null, null)
  }

  /** How many panes there are, and what each φ is answered by; of other families NULL. */
  private def panes(summary: Summary): Seq[Any] = summary match {
    case q: QloveSketch => Seq(q.size, QloveFacts.answers(q))
    case _ => Seq(null, null)
  }

  private def parameters(summary: Summary): Seq[(String, Double)] = summary match {
    case q: QloveSketch => QloveFacts.parameters(q.query)
    case _ => summary.family.parameters.map(_.name).zip(summary.parameters)
  }

  private def describe(summary: Summary, bytes: Array[Byte]): Any = {
    val (names, values) = parameters(summary).unzip
    val (error, exact): (Any, Any) = summary match {
      case r: Ranked if !r.profile.isEmpty => (r.profile.rankError, r.profile.isExact)
      case _: Ranked => (null, true)
      // what it is off by is no share of ranks: its parameters say it
      case b: Bounded => (null, b.profile.isExact)
      case _ => (null, null)
    }
    new GenericInternalRow(
      Array[Any](
        text(summary.family.name),
        Envelope.formatOf(bytes),
        text(summary.domain.sql),
        ArrayBasedMapData(names.map(text).toArray[Any], values.toArray[Any]),
        summary.count,
        bytes.length,
        error,
        exact
      ) ++ windows(summary) ++ panes(summary)
    )
  }
}

/** Whether a BINARY is a whole sketch that this version reads. */
case object IsSketch extends Question("is_sketch") {
  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.checkSketch(1, arguments(0))
  def dataType(arguments: Seq[Expression]): DataType = BooleanType
  def answering(arguments: Seq[Expression]): Array[Any] => Any =
    values => Envelope.isSketch(values(0).asInstanceOf[Array[Byte]])
}

/** The union of two sketches. */
case object SketchMerge extends Question("sketch_merge") {
  def check(arguments: Seq[Expression]): TypeCheckResult =
    Arguments.all(() => Arguments.checkSketch(1, arguments(0)), () => Arguments.checkSketch(2, arguments(1)))
  def dataType(arguments: Seq[Expression]): DataType = BinaryType
  def answering(arguments: Seq[Expression]): Array[Any] => Any = values => {
    val union = Envelope.open(values(0).asInstanceOf[Array[Byte]])
    union.merge(Envelope.open(values(1).asInstanceOf[Array[Byte]]))
    Envelope.seal(union)
  }
}

/** The version of the jar that answers. */
case object ChronosketchVersion extends Question("chronosketch_version") {
  def check(arguments: Seq[Expression]): TypeCheckResult = TypeCheckSuccess
  def dataType(arguments: Seq[Expression]): DataType = StringType
  def answering(arguments: Seq[Expression]): Array[Any] => Any = _ => UTF8String.fromString(Version.value)
}
