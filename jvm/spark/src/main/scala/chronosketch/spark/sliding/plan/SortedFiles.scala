package chronosketch.spark.sliding.plan

import org.apache.spark.sql.catalyst.expressions.{Alias, Ascending, Attribute, NamedExpression, SortOrder}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.datasources.FileScanRDD

/** The sorted files of a bucketed table, below a plan that keeps their rows in order.
  *
  * Spark looks at this order only if `spark.sql.legacy.bucketedTableScan.outputOrdering` is set, because it would have to list the files
  * while it plans. By the time a query runs, they have been listed anyway.
  *
  * @param columns the SORTED BY columns of the table, each with its names in the plan's output
  */
final case class SortedFiles(scan: FileSourceScanExec, columns: Seq[Seq[Attribute]]) {

  /** The order of the plan's rows, if each bucket is one file. */
  def ordering: Seq[SortOrder] = columns.map(names => SortOrder(names.head, Ascending, names.tail))

  /** Whether each bucket is one file: the files of a bucket are read one after the other. The plan must have been executed, because the
    * results of subqueries may select files.
    */
  def areOnePerBucket: Boolean = scan.inputRDD match {
    case files: FileScanRDD => files.filePartitions.forall(_.files.length <= 1)
    case _ => false
  }

  /** The table, as messages name it. */
  def table: String =
    scan.tableIdentifier.fold(scan.relation.location.rootPaths.mkString(", "))(_.unquotedString)

  private def projected(list: Seq[NamedExpression]): SortedFiles = {
    val renamed = columns.map(names =>
      list.collect {
        case name: Attribute if names.exists(_.semanticEquals(name)) => name
        case alias @ Alias(name: Attribute, _) if names.exists(_.semanticEquals(name)) => alias.toAttribute
      }
    )
    copy(columns = renamed.takeWhile(_.nonEmpty))
  }
}

object SortedFiles {

  /** The files that a plan reads, if it only drops rows and columns of a bucketed and sorted table. */
  def below(plan: SparkPlan): Option[SortedFiles] = plan match {
    case scan: FileSourceScanExec if scan.bucketedScan && scan.optionalNumCoalescedBuckets.isEmpty =>
      val names = scan.relation.bucketSpec.toSeq.flatMap(_.sortColumnNames)
      val columns = names.map(name => scan.output.filter(_.name == name))
      Some(SortedFiles(scan, columns.takeWhile(_.nonEmpty)))
    case ProjectExec(list, child) => below(child).map(_.projected(list))
    case _: FilterExec | _: ColumnarToRowExec | _: InputAdapter | _: WholeStageCodegenExec =>
      below(plan.children.head)
    case _ => None
  }
}
