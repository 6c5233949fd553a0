package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import chronosketch.spark.warehouse.manifest.{Definition, Line}

/** Reads the rows of manifest entries that are about to be merged. */
private[warehouse] final class LineRows(session: SparkSession, folders: RunFolders) {
  def of(lines: Seq[Line], definition: Definition): DataFrame = {
    val schema = definition.schema(definition.types.get)
    val files = lines.flatMap(line => line.files.zip(folders.rowsOf(line)))
    files.foreach { case (file, path) => folders.require(path, file) }
    if (files.isEmpty) session.createDataFrame(java.util.Collections.emptyList[Row](), schema)
    else session.read.schema(schema).parquet(files.map(_._2.toString): _*)
  }
}
