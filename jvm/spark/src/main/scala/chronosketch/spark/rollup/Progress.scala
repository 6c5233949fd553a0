package chronosketch.spark.rollup

import java.util.UUID

import scala.util.control.NonFatal

import chronosketch.spark.following.LastVersion
import chronosketch.spark.rollup.RollupDefinition.mapper

/** The state of a roll-up after a step. The commit of the step has it as JSON: in Delta's `userMetadata`, or in a property of Iceberg's snapshot.
  *
  * @param step
  *   the number of the step, from 1
  * @param source
  *   the source's version up to which all changes are in the roll-up
  * @param base
  *   the version of the roll-up's own table that the step read
  * @param begins
  *   the levels that have lost old rows, with the start of the first bucket that they have
  * @param kind
  *   'begin', 'refresh', 'rebuild' or 'batch'
  */
final case class Progress(
    id: String,
    step: Long,
    source: LastVersion,
    base: Long,
    begins: Map[String, Long],
    kind: String
) {
  def toJson: String = {
    val json = mapper.createObjectNode()
    json.put("chronosketch", "rollup").put("format", Progress.Format).put("id", id).put("step", step)
    json.put(
      "base",
      base
    ).put("version", source.version).put("table", source.identity).put("micros", source.micros)
    val levels = json.putObject("begins")
    begins.toSeq.sorted.foreach { case (level, begin) => levels.put(level, begin) }
    mapper.writeValueAsString(json.put("kind", kind))
  }
}

object Progress {

  /** The format of a commit's JSON. */
  private val Format = 1

  def newId(): String = UUID.randomUUID().toString

  /** Reads the progress from the JSON of a commit, or returns None for any other text. */
  def fromJson(text: String): Option[Progress] =
    try {
      val json = mapper.readTree(text)
      Option.when(
        json.get("chronosketch").asText == "rollup" && json.get("format").asInt == Format
      ) {
        val last =
          LastVersion(json.get("version").asLong, json.get("table").asText, json.get("micros").asLong)
        val begins = Map.newBuilder[String, Long]
        val levels = json.get("begins")
        levels.fieldNames.forEachRemaining(level => begins += level -> levels.get(level).asLong)
        Progress(
          json.get("id").asText,
          json.get("step").asLong,
          last,
          json.get("base").asLong,
          begins.result(),
          json.get("kind").asText
        )
      }
    } catch { case NonFatal(_) => None }
}
