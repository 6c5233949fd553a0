package chronosketch.spark.history

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.spark.sql.EventTime

/** What is said of versions: as a user knows them, not the day's number. */
private[history] object VersionText {
  private val Versions = Set("asked", "first", "last", "laterFirst", "laterLast")

  /** Runs `body`, whose refusals name versions of a type by their keys. */
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
