package chronosketch.spark.aggregate.columns

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.adaptive.TableCacheQueryStageExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.{
  ColumnarRule,
  ColumnarToRowTransition,
  FileSourceScanExec,
  ProjectExec,
  RowToColumnarTransition,
  SparkPlan
}

import chronosketch.spark.aggregate.operator.SketchAggregateExec
import chronosketch.spark.aggregate.{AggregateConf, SketchColumn}
import chronosketch.spark.rows.KeyTuples

/** Lets a partial aggregation read the columns of the scan directly below it, if it needs only whole columns.
  *
  * If a filter, a join or an expression stands between them, rows are read instead. Rows are also read from a scan that another
  * plug-in has replaced: its columns may be outside this JVM. Those of Comet are known to be readable, and not only of its scans.
  */
object ColumnReads extends ColumnarRule {
  override def preColumnarTransitions: Rule[SparkPlan] =
    replaceOver { case scan if isScan(scan) && scan.supportsColumnar => scan }

  /** Runs after Spark has inserted the transitions that Comet's operators need below them. */
  override def postColumnarTransitions: Rule[SparkPlan] =
    replaceOver { case transition: ColumnarToRowTransition if isComets(transition.child) => transition.child }

  /** Replaces aggregations of rows.
    *
    * @param source returns the columnar operator to read, from the operator below an aggregation
    */
  private def replaceOver(source: PartialFunction[SparkPlan, SparkPlan]): Rule[SparkPlan] = plan =>
    if (!AggregateConf.readsColumns) plan
    else
      plan.transformUp {
        case rows: SketchAggregateExec if !rows.mergesParts && rows.functions.isEmpty =>
          byColumns(rows, source).getOrElse(rows)
      }

  private def byColumns(
      rows: SketchAggregateExec,
      source: PartialFunction[SparkPlan, SparkPlan]
  ): Option[ColumnAggregateExec] = {
    val (below, grouping, columns) = withoutRenames(rows)
    source.lift(below).filter(read => places(grouping, columns, read.output).nonEmpty)
      .map(ColumnAggregateExec(grouping, columns, rows.calls, rows.produced, _))
  }

  /** Skips a projection that only renames or reorders columns, and rewrites the expressions accordingly. */
  private def withoutRenames(rows: SketchAggregateExec)
      : (SparkPlan, Seq[NamedExpression], Seq[SketchColumn]) =
    rows.child match {
      case ProjectExec(list, child) if list.forall(withoutAlias(_).isInstanceOf[Attribute]) =>
        val below = list.map(named => named.exprId -> withoutAlias(named)).toMap
        def rewrite(e: Expression): Expression = e.transform {
          case a: Attribute => below.getOrElse(a.exprId, a)
        }
        // a key keeps the name and id by which operators above refer to it
        val grouping = rows.grouping.map {
          case a: Attribute => Alias(rewrite(a), a.name)(exprId = a.exprId, qualifier = a.qualifier)
          case key => rewrite(key).asInstanceOf[NamedExpression]
        }
        (child, grouping, rows.columns.map(rewrite(_).asInstanceOf[SketchColumn]))
      case child => (child, rows.grouping, rows.columns)
    }

  private def withoutAlias(e: Expression): Expression = e match {
    case a: Alias => a.child
    case other => other
  }

  private def isScan(plan: SparkPlan): Boolean = plan match {
    case _: FileSourceScanExec | _: BatchScanExec | _: InMemoryTableScanExec | _: TableCacheQueryStageExec =>
      true
    case _ => false
  }

  /** Whether an operator returns vectors of Comet, which wrap Arrow's memory as Spark's `ColumnVector`. Its operators are known by their
    * package, because we do not compile against it. One that makes columns of rows is left to Comet, which removes it.
    */
  private def isComets(plan: SparkPlan): Boolean = plan match {
    case _: RowToColumnarTransition => false
    case _ => plan.getClass.getName.startsWith("org.apache.spark.sql.comet.")
  }

  /** The positions of the columns in a batch; None if anything but whole columns is needed. */
  private[columns] def places(
      grouping: Seq[NamedExpression],
      columns: Seq[SketchColumn],
      output: Seq[Attribute]
  ): Option[ColumnPlaces] = {
    def place(e: Expression): Option[Int] = withoutAlias(e) match {
      case a: Attribute => Some(output.indexWhere(_.exprId == a.exprId)).filter(_ >= 0)
      case _ => None
    }
    val groups = grouping.map(key => place(key).zip(ColumnKeys.ofGroups(key.dataType)))
    def read(e: Expression): Option[(Int, ColumnKeys)] = place(e).zip(ColumnKeys.of(e.dataType))
    val values = columns.map { column =>
      if (!column.isPlain || column.filter.nonEmpty) None
      else
        column.second match {
          case None => read(column.input).map(ColumnPlace(_, None))
          case Some(second) =>
            for (value <- read(column.input); time <- read(second)) yield ColumnPlace(value, Some(time))
        }
    }
    val canNumber = grouping.isEmpty || KeyTuples.fit(grouping.map(_.dataType))
    Option.when(canNumber && (groups ++ values).forall(_.nonEmpty))(
      ColumnPlaces(groups.flatten, values.flatten)
    )
  }
}
