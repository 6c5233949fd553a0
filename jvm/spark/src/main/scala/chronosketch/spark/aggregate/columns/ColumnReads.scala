package chronosketch.spark.aggregate.columns

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.adaptive.TableCacheQueryStageExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.{ColumnarRule, FileSourceScanExec, ProjectExec, SparkPlan}

import chronosketch.spark.aggregate.operator.{KeyTuples, SketchAggregateExec}
import chronosketch.spark.aggregate.{AggregateConf, SketchColumn, TimedValues, Values}

/** Lets a partial aggregation read the columns of the scan below it, where it wants nothing but whole columns of it.
  *
  * A filter, a join or an expression between them brings rows, and so does a scan that another plug-in has replaced: its columns may
  * not lie in this JVM.
  */
object ColumnReads extends ColumnarRule {
  override def preColumnarTransitions: Rule[SparkPlan] = plan =>
    if (!AggregateConf.readsColumns) plan
    else
      plan.transformUp {
        case rows: SketchAggregateExec if !rows.isFinal && rows.functions.isEmpty =>
          byColumns(rows).getOrElse(rows)
      }

  private def byColumns(rows: SketchAggregateExec): Option[ColumnAggregateExec] = {
    val (scan, grouping, columns) = overScan(rows)
    Option.when(isScan(scan) && scan.supportsColumnar && places(grouping, columns, scan.output).nonEmpty)(
      ColumnAggregateExec(grouping, columns, rows.asked, rows.produced, scan)
    )
  }

  /** What is below columns that only got other names or places. */
  private def overScan(rows: SketchAggregateExec): (SparkPlan, Seq[NamedExpression], Seq[SketchColumn]) =
    rows.child match {
      case ProjectExec(list, child) if list.forall(nameless(_).isInstanceOf[Attribute]) =>
        val below = list.map(named => named.exprId -> nameless(named)).toMap
        def under(e: Expression): Expression = e.transform {
          case a: Attribute => below.getOrElse(a.exprId, a)
        }
        // a key keeps the name that others know it by
        val grouping = rows.grouping.map {
          case a: Attribute => Alias(under(a), a.name)(exprId = a.exprId, qualifier = a.qualifier)
          case key => under(key).asInstanceOf[NamedExpression]
        }
        (child, grouping, rows.columns.map(under(_).asInstanceOf[SketchColumn]))
      case child => (child, rows.grouping, rows.columns)
    }

  private def nameless(e: Expression): Expression = e match {
    case a: Alias => a.child
    case other => other
  }

  private def isScan(plan: SparkPlan): Boolean = plan match {
    case _: FileSourceScanExec | _: BatchScanExec | _: InMemoryTableScanExec | _: TableCacheQueryStageExec =>
      true
    case _ => false
  }

  /** Where the columns are in a batch; none where something else than whole columns is wanted. */
  private[columns] def places(
      grouping: Seq[NamedExpression],
      columns: Seq[SketchColumn],
      output: Seq[Attribute]
  ): Option[ColumnPlaces] = {
    def place(e: Expression): Option[Int] = nameless(e) match {
      case a: Attribute => Some(output.indexWhere(_.exprId == a.exprId)).filter(_ >= 0)
      case _ => None
    }
    val groups = grouping.map(key => place(key).zip(ColumnKeys.ofGroups(key.dataType)))
    def read(e: Expression): Option[(Int, ColumnKeys)] = place(e).zip(ColumnKeys.of(e.dataType))
    val values = columns.map { column =>
      column.collected match {
        case _ if column.copies.nonEmpty || column.filter.nonEmpty => None
        case _: Values => read(column.input).map(ColumnPlace(_, None))
        case _: TimedValues if column.conditions.isEmpty && column.id.isEmpty =>
          read(column.input).zip(column.beside.flatMap(read)).map { case (value, time) =>
            ColumnPlace(value, Some(time))
          }
        case _ => None
      }
    }
    val areNumbered = grouping.isEmpty || KeyTuples.fit(grouping.map(_.dataType))
    Option.when(areNumbered && (groups ++ values).forall(_.nonEmpty))(
      ColumnPlaces(groups.flatten, values.flatten)
    )
  }
}
