package chronosketch.spark.history

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow}
import org.apache.spark.sql.types._

import chronosketch.Refusal
import chronosketch.domain.{Conversion, Domain}
import chronosketch.families.Capabilities
import chronosketch.history.{HistorySketch, HistorySketches}
import chronosketch.spark.sketch.{Question, Questions, SketchReader}
import chronosketch.spark.sql.{Arguments, EventTime, KeyCodec}
import chronosketch.summary.{Envelope, Summary}

/** `sketch_at_version(sketch, version)`: extracts the summary of one version from a history. NULL if the history is empty, because it has
  * no versions.
  *
  * @param asSummary whether to return the summary object, for an expression that reads it in the same row, instead of its bytes
  */
final case class SketchAtVersion(asSummary: Boolean) extends Question(SketchAtVersion.Name) {
  def dataType(arguments: Seq[Expression]): DataType =
    if (asSummary) ObjectType(classOf[Summary]) else BinaryType

  override def answeringSummary: Option[Question] = Option.when(!asSummary)(copy(asSummary = true))

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => EventTime.check(name, "version", arguments(1))
  )

  override def settled(arguments: Seq[Expression]): Seq[Expression] =
    arguments.updated(1, EventTime.typed(arguments(1)))

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val versions = EventTime.of(arguments(1).dataType).get
    row => {
      val history = Capabilities.requireFamily(HistorySketches, reader.open(row(0)))
      if (history.isEmpty) null
      else {
        val alive = SketchAtVersion.of(history, versions, row(1))
        if (asSummary) alive else Envelope.seal(alive)
      }
    }
  }
}

object SketchAtVersion {
  val Name = "sketch_at_version"

  private def of(history: HistorySketch, versions: KeyCodec, asked: Any): Summary = {
    val own = history.versions
    if (versions.domain.widen(own).isEmpty)
      throw VersionText.differ(
        versions.domain,
        own,
        s"Give a version of that type, e.g. ${own.example}"
      )
    VersionText.readable(own)(history.at(versions.key(asked)))
  }
}

/** `sketch_versions(sketch, type)`: the first and last version of a history, and its number of trees. */
case object SketchVersions extends Question("sketch_versions") {
  private def fields(version: DataType): StructType = new StructType()
    .add("first", version)
    .add("last", version)
    .add("trees", IntegerType, nullable = false)

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => Questions.checkType(name, 2, arguments(1))
  )

  override def settled(arguments: Seq[Expression]): Seq[Expression] =
    arguments.updated(1, Questions.settledType(arguments(1)))

  def dataType(arguments: Seq[Expression]): DataType = fields(Questions.typeNamed(arguments(1)).dataType)

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val to = Questions.typeNamed(arguments(1))
    row => {
      val history = Capabilities.requireFamily(HistorySketches, reader.open(row(0)))
      val ends =
        if (history.isEmpty) Seq[Any](null, null)
        else
          VersionText.readable(history.versions)(Seq(history.firstVersion, history.lastVersion))
            .map(typed(_, history.versions, to))
      new GenericInternalRow((ends :+ history.trees).toArray[Any])
    }
  }

  private def typed(version: Long, own: Domain, to: KeyCodec): Any =
    if (Conversion.allowed(own, to.domain))
      to.value(Conversion.convert(version, own, to.domain, Conversion.Nearest))
    else {
      val call = s"$name(sketch, '${own.sql.toLowerCase(java.util.Locale.ROOT)}')"
      throw VersionText.differ(to.domain, own, s"Name that type: $call")
    }
}

/** Formats versions in messages as values of their type, e.g. a date instead of a day number. */
private[history] object VersionText {
  private val Versions = Set("asked", "first", "last", "laterFirst", "laterLast")

  /** Runs `body`; in refusals that it throws, replaces the keys of versions by readable versions. */
  def readable[A](versions: Domain)(body: => A): A =
    try body
    catch {
      case refusal: Refusal =>
        val texts = refusal.parameters.map {
          case (name, key) if Versions.contains(name) => name -> text(key.toLong, versions)
          case other => other
        }
        throw new Refusal(refusal.condition, texts, refusal)
    }

  def text(version: Long, versions: Domain): String =
    if (versions.holds(version)) EventTime.text(version, versions) else version.toString

  def differ(asked: Domain, own: Domain, hint: String): Refusal = Refusal(
    "CHRONOSKETCH_VERSION_TYPES_DIFFER",
    "asked" -> asked.sql,
    "versions" -> own.sql,
    "hint" -> hint
  )
}
