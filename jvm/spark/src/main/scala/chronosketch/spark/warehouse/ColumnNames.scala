package chronosketch.spark.warehouse

import java.util.Locale

import chronosketch.Refusal
import chronosketch.spark.warehouse.answers.AnswerColumns
import chronosketch.spark.warehouse.registered.SummaryIndex
import chronosketch.spark.warehouse.runs.SummaryFiles

/** Checks the names of a warehouse's columns: views and answers have other columns, whose names are reserved. */
private[warehouse] object ColumnNames {
  private val reserved =
    (AnswerColumns.Names ++ (SummaryFiles.Columns ++ SummaryIndex.Columns).map(_.name)).toSet

  def require(value: String, by: Seq[String]): Unit = {
    def refuse(column: String, reason: String): Nothing =
      throw Refusal("CHRONOSKETCH_WAREHOUSE_COLUMN", "column" -> column, "reason" -> reason)
    val all = (by :+ value).map(_.toLowerCase(Locale.ROOT))
    (by :+ value).find(_.isEmpty).foreach(refuse(_, "it has no name"))
    all.diff(all.distinct).headOption.foreach(refuse(_, "it is named twice"))
    by.find(name => reserved(name.toLowerCase(Locale.ROOT)))
      .foreach(refuse(
        _,
        "answers or views have a column of that name. Give it another name: SELECT ... AS ..."
      ))
  }
}
