package chronosketch.spark.warehouse.manifest

import java.lang.ref.SoftReference
import java.nio.charset.StandardCharsets.UTF_8
import java.util.ConcurrentModificationException

import scala.collection.concurrent.TrieMap

import chronosketch.Refusal
import chronosketch.spark.sql.Conditions
import chronosketch.warehouse.DamagedWarehouse

/** A store with one row per version, in a table with transactions.
  *
  * Guarantee  of several concurrent commits of one version exactly one wins; a reader sees the newest state that was committed before its
  *            query, or a newer one
  * Cost       reading the newest state checks whether the table has changed, and if so runs a small query; a commit does both, and a
  *            transaction
  *
  * The table decides which writer wins, but does not reliably report it. So a commit reads back the row of its version.
  */
private[spark] final class TableStore private[manifest] (rows: VersionTable) extends ManifestStore {
  import TableStore._

  def current(): Option[State] = rows.mark.map { mark =>
    seen(rows.path) match {
      case Some(cached) if cached.mark == mark => cached.state
      case cached => remember(mark, readNewest(cached))
    }
  }

  /** Reads the newest state, looking from the version cached last. If nothing is found there, because the table was replaced by one with
    * fewer rows, looks from the greatest version of the table.
    */
  private def readNewest(cached: Option[Seen]): State = {
    val later = cached.map(last => rows.rowsFrom(last.state.version)).filter(_.nonEmpty)
    val since = later.getOrElse(rows.rowsFrom(rows.newestVersion))
    val version = since.map(_.version).maxOption
    since.filter(row => version.contains(row.version)) match {
      case Seq(row) => state(row)
      case several => throw DamagedWarehouse(s"its table has ${several.size} rows of its newest version")
    }
  }

  def commit(next: State): Boolean =
    current().fold(0L)(_.version + 1) == next.version && {
      val row = VersionRow(next.version, new String(StateCodec.encode(next), UTF_8))
      val isLost =
        try { rows.add(next.definition.id, row); false }
        catch { case _: ConcurrentModificationException => true }
      reportingUnknown(next.version)(isCommitted(next, row, isLost))
    }

  /** Reads back the row of a version, and returns whether it is this one. */
  private def isCommitted(next: State, row: VersionRow, isLost: Boolean): Boolean = {
    val mark = rows.mark
    val since = rows.rowsFrom(row.version)
    since.filter(_.version == row.version) match {
      case Seq(one) =>
        if (since.size == 1 && one == row) mark.foreach(remember(_, next))
        one == row
      case Nil if isLost => false
      case Nil if since.isEmpty =>
        throw DamagedWarehouse(s"its table passes over version ${row.version}, as if it had had it already")
      case Nil => throw DamagedWarehouse(s"version ${row.version} was forgotten before it was read back")
      case several => throw DamagedWarehouse(s"its table has ${several.size} rows of version ${row.version}")
    }
  }

  /** Turns a refusal into an error with another condition: after a refusal the caller deletes its files, but here the row may have been
    * committed.
    */
  private def reportingUnknown[A](version: Long)(body: => A): A =
    try body
    catch {
      case refusal: Refusal =>
        val unknown = Refusal(
          "CHRONOSKETCH_WAREHOUSE_COMMIT_UNKNOWN",
          "manifest" -> rows.path,
          "state" -> version.toString,
          "reason" -> refusal.parameters.getOrElse("reason", refusal.getMessage)
        )
        throw Conditions.runtimeError(unknown, Map.empty)
    }

  def storedStates(): Seq[State] =
    if (rows.mark.isEmpty) Nil else rows.rowsFrom(0).sortBy(-_.version).map(state)

  def deleteBefore(version: Long): Unit = rows.deleteBefore(version)

  def description: String = rows.description

  private def state(row: VersionRow): State = {
    val read = StateCodec.decode(s"version ${row.version}", row.text.getBytes(UTF_8))
    if (read.version != row.version)
      throw DamagedWarehouse(s"version ${row.version} says that it is ${read.version}")
    read
  }

  private def remember(mark: String, state: State): State = {
    last.put(rows.path, new SoftReference(Seen(mark, state)))
    state
  }
}

private[manifest] object TableStore {

  /** The newest state at the time when the table had this mark. */
  private final case class Seen(mark: String, state: State)

  private val last = TrieMap.empty[String, SoftReference[Seen]]

  private def seen(path: String): Option[Seen] = last.get(path).flatMap(reference => Option(reference.get))
}

/** A table with one row per version, to which several writers may add at the same time. */
private[manifest] trait VersionTable {

  /** A mark that differs after each change of the table and is cheap to read; empty if there is no table. */
  def mark: Option[String]

  /** The greatest version. */
  def newestVersion: Long

  /** The rows of a version and all later ones, from one snapshot that is at least as new as the last mark. */
  def rowsFrom(version: Long): Seq[VersionRow]

  /** Adds a row, unless one of the same version or a later one was already added with the same `appId`. A row that is not added may
    * be ignored silently, or fail with a java.util.ConcurrentModificationException.
    */
  def add(appId: String, row: VersionRow): Unit

  def deleteBefore(version: Long): Unit

  /** The path of the table. */
  def path: String
  def description: String
}

private[manifest] final case class VersionRow(version: Long, text: String)
