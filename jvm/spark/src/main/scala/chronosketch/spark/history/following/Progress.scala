package chronosketch.spark.history.following

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.JsonNode

import chronosketch.spark.following.LastVersion
import chronosketch.spark.history.following.HistoryDefinition.mapper

/** The versions that the open rows cover: they start from the values at `base` and answer from `since` on.
  *
  * @param built
  *   the version up to which open rows were built from the changes
  * @param began
  *   the number of rows of kind 'change' at version `base`, or None if they are not counted yet
  * @param taken
  *   the number of rows of kind 'change' after that
  * @param waiting
  *   the number of those after version `built`
  */
final case class Segment(
    base: Long,
    since: Long,
    sinceMicros: Option[Long],
    built: Long,
    began: Option[Long],
    taken: Long,
    waiting: Long
) {

  /** The number of stored rows of kind 'change'. Rows that are not counted yet are left out. */
  def kept: Long = began.getOrElse(0L) + taken
}

/** The progress of a history: its last step and its last version. The commit of the step has it as JSON in `userMetadata`. */
final case class Progress(
    number: Long,
    id: String,
    table: String,
    definition: HistoryDefinition,
    first: Long,
    last: Long,
    lastMicros: Long,
    segment: Segment
) {

  /** The last version in the source. */
  def lastVersion: LastVersion = LastVersion(last, table, lastMicros)

  def toJson: String = {
    val json = mapper.createObjectNode()
    json.put("number", number).put("id", id).put("table", table)
    json.set[JsonNode]("definition", definition.toJson)
    json.put("first", first).put("last", last).put("last_micros", lastMicros)
    val open = json.putObject("segment").put("base", segment.base).put("since", segment.since)
    open.put("since_micros", segment.sinceMicros.map(Long.box).orNull).put("built", segment.built)
    open.put("began", segment.began.map(Long.box).orNull).put("taken", segment.taken)
    open.put("waiting", segment.waiting)
    mapper.writeValueAsString(json)
  }
}

object Progress {

  /** Reads the progress from a commit's `userMetadata`, or returns None for any other text, and for a newer format. */
  def fromJson(text: String): Option[Progress] =
    try {
      val json = mapper.readTree(text)
      val open = json.get("segment")
      def count(name: String) = Option(open.get(name)).filterNot(_.isNull).map(_.asLong)
      HistoryDefinition.fromJson(json.get("definition")).toOption.map(definition =>
        Progress(
          json.get("number").asLong,
          json.get("id").asText,
          json.get("table").asText,
          definition,
          json.get("first").asLong,
          json.get("last").asLong,
          json.get("last_micros").asLong,
          Segment(
            open.get("base").asLong,
            open.get("since").asLong,
            count("since_micros"),
            open.get("built").asLong,
            count("began"),
            open.get("taken").asLong,
            open.get("waiting").asLong
          )
        )
      )
    } catch { case NonFatal(_) => None }
}
