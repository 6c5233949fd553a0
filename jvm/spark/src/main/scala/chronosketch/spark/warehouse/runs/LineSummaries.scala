package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

import chronosketch.spark.sql.JobDescription
import chronosketch.spark.warehouse.manifest.Line

/** Reads the summaries of manifest entries, from this driver's cache if they are there. */
private[warehouse] final class LineSummaries(session: SparkSession, folders: RunFolders) {

  /** Returns the groups of each entry, by its id, in the order of their rows. `by` are the columns of groups. */
  def of(lines: Seq[Line], by: StructType): Map[String, Seq[GroupSummary]] = {
    val needed = lines.filter(_.rows > 0)
    val cached = needed.flatMap(line => SummaryCache.get(line).map(line.id -> _)).toMap
    val others = needed.filterNot(line => cached.contains(line.id))
    val read = JobDescription.during(s"${others.size} summaries") {
      SummaryFiles.read(session, folders, others, by)
    }
    others.foreach(line => SummaryCache.put(line, read(line.id)))
    cached ++ read
  }
}
