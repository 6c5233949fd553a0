package chronosketch.spark.history.following

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Literal => SqlLiteral}

import chronosketch.spark.following.VersionedTable
import chronosketch.spark.history.following.FollowRefusals._
import chronosketch.spark.sql.Conditions

/** Refuses to go on with a history whose arguments or source are other ones. */
private[following] final class FollowRefusals(
    plan: FollowPlan,
    source: VersionedTable,
    before: Option[Progress]
) {

  /** Refuses arguments that differ from those that the history began with. */
  def requireSameArguments(progress: Progress): Unit = {
    val was = progress.definition
    val start = plan.start.getOrElse(progress.first)
    refuseDifferent(Seq(
      ("value", literal(was.value), literal(plan.value)),
      ("by", array(was.by), array(plan.by)),
      ("where", optional(was.where), optional(plan.where)),
      ("epsilon", was.epsilon.toString, plan.epsilon.toString),
      ("start", progress.first.toString, start.toString)
    ))
  }

  /** Whether to drop the history and start again, because another table has the source's name. Refuses a source that was replaced if the plan
    * does not say what to do. If it has another name now, that is a mistake of the caller, and the history is kept.
    */
  def mustRestart(progress: Progress): Boolean = {
    val replaced = source.replaced(progress.lastVersion)
    replaced.exists { reason =>
      val was = progress.definition.source
      if (was.nonEmpty && unquoted(was) != unquoted(source.name))
        refuseDifferent(Seq(("source", literal(was), literal(source.name))))
      val canContinue = source.hasChangesSince(progress.lastVersion)
      if (plan.onReplace == FollowPlan.Refuse || (plan.onReplace == FollowPlan.Continue && !canContinue))
        throw refuseReplaced(reason, canContinue)
      plan.onReplace == FollowPlan.Rebuild
    }
  }

  private def refuseReplaced(reason: String, canContinue: Boolean): AnalysisException = {
    val remedy =
      if (canContinue) "on_replace => 'continue' goes on with its change feed, and"
      else "Its versions begin anew, so no changes lead to them."
    Conditions.refusal(
      "CHRONOSKETCH_SOURCE_REPLACED",
      "source" -> plan.source,
      "reason" -> reason,
      "remedy" -> s"$remedy on_replace => 'rebuild' drops the history and begins with the new table."
    )
  }

  /** Refuses arguments: their names, with their values when the history began, and now. */
  private def refuseDifferent(arguments: Seq[(String, String, String)]): Unit = {
    val different = arguments.filter { case (_, then, now) => then != now }
    if (different.nonEmpty) throw Conditions.refusal(
      "CHRONOSKETCH_HISTORY_DIFFERS",
      "into" -> plan.into,
      "both" -> different.map { case (name, then, now) => s"$name => $then, not $now" }
        .mkString(", and with "),
      "then" -> different.map { case (name, then, _) => s"$name => $then" }.mkString(", ")
    )
  }
}

private[following] object FollowRefusals {
  private def literal(text: String): String = SqlLiteral(text).sql
  private def optional(text: Option[String]): String = text.fold("NULL")(literal)
  private def array(texts: Seq[String]): String = texts.map(literal).mkString("array(", ", ", ")")
  private def unquoted(name: String): String = name.replace("`", "")

  def startsTooLate(plan: FollowPlan, latest: Long): AnalysisException = noSuchVersion(
    plan.source,
    0,
    latest,
    plan.start.get,
    s"Give a start of at most $latest."
  )

  def noSuchVersion(
      table: String,
      first: Long,
      last: Long,
      asked: Long,
      remedy: String
  ): AnalysisException = Conditions.refusal(
    "CHRONOSKETCH_NO_SUCH_VERSION",
    "table" -> table,
    "first" -> first.toString,
    "last" -> last.toString,
    "asked" -> asked.toString,
    "remedy" -> remedy
  )

  /** A sentence with the versions that can still be read, or nothing if there is no history. */
  def available(into: String, before: Option[Progress]): String = before.fold("")(progress =>
    s" Until then you can still ask $into for versions ${progress.first} to ${progress.last}."
  )

  private val Path = "(?i)delta\\.`(.*)`".r

  /** Says how to drop a history. DROP TABLE does not delete a table that is named by its path. */
  def dropping(into: String): String = into match {
    case Path(folder) => s"delete the folder $folder"
    case _ => s"DROP TABLE IF EXISTS $into"
  }
}
