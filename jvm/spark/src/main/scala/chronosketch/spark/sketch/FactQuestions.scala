package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.Version
import chronosketch.families.{Capabilities, Families}
import chronosketch.spark.aggregate.Answer
import chronosketch.spark.sql.{Arguments, Span}
import chronosketch.summary.{Description, Envelope, Summary}

/** `f(sketch)`: a fact about a sketch itself. */
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
  protected def ask(summary: Summary): Any = Capabilities.requireCounted(summary).count
}

case object SketchCountBounds extends Fact("sketch_count_bounds", Answer.bounds(LongType)) {
  protected def ask(summary: Summary): Any = {
    val (low, high) = Capabilities.requireCounted(summary).countBounds
    new GenericInternalRow(Array[Any](low, high))
  }
}

case object SketchRankError extends Fact("sketch_rank_error", DoubleType) {
  protected def ask(summary: Summary): Any = {
    val ranked = Capabilities.requireRanked(summary)
    if (ranked.profile.isEmpty) null else ranked.rankError
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
    .add("answers", ArrayType(NamedAnswers.row, containsNull = false))
    .add("trees", IntegerType)
    .add("clamped", LongType)
    .add("confidence", DoubleType)
    .add("kept", LongType)

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.checkSketch(1, arguments(0))

  def dataType(arguments: Seq[Expression]): DataType = fields

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    values => describe(reader.open(values(0)), values(0).asInstanceOf[Array[Byte]])
  }

  private def text(s: String): UTF8String = UTF8String.fromString(s)

  /** Converts a field, or returns NULL if the family does not have it. */
  private def orNull[A](value: Option[A])(as: A => Any): Any = value.fold(null: Any)(as)

  private def describe(summary: Summary, bytes: Array[Byte]): Any = {
    val d: Description = summary.description
    val (names, values) = d.parameters.unzip
    new GenericInternalRow(
      Array[Any](
        text(summary.family.name),
        Envelope.formatOf(bytes),
        text(summary.domain.sql),
        ArrayBasedMapData(names.map(text).toArray[Any], values.toArray[Any]),
        summary.count,
        bytes.length,
        orNull(d.error)(identity),
        orNull(d.exact)(identity),
        orNull(d.times)(times => text(times.sql)),
        orNull(for (span <- d.retention; times <- d.times) yield Span.text(span, times))(text),
        orNull(d.filters)(names => new GenericArrayData(names.map(text).toArray[Any])),
        orNull(d.panes)(identity),
        orNull(d.answers)(NamedAnswers.rows),
        orNull(d.trees)(identity),
        orNull(d.clamped)(identity),
        orNull(d.confidence)(identity),
        orNull(d.kept)(identity)
      )
    )
  }
}

/** `is_sketch(binary)`: whether a BINARY is a complete sketch that this version can read. */
case object IsSketch extends Question("is_sketch") {
  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.checkSketch(1, arguments(0))
  def dataType(arguments: Seq[Expression]): DataType = BooleanType
  def answering(arguments: Seq[Expression]): Array[Any] => Any =
    values => Families.isSketch(values(0).asInstanceOf[Array[Byte]])
}

/** `f(left, right)`: the union of two sketches. */
private[spark] sealed abstract class Union(name: String) extends Question(name) {
  def check(arguments: Seq[Expression]): TypeCheckResult =
    Arguments.all(() => Arguments.checkSketch(1, arguments(0)), () => Arguments.checkSketch(2, arguments(1)))

  def dataType(arguments: Seq[Expression]): DataType = BinaryType

  def answering(arguments: Seq[Expression]): Array[Any] => Any = values => {
    // a single sketch is opened, too, so that damaged bytes are refused beside NULL
    val opened = values.filter(_ != null).map(bytes => Families.open(bytes.asInstanceOf[Array[Byte]]))
    Envelope.seal(opened.reduceLeft(Summary.union(_, _)))
  }
}

/** `sketch_merge(left, right)`: NULL if one of them is. */
case object SketchMerge extends Union("sketch_merge")

/** `sketch_merge_or(left, right)`: if one of them is NULL, the other. */
case object SketchMergeOr extends Union("sketch_merge_or") {
  override def isUnanswered(values: Array[Any]): Boolean = values.forall(_ == null)
}

/** `sketch_cast(sketch, type)`: a sketch of the same values in another type.
  *
  * @param asSummary whether the answer is the summary in memory, for another question of the same row, instead of its bytes
  */
private[spark] final case class SketchCast(asSummary: Boolean) extends TypedQuestion(SketchCast.Name) {
  def dataType(arguments: Seq[Expression]): DataType =
    if (asSummary) ObjectType(classOf[Summary]) else BinaryType

  override def answeringSummary: Option[Question] = Option.when(!asSummary)(copy(asSummary = true))

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val to = Questions.typeNamed(arguments(1)).domain
    values => {
      val cast = Summary.cast(reader.open(values(0)), to)
      if (asSummary) cast else Envelope.seal(cast)
    }
  }
}

private[spark] object SketchCast {
  val Name = "sketch_cast"
}

/** `chronosketch_version()`: the version of the jar that answers. */
case object ChronosketchVersion extends Question("chronosketch_version") {
  def check(arguments: Seq[Expression]): TypeCheckResult = TypeCheckSuccess
  def dataType(arguments: Seq[Expression]): DataType = StringType
  def answering(arguments: Seq[Expression]): Array[Any] => Any = _ => UTF8String.fromString(Version.value)
}

/** Converts the description of how a sketch answers each φ named in advance to rows. */
private[spark] object NamedAnswers {

  /** The fields of [[Description.Way]], after the φ. Without rows, all fields but the φ are NULL. */
  val row: StructType = new StructType()
    .add("phi", DoubleType, nullable = false)
    .add("method", StringType)
    .add("reason", StringType)
    .add("need", LongType)
    .add("reached", LongType)
    .add("bursty", BooleanType)
    .add("bound", DoubleType)

  def rows(answers: Seq[Description.Answered]): GenericArrayData =
    new GenericArrayData(answers.map(rowOf(_): Any).toArray)

  private def rowOf(answer: Description.Answered): GenericInternalRow = {
    val way: Seq[Any] = answer.by.fold(Seq.fill[Any](6)(null)) { w =>
      Seq[Any](
        UTF8String.fromString(w.method),
        UTF8String.fromString(w.reason),
        w.need,
        w.reached,
        w.bursty.fold(null: Any)(b => b),
        w.bound.fold(null: Any)(b => b)
      )
    }
    new GenericInternalRow((answer.phi.decimal.doubleValue +: way).toArray[Any])
  }
}
