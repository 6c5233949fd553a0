package chronosketch.spark.hopping

import org.apache.spark.sql.Row

/** Queries of hopping windows for our function and for Spark's GROUP BY, and their answers in a form that can be compared. */
trait HoppingQueries {

  /** Rows as text, so that sketches are compared by their bytes and NULL equals NULL. */
  def texts(rows: Iterable[Row]): Seq[String] = rows.map { r =>
    r.toSeq.map {
      case bytes: Array[Byte] => bytes.mkString(" ")
      case other => String.valueOf(other)
    }.mkString(" | ")
  }.toSeq.sorted

  def array(of: Seq[String]): String =
    of.map(t => s"'${t.replace("'", "\\'")}'").mkString("array(", ", ", ")")

  def hopping(
      table: String,
      size: String,
      slide: String,
      by: Seq[String],
      aggs: Seq[String]
  ): String =
    s"SELECT * FROM hopping_sketch(TABLE($table), event_time => 'ts', size => '$size', slide => '$slide', by => ${array(by)}, aggs => ${array(aggs)})"

  def sparks(table: String, size: String, slide: String, by: Seq[String], aggs: Seq[String]): String =
    s"SELECT ${(by :+ "window" :+ aggs.mkString(", ")).mkString(", ")} FROM $table GROUP BY ${(by :+ s"window(ts, '$size', '$slide')").mkString(", ")}"
}
