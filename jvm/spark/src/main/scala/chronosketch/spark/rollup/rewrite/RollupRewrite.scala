package chronosketch.spark.rollup.rewrite

import java.util.WeakHashMap

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Command, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

import chronosketch.spark.following.ReadErrors

/** Answers aggregations of a Delta table from a roll-up that follows it, if the session's settings say so.
  *
  * Guarantee  an answer is at least as precise as the query asks, and of the version that the query reads
  *
  * An aggregation that is not answered is left as it is, and EXPLAIN says why. All parts of a query read one version of a table that has
  * roll-ups.
  */
object RollupRewrite extends Rule[LogicalPlan] {
  private val reason = TreeNodeTag[String]("chronosketch.rollup.reason")

  /** Why an aggregation was not answered from a roll-up. */
  def whyNot(aggregate: Aggregate): Option[String] =
    if (RewriteConf.isEnabled) aggregate.getTagValue(reason) else None

  def apply(plan: LogicalPlan): LogicalPlan =
    if (!RewriteConf.isEnabled || !isQuery(plan)) plan
    else
      try new Tables(SparkSession.active, knownBy(QueryPlanningTracker.get)).rewrite(plan)
      catch {
        case NonFatal(e) =>
          logWarning("A query was not answered from roll-ups", e)
          plan
        case e: LinkageError =>
          logWarning("Queries can't be answered from roll-ups with this version of Spark", e)
          plan
      }

  private def isQuery(plan: LogicalPlan): Boolean =
    !plan.isStreaming && plan.exists(DeltaRelation.isDelta) && !plan.exists(
      _.isInstanceOf[Command]
    ) && !DeltaRelation.isInTransaction &&
      !ReadErrors.Skipping.exists(SQLConf.get.getConfString(_, "false").toBoolean)

  /** A table that a query reads: its roll-ups, and the relation of the version that all parts of the query read. */
  private final case class Known(candidates: Seq[Candidate], pinned: Option[DeltaRelation])

  private type KnownTables = mutable.Map[String, Known]

  /** The tables of each query that is being planned. Subqueries are planned with their query. */
  private val known = new WeakHashMap[QueryPlanningTracker, KnownTables]

  private def knownBy(tracker: Option[QueryPlanningTracker]): KnownTables =
    tracker.fold[KnownTables](mutable.Map.empty)(t =>
      known.synchronized(known.computeIfAbsent(t, _ => mutable.Map.empty))
    )

  private final class Tables(session: SparkSession, tables: KnownTables) {
    def rewrite(plan: LogicalPlan): LogicalPlan = plan match {
      case done: SketchRollup => done
      case aggregate: Aggregate =>
        AggregateQuery.relationOf(aggregate).flatMap(DeltaRelation.of).map(table =>
          aggregate -> table
        ) match {
          case Some((aggregate, table)) => answered(aggregate, table)
          case None => aggregate.mapChildren(rewrite)
        }
      case relation if DeltaRelation.isDelta(relation) =>
        DeltaRelation.of(relation).flatMap(pinned(_)).getOrElse(relation)
      case other => other.mapChildren(rewrite)
    }

    private def answered(aggregate: Aggregate, table: DeltaRelation): LogicalPlan = {
      val found = tableOf(table)
      val attempts = found.candidates.iterator.map { candidate =>
        val answer = for {
          rollup <- candidate.table
          source <- found.pinned.toRight("its table can't be read at the version of the query")
          query <- AggregateQuery.of(aggregate, table)
          plan <- caught(new RollupAnswer(session, rollup, source).of(query))
        } yield plan
        answer.left.map(why => s"${candidate.name}: $why")
      }.to(LazyList)
      attempts.collectFirst { case Right(plan) => caught(Right(optimized(plan))) } match {
        case Some(Right(plan)) => plan
        case other =>
          val reasons = attempts.collect { case Left(why) => why } ++ other.flatMap(_.left.toOption)
          val same = aggregate.mapChildren(rewrite)
          if (reasons.nonEmpty) same.setTagValue(reason, reasons.mkString("; "))
          same
      }
    }

    /** Rules that come first in the optimizer have been run on the query, but not on the new plan. */
    private def optimized(plan: SketchRollup): LogicalPlan = {
      val done = session.sessionState.optimizer.execute(plan)
      require(done.output.map(_.exprId) == plan.output.map(_.exprId), "the optimizer has changed the columns")
      done
    }

    private def pinned(table: DeltaRelation): Option[LogicalPlan] =
      if (table.isPinned) None else tableOf(table).pinned.map(table.reading)

    private def tableOf(table: DeltaRelation): Known =
      tables.getOrElseUpdate(
        if (table.isPinned) s"${table.path}@${table.version}" else table.path,
        read(table)
      )

    private def read(table: DeltaRelation): Known = {
      val candidates = RollupCandidates.of(session, table)
      val names = candidates.flatMap(_.table.toOption).map(_.definition.source).distinct
      val sources = names.flatMap { name =>
        val asOf = session.read.option("versionAsOf", table.version.toString)
        caught(
          Right(asOf.table(name).queryExecution.analyzed)
        ).toOption.flatMap(DeltaRelation.onlyOneIn).map(name -> _)
      }
      // a copy of a table's folder has the same id
      val same = sources.filter { case (_, s) =>
        s.path == table.path && s.id == table.id && s.version == table.version && s.hasColumnsOf(table)
      }.toMap
      Known(
        candidates.filter(_.table.fold(_ => true, t => same.contains(t.definition.source))),
        same.values.headOption
      )
    }

    private def caught[A](body: => Either[String, A]): Either[String, A] =
      try body
      catch { case NonFatal(e) => Left(RollupCandidates.reason(e)) }
  }
}
