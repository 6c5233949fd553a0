package chronosketch.spark.rollup.rewrite

import scala.collection.concurrent.TrieMap
import scala.util.{Left, Right}

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan, Project, Union}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.{col, expr, lit}
import org.apache.spark.sql.types.{DateType, StructField, StructType}

import chronosketch.spark.following.{ChangeSource, DeltaLog, Sources}
import chronosketch.spark.rollup.{BucketRange, BucketWidth, RollupDefinition, RollupStep, RollupTable}

/** Answers an aggregation from a roll-up: whole buckets from its rows, and the rest from rows of the table.
  *
  * @param source
  *   the table at the version that the query reads
  */
private[rewrite] final class RollupAnswer(session: SparkSession, rollup: RollupTable, source: DeltaRelation) {
  import RollupAnswer._

  private val definition = rollup.definition
  private val progress = rollup.progress.get

  /** The plan that answers, or why the roll-up can't. */
  def of(query: AggregateQuery): Either[String, SketchRollup] = {
    val stored = rollup.rows.queryExecution.analyzed
    def row(name: String): Attribute = stored.output.find(_.name == name).get
    for {
      appended <- unseen()
      expressions <- expressionsOver(query.table.relation.output)
      times = new TimeConditions(expressions.isTime)
      found <- all(query.conditions)(c => onTimeOrGroups(c, times, expressions, row))
      ranges = found.collect { case Left(range) => range }
      buckets = new NestedBuckets(definition, expressions.isTime, isWindow(query.table.relation.output))
      bucket = row(RollupDefinition.Bucket)
      keys <- all(query.grouping)(g =>
        expressions.overRollup(g, row, buckets.overBucket(_, bucket)).filter(_.references.nonEmpty)
          .toRight(
            s"it groups by ${AggregateQuery.text(g)}, which is neither of the groups nor of buckets of the roll-up"
          )
      )
      functions = new AnsweredFunctions(definition, expressions, row)
      answered <- all(query.functions)(functions.of(_))
      levels = definition.levels.reverse.filter(level => query.grouping.forall(buckets.nest(_, level)))
      range = ranges.foldLeft(TimeRange.all)(_ intersect _)
      cover = TimeCover.of(range, levels, progress.begins, definition.zone)
      _ <- Either.cond(levels.nonEmpty, (), "no level has buckets that are inside of those it groups by")
      _ <- Either.cond(cover.ranges.nonEmpty, (), "no whole bucket is in its range of time")
      parts = new Parts(query, keys, answered, expressions.time)
      onGroups = found.collect { case Right(c) => c }
      fromRollup =
        bucketsOf(stored, cover, levels.head, hasNull = ranges.isEmpty).map(parts.ofRollup(_, onGroups))
      fromRows = Option.when(cover.rest.nonEmpty)(parts.ofRows(
        query.table.reading(source),
        parts.within(cover.rest, hasNull = false)
      ))
      fromChanges = appended.map(a =>
        parts.ofRows(
          renamed(a, query.table.relation.output),
          parts.within(cover.ranges, hasNull = ranges.isEmpty)
        )
      )
      results <- parts.merged(fromRollup ++ fromRows ++ fromChanges)
    } yield SketchRollup(use(cover, range), results)
  }

  private def onTimeOrGroups(
      condition: Expression,
      times: TimeConditions,
      expressions: RollupExpressions,
      row: String => Attribute
  ): Either[String, Either[TimeRange, Expression]] =
    (times.range(condition), expressions.overRollup(condition, row, _ => None)) match {
      case (Some(range), _) => Right(Left(range))
      case (None, Some(onGroups)) => Right(Right(onGroups))
      case _ =>
        Left(s"the condition ${AggregateQuery.text(condition)} is not on the time and the groups alone")
    }

  private def use(cover: TimeCover, range: TimeRange): RollupUse = {
    val covered = cover.ranges.map(_.length).sum
    RollupUse(
      rollup.name,
      rollup.version,
      definition.source,
      progress.source.version,
      source.version,
      definition.levels.filter(cover.buckets.get(_).exists(_.nonEmpty)).map(_.level),
      definition.epsilon,
      definition.tail.map(_.name),
      Option.when(range.isBounded)(covered / range.length),
      Option.when(cover.rest.nonEmpty)(s"${cover.rest.size} ranges of time").toSeq ++
        Option.when(
          source.version > progress.source.version
        )(s"versions ${progress.source.version + 1} to ${source.version}")
    )
  }

  /** The rows that were appended after the roll-up's version, if there are later versions. */
  private def unseen(): Either[String, Option[DataFrame]] = {
    val (last, asked) = (progress.source.version, source.version)
    if (asked == last) Right(None)
    else if (asked < last) Left(s"the query reads version $asked, and the roll-up is of version $last")
    else if (!onlyAppends(session, definition.source, source.id, last + 1, asked))
      Left(
        s"rows were not only appended in the versions ${last + 1} to $asked, which the roll-up does not have"
      )
    else {
      val changes = Sources.open(session, definition.source, Some(progress.source)).changes(last + 1, asked)
      Right(Some(changes.where(col(ChangeSource.Copies) === lit(1L))))
    }
  }

  /** The selection of expressions from a relation of the table, as the optimizer leaves it. */
  private def selection(texts: Seq[String], columns: Seq[Attribute]): LogicalPlan = {
    // Delta would look for the files of a table of its own
    val schema = StructType(columns.map(c => StructField(c.name, c.dataType, c.nullable, c.metadata)))
    val rows = session.createDataFrame(session.sparkContext.emptyRDD[Row], schema)
    val frame = rows.select(texts.zipWithIndex.map { case (text, i) => expr(text).as(s"_$i") }: _*)
    session.sessionState.optimizer.execute(frame.queryExecution.analyzed)
  }

  /** The selected expressions over the columns of the relation, or None if they are not selected from its rows alone. */
  private def selected(
      columns: Seq[Attribute],
      list: Seq[NamedExpression],
      leaf: LogicalPlan
  ): Option[Seq[Expression]] =
    Option.when(leaf.children.isEmpty && leaf.output.forall(a => columns.exists(_.name == a.name)))(list.map {
      case Alias(e, _) => e.transform { case a: Attribute => columns.find(_.name == a.name).get }
      case other => other
    })

  private def isWindow(columns: Seq[Attribute])(e: Expression, size: Long, start: Long): Boolean = {
    def micros(length: Long) = s"'$length microseconds'"
    val text =
      s"window(${definition.time}, ${micros(size)}, ${micros(size)}, ${micros(Math.floorMod(start, size))})"
    val window = selection(Seq(text), columns) match {
      case Project(list, Filter(_, leaf)) =>
        selected(columns, list, leaf) // rows without a time have no window
      case Project(list, leaf) => selected(columns, list, leaf)
      case _ => None
    }
    window.exists(_.head.semanticEquals(e))
  }

  /** The definition's expressions over the columns of a relation of the table. */
  private def expressionsOver(columns: Seq[Attribute]): Either[String, RollupExpressions] = {
    val texts = definition.time +: (definition.by ++ definition.values).map(_.expression)
    val types = definition.timeType +: (definition.by ++ definition.values).map(_.dataType)
    // a filter would mean that the roll-up has dropped rows
    val expressions = selection(texts, columns) match {
      case Project(list, leaf) => selected(columns, list, leaf)
      case _ => None
    }
    expressions match {
      case Some(over) =>
        val settled = over.map(e => Option.when(RollupExpressions.isSettled(e))(e))
        if (over.map(_.dataType) != types) Left("the types of the table's columns have changed")
        else {
          val (groups, values) = over.tail.zip(settled.tail).splitAt(definition.by.size)
          Right(RollupExpressions(
            definition,
            over.head,
            definition.by.map(_.name).zip(groups.map { case (e, s) =>
              s.filter(_ => RollupExpressions.isExact(e.dataType))
            }),
            definition.values.map(_.name).zip(values.map { case (e, s) =>
              s.filter(_ =>
                !e.dataType.isInstanceOf[org.apache.spark.sql.types.StringType] || RollupExpressions.isExact(
                  e.dataType
                )
              )
            })
          )).filterOrElse(_ => settled.head.nonEmpty, "the roll-up's time depends on settings of the session")
        }
      case _ => Left("the roll-up's expressions can't be compared with those of the query")
    }
  }

  /** The rows of each level. One scan of several levels would read all buckets that lie in the range of any of them. */
  private def bucketsOf(
      stored: LogicalPlan,
      cover: TimeCover,
      coarsest: BucketWidth,
      hasNull: Boolean
  ): Seq[LogicalPlan] =
    definition.levels.flatMap { level =>
      val ranges = cover.buckets.getOrElse(level, Nil).map(r => BucketRange(Some((r.start, r.end)))) ++
        Option.when(hasNull && level == coarsest)(BucketRange(None))
      Option.when(ranges.nonEmpty) {
        val condition = RollupStep.condition(definition, Map(level.level -> ranges))
        val parsed = session.sessionState.sqlParser.parseExpression(condition)
        session.sessionState.executePlan(Filter(parsed, stored)).analyzed
      }
    }

  /** Appended rows with the columns of a relation. */
  private def renamed(appended: DataFrame, columns: Seq[Attribute]): LogicalPlan = {
    val plan = appended.queryExecution.analyzed
    Project(
      columns.map { c =>
        val same = plan.output.find(_.name == c.name).filter(_.dataType == c.dataType)
        Alias(
          same.getOrElse(throw new IllegalStateException(s"the changes have no column ${c.name}")),
          c.name
        )(c.exprId)
      },
      plan
    )
  }

  /** The parts of groups, by where they come from. All have the same columns: the keys, then the parts of each function. */
  private final class Parts(
      query: AggregateQuery,
      keys: Seq[Expression],
      answered: Seq[AnsweredFunction],
      time: Expression
  ) {

    def ofRollup(rows: LogicalPlan, conditions: Seq[Expression]): LogicalPlan =
      Project(named(keys, answered.flatMap(_.columns)), filtered(rows, conditions))

    def ofRows(rows: LogicalPlan, near: Expression): LogicalPlan =
      Aggregate(
        query.grouping,
        named(query.grouping, answered.flatMap(_.pane.parts).map(_.toAggregateExpression())),
        filtered(rows, near +: query.conditions)
      )

    /** A condition: the time is in one of the ranges. */
    def within(ranges: Seq[TimeRange], hasNull: Boolean): Expression = {
      def literal(micros: Long) =
        if (definition.timeType == DateType) Literal(Math.floorDiv(micros, BucketWidth.Day).toInt, DateType)
        else Literal(micros, definition.timeType)
      val conditions = ranges.map { r =>
        val bounds =
          Option.when(r.start != Long.MinValue)(GreaterThanOrEqual(time, literal(r.start)): Expression) ++
            Option.when(r.end != Long.MaxValue)(LessThan(time, literal(r.end)): Expression)
        bounds.reduceOption(And(_, _)).getOrElse(IsNotNull(time))
      } ++ Option.when(hasNull)(IsNull(time))
      conditions.reduce(Or(_, _))
    }

    def merged(parts: Seq[LogicalPlan]): Either[String, LogicalPlan] = {
      val all = if (parts.size == 1) parts.head else Union(parts)
      val (groups, columns) = all.output.splitAt(keys.size)
      val places = answered.scanLeft(0)(_ + _.columns.size)
      val answers = answered.zip(places).map { case (f, at) =>
        f.pane.answer(f.pane.merges.zipWithIndex.map { case (merge, i) =>
          merge(columns(at + i)).toAggregateExpression()
        })
      }
      def answer(e: Expression): Expression = {
        val call = query.functions.indexWhere(_.semanticEquals(e))
        val key = query.grouping.indexWhere(g => g.semanticEquals(e))
        if (call >= 0) answers(call) else if (key >= 0) groups(key) else e.mapChildren(answer)
      }
      val results = query.results.map(answer(_).asInstanceOf[NamedExpression])
      val unknown = results.flatMap(_.references).filterNot(all.outputSet.contains)
      unknown.headOption.map(a => s"it reads ${a.name}").toLeft(Aggregate(groups, results, all))
    }

    private def named(keys: Seq[Expression], parts: Seq[Expression]): Seq[NamedExpression] =
      keys.zipWithIndex.map { case (k, i) => Alias(k, s"key$i")() } ++ parts.zipWithIndex.map { case (p, i) =>
        Alias(p, s"part$i")()
      }

    private def filtered(rows: LogicalPlan, conditions: Seq[Expression]): LogicalPlan =
      conditions.reduceOption(And(_, _)).fold(rows)(Filter(_, rows))
  }
}

