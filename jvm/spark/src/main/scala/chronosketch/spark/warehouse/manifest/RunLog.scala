package chronosketch.spark.warehouse.manifest

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** A file a version, in a folder: written whole and once, or not at all.
  *
  * Guarantee  of several who commit one version one wins; a reader sees a whole file or none
  * Cost       a list of the folder and a file, to read or to write
  */
private[spark] final class RunLog(folder: Path, conf: Configuration) extends RunStore {
  private val files = WholeFiles.in(folder, conf)

  private def newest: Option[Long] = files.names.flatMap(RunLog.version).maxOption

  def current(): Option[State] = newest.map { version =>
    // another may have forgotten this version since: then there is a newer one
    state(version).orElse(current()).get
  }

  private def state(version: Long): Option[State] = files.read(RunLog.name(version)).map { bytes =>
    val read = StateText.read(RunLog.name(version), bytes)
    // a file under another name would be the newest one for ever: nothing could be committed after it
    if (read.version != version)
      throw Damaged(s"${RunLog.name(version)} says that it is version ${read.version}")
    read
  }

  // a version that was forgotten has no file, and is no less taken
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
