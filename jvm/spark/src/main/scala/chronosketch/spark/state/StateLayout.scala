package chronosketch.spark.state

import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import chronosketch.Version

/** One property of a stateful operator that its stored rows depend on.
  *
  * @param name    the property, as messages call it: `size`, `key 1`, `aggregate 2`
  * @param value   its value, as messages show it
  * @param epsilon the error allowed in sketches, if the aggregate has one. Sketches of different errors can be merged, and the union
  *                keeps the greater of the two
  */
final case class StateEntry(name: String, value: String, epsilon: Option[Double] = None) {

  /** Whether another value means the same. The first versions wrote `moments sketch() of v` where later ones write `moments sketch of v`. */
  def isSame(other: StateEntry): Boolean = {
    def later(text: String): String = text.replace("() of ", " of ")
    later(value) == later(other.value)
  }
}

/** The layout of an operator's state: everything that decides what its stored rows mean.
  *
  * Guarantee  state of one layout may be read as another only if [[changes]] finds none
  *
  * @param operator the kind of operator, for a reader of the file
  */
final case class StateLayout(operator: String, entries: Seq[StateEntry]) {

  /** Each difference that forbids to go on with state of this layout as `now`, as messages show it. */
  def changes(now: StateLayout): Seq[String] = {
    val (before, after) = (byName, now.byName)
    val names = (entries ++ now.entries).map(_.name).distinct
    val differing = names.flatMap { name =>
      def shown(entry: Option[StateEntry]): String = entry.fold("absent")(_.value)
      (before.get(name), after.get(name)) match {
        case (Some(a), Some(b)) if a.isSame(b) => narrowed(a, b)
        case (a, b) => Some(s"$name was ${shown(a)}, and is ${shown(b)} now")
      }
    }
    if (operator == now.operator) differing
    else s"the state was of $operator, and is of ${now.operator} now" +: differing
  }

  private def byName: Map[String, StateEntry] = entries.map(e => e.name -> e).toMap

  /** A smaller error can't be promised of stored sketches; a greater one can. */
  private def narrowed(before: StateEntry, now: StateEntry): Option[String] =
    (before.epsilon, now.epsilon) match {
      case (Some(a), Some(b)) if a > b =>
        Some(
          s"epsilon of ${now.name}, ${now.value}, was $a, and is $b now: only a greater one can be promised"
        )
      case _ => None
    }

  def text: String = {
    val json = StateLayout.json.createObjectNode()
    json.put("format", StateLayout.Format).put("version", Version.value).put("operator", operator)
    val rows = json.putArray("entries")
    entries.foreach { e =>
      val row = rows.addObject().put("name", e.name).put("value", e.value)
      e.epsilon.foreach(row.put("epsilon", _))
    }
    StateLayout.json.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n"
  }
}

object StateLayout {

  /** The format of the state and of its layout. A jar refuses the formats that come after its own. */
  val Format = 1

  private val json = new ObjectMapper

  /** The result of reading a stored layout. */
  sealed trait Stored
  final case class Known(layout: StateLayout) extends Stored
  final case class Newer(format: Long, version: String) extends Stored
  final case class Unreadable(why: String) extends Stored

  def read(bytes: Array[Byte]): Stored =
    try {
      val stored = json.readTree(new String(bytes, UTF_8))
      val format = field(stored, "format")
      if (!format.isIntegralNumber || format.longValue < 1) Unreadable(s"it has the format $format")
      else if (format.longValue > Format) Newer(format.longValue, field(stored, "version").asText)
      else Known(StateLayout(text(stored, "operator"), field(stored, "entries").asScala.map(entry).toSeq))
    } catch { case NonFatal(e) => Unreadable(s"it is not valid: ${e.getMessage.linesIterator.next()}") }

  private def entry(row: JsonNode): StateEntry = {
    val epsilon = Option(row.get("epsilon")).map { e =>
      if (e.isNumber) e.doubleValue else throw new IllegalArgumentException(s"epsilon is $e")
    }
    StateEntry(text(row, "name"), text(row, "value"), epsilon)
  }

  private def text(parent: JsonNode, name: String): String = {
    val node = field(parent, name)
    if (node.isTextual) node.textValue else throw new IllegalArgumentException(s"$name is $node")
  }

  private def field(parent: JsonNode, name: String): JsonNode =
    Option(parent.get(name)).getOrElse(throw new IllegalArgumentException(s"$name is missing"))
}
