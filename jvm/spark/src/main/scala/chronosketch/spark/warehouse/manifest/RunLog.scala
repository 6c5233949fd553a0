package chronosketch.spark.warehouse.manifest

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** A store with one file per version in a folder. A file is written completely and once, or not at all.
  *
  * Guarantee  of several concurrent commits of one version exactly one wins; a reader sees a complete file or none
  * Cost       one listing of the folder, and one file read or written
  */
private[spark] final class RunLog(folder: Path, conf: Configuration) extends RunStore {
  private val files = WholeFiles.in(folder, conf)

  private def newest: Option[Long] = files.names.flatMap(RunLog.version).maxOption

  def current(): Option[State] = newest.map { version =>
    // another writer may have deleted this version meanwhile; then there is a newer one
    state(version).orElse(current()).get
  }

  private def state(version: Long): Option[State] = files.read(RunLog.name(version)).map { bytes =>
    val read = StateText.read(RunLog.name(version), bytes)
    // a file that was renamed to a later version would stay the newest for ever and block all commits
    if (read.version != version)
      throw Damaged(s"${RunLog.name(version)} says that it is version ${read.version}")
    read
  }

  // compare with the newest version, because an older version is taken even if its file was deleted
  def commit(next: State): Boolean = newest.fold(0L)(_ + 1) == next.version &&
    files.put(RunLog.name(next.version), StateText.write(next))

  def kept(): Seq[State] = files.names.flatMap(RunLog.version).sorted.reverse.flatMap(state)

  def forget(before: Long): Unit =
    files.names.filter(name => RunLog.version(name).exists(_ < before)).foreach(files.delete)

  def description: String = files.description
}

private[spark] object RunLog {
  private val File = """(\d{20})\.json""".r

  private def name(version: Long): String = f"$version%020d.json"

  private def version(name: String): Option[Long] = name match {
    case File(digits) => Some(digits.toLong)
    case _ => None
  }
}
