package chronosketch.spark.warehouse.manifest

import java.lang.ref.SoftReference
import java.nio.charset.StandardCharsets.UTF_8
import java.util.ConcurrentModificationException

import scala.collection.concurrent.TrieMap

import chronosketch.Refusal
import chronosketch.spark.sql.Conditions

/** A row a version, in a table with transactions.
  *
  * Guarantee  of several who commit one version one wins; a reader sees the newest state that was committed before it asked, or a newer one
  * Cost       of the newest state one look whether the table has changed, and if it has a small query; of a commit both, and a transaction
  *
  * The table decides who wins, and does not say who did. So what stands under the version is read back.
  */
private[spark] final class RunTable private[manifest] (rows: VersionRows) extends RunStore {
  import RunTable._

  def current(): Option[State] = rows.mark.map { mark =>
    seen(rows.place) match {
      case Some(known) if known.mark == mark => known.state
      case known => remember(mark, newest(known))
    }
  }

  /** What was seen before says from where to look. Where the table has become another with fewer rows, it says nothing. */
  private def newest(known: Option[Seen]): State = {
    val later = known.map(last => rows.from(last.state.version)).filter(_.nonEmpty)
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
      known(next.version)(stands(next, row, isLost))
    }

  private def stands(next: State, row: VersionRow, isLost: Boolean): Boolean = {
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

  /** Who is refused deletes its files. So this is no refusal: what was added may stand. */
  private def known[A](version: Long)(body: => A): A =
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

  /** The state that was the newest while the table had a mark. */
  private final case class Seen(mark: String, state: State)

  private val last = TrieMap.empty[String, SoftReference[Seen]]

  private def seen(place: String): Option[Seen] = last.get(place).flatMap(of => Option(of.get))
}
