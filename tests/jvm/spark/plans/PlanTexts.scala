package chronosketch.spark.plans

import scala.collection.mutable
import scala.util.matching.Regex

import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.QueryExecution

/** The plans of a query as texts that two sessions can be compared by. */
final case class PlanTexts(analysed: String, optimised: String, physical: String) {

  /** The stages whose plans differ, each with the first lines that do. */
  def differences(other: PlanTexts): Seq[String] = Seq(
    ("analysed", analysed, other.analysed),
    ("optimised", optimised, other.optimised),
    ("physical", physical, other.physical)
  ).collect { case (stage, mine, theirs) if mine != theirs => s"$stage: ${firstLines(mine, theirs)}" }

  private def firstLines(mine: String, theirs: String): String = {
    val pairs = mine.split('\n').toSeq.zipAll(theirs.split('\n').toSeq, "nothing", "nothing")
    pairs.collectFirst { case (a, b) if a != b => s"$a\n  instead of $b" }.get
  }
}

object PlanTexts {

  /** Analyses, optimises and plans a query, without running it. */
  def planned(session: SparkSession, query: String): QueryExecution = {
    val state = session.sessionState
    val execution = session.withActive(state.executePlan(state.sqlParser.parsePlan(query)))
    execution.executedPlan
    execution
  }

  def of(session: SparkSession, query: String): PlanTexts = session.withActive(of(planned(session, query)))

  def of(execution: QueryExecution): PlanTexts =
    PlanTexts(text(execution.analyzed), text(execution.optimizedPlan), text(execution.executedPlan))

  /** A plan with its subqueries, and the types and nullability of its columns, which a plan's text does not show. */
  def text(plan: QueryPlan[_]): String = renumbered(
    plan.treeString(verbose = true, addSuffix = false, maxFields = Int.MaxValue) + plan.schema.treeString
  )

  /** Numbers that Spark takes from counters of the whole JVM: ids of expressions, of physical plans and of common tables. */
  private val Counted: Regex =
    raw"(plan_id=|\[id=#|CTERelation(?:Def|Ref) |UnionLoop(?:Ref)? |_gen_alias_|#)(\d+)".r

  /** Replaces each of these numbers by the place of its first occurrence. */
  private def renumbered(text: String): String = {
    val places = mutable.Map.empty[(String, String), Int]
    Counted.replaceAllIn(
      text,
      found => {
        val counter = found.group(1) match {
          case "plan_id=" | "[id=#" => "plan"
          case table if table.startsWith("CTE") || table.startsWith("Union") => "table"
          case _ => "expression"
        }
        val place = places.getOrElseUpdate((counter, found.group(2)), places.size)
        Regex.quoteReplacement(s"${found.group(1)}$place")
      }
    )
  }
}
