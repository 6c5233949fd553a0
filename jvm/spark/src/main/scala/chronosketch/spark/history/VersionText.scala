package chronosketch.spark.history

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.spark.sql.EventTime

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