private[rewrite] object RollupAnswer {
  private val MostRemembered = 10000

  /** Whether versions of a table with an id only append rows. Versions don't change. */
  private val appends = TrieMap.empty[(String, Long, Long), Boolean]

  private val Writes = Set("WRITE", "STREAMING UPDATE")

  private def onlyAppends(
      session: SparkSession,
      name: String,
      id: String,
      first: Long,
      last: Long
  ): Boolean = {
    if (appends.size > MostRemembered) appends.clear()
    appends.getOrElse(
      (id, first, last), {
        // Delta reads the commits one by one, the newest first
        val newest =
          DeltaRelation.onlyOneIn(session.table(name).queryExecution.analyzed).fold(last)(_.version)
        val commits = DeltaLog.commits(session, name, Some(Math.max(newest, last) - first + 1))
          .filter(c => c.version >= first && c.version <= last)
        // some are missing if the log was cleaned, and if a commit came in between
        val areAll = commits.length == last - first + 1
        val only = areAll && commits.forall(c =>
          if (Writes(c.operation)) c.mode.contains("Append") else DeltaLog.KeepsRows(c.operation)
        )
        if (areAll) appends.put((id, first, last), only)
        only
      }
    )
  }

  private def all[A, B](items: Seq[A])(f: A => Either[String, B]): Either[String, Seq[B]] =
    items.foldLeft[Either[String, Seq[B]]](Right(Nil))((found, item) =>
      found.flatMap(done => f(item).map(done :+ _))
    )
}
