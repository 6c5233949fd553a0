package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import chronosketch.spark.warehouse.manifest.{Definition, Line}

/** The rows of some lines of the manifest, to be put together. */
private[warehouse] final class LineRows(session: SparkSession, folders: RunFolders) {
  def of(lines: Seq[Line], definition: Definition): DataFrame = {
    val schema = definition.schema(definition.types.get)
    val files = lines.flatMap(line => line.files.zip(folders.rowsOf(line)))
    files.foreach { case (file, path) => folders.require(path, file) }
    if (files.isEmpty) session.createDataFrame(java.util.Collections.emptyList[Row](), schema)
    else session.read.schema(schema).parquet(files.map(_._2.toString): _*)
  }
}
