package chronosketch.spark.warehouse.manifest

import java.lang.ref.SoftReference
import java.nio.charset.StandardCharsets.UTF_8
import java.util.ConcurrentModificationException

import scala.collection.concurrent.TrieMap

import chronosketch.Refusal
import chronosketch.spark.sql.Conditions

/** A store with one row per version, in a table with transactions.
  *
  * Guarantee  of several concurrent commits of one version exactly one wins; a reader sees the newest state that was committed before its
  *            query, or a newer one
  * Cost       reading the newest state checks whether the table has changed, and if so runs a small query; a commit does both, and a
  *            transaction
  *
  * The table decides which writer wins, but does not reliably report it. So a commit reads back the row of its version.
  */
private[spark] final class RunTable private[manifest] (rows: VersionRows) extends RunStore {
  import RunTable._

  def current(): Option[State] = rows.mark.map { mark =>
    seen(rows.place) match {
      case Some(cached) if cached.mark == mark => cached.state
      case cached => remember(mark, newest(cached))
    }
  }

  /** Reads the newest state, looking from the version cached last. If nothing is found there, because the table was replaced by one with
    * fewer rows, looks from the greatest version of the table.
    */
  private def newest(cached: Option[Seen]): State = {
    val later = cached.map(last => rows.from(last.state.version)).filter(_.nonEmpty)
    val since = later.getOrElse(rows.from(rows.newest))
    val version = since.map(_.version).maxOption
    since.filter(row => version.contains(row.version)) match {
      case Seq(row) => state(row)
      case several => throw Damaged(s"its table has ${several.size} rows of its newest version")
    }
  }

  def commit(next: State): Boolean =
    current().fold(0L)(_.version + 1) == next.version && {
      val row = VersionRow(next.version, new String(StateText.write(next), UTF_8))
      val isLost =
        try { rows.add(next.definition.id, row); false }
        catch { case _: ConcurrentModificationException => true }
      reportingUnknown(next.version)(isCommitted(next, row, isLost))
    }

  /** Reads back the row of a version, and returns whether it is this one. */
  private def isCommitted(next: State, row: VersionRow, isLost: Boolean): Boolean = {
    val mark = rows.mark
    val since = rows.from(row.version)
    since.filter(_.version == row.version) match {
      case Seq(one) =>
        if (since.size == 1 && one == row) mark.foreach(remember(_, next))
        one == row
      case Nil if isLost => false
      case Nil if since.isEmpty =>
        throw Damaged(s"its table passes over version ${row.version}, as if it had had it already")
      case Nil => throw Damaged(s"version ${row.version} was forgotten before it was read back")
      case several => throw Damaged(s"its table has ${several.size} rows of version ${row.version}")
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
          "manifest" -> rows.place,
          "state" -> version.toString,
          "reason" -> refusal.parameters.getOrElse("reason", refusal.getMessage)
        )
        throw Conditions.runtimeError(unknown, Map.empty)
    }

  def kept(): Seq[State] =
    if (rows.mark.isEmpty) Nil else rows.from(0).sortBy(-_.version).map(state)

  def forget(before: Long): Unit = rows.deleteBefore(before)

  def description: String = rows.description

  private def state(row: VersionRow): State = {
    val read = StateText.read(s"version ${row.version}", row.text.getBytes(UTF_8))
    if (read.version != row.version)
      throw Damaged(s"version ${row.version} says that it is ${read.version}")
    read
  }

  private def remember(mark: String, state: State): State = {
    last.put(rows.place, new SoftReference(Seen(mark, state)))
    state
  }
}

private[manifest] object RunTable {

  /** The newest state at the time when the table had this mark. */
  private final case class Seen(mark: String, state: State)

  private val last = TrieMap.empty[String, SoftReference[Seen]]

  private def seen(place: String): Option[Seen] = last.get(place).flatMap(reference => Option(reference.get))
}
