package chronosketch.spark.following

import org.apache.spark.sql.{Row, SparkSession}

/** A snapshot of an Iceberg table: its id, its parent's id, its commit time, its operation and summary. `hasDeletes` is true if the table
  * has delete files.
  */
private[spark] final case class Link(
    id: Long,
    parent: Option[Long],
    micros: Long,
    operation: String = "append",
    hasDeletes: Boolean = false,
    summary: Map[String, String] = Map.empty
) {

  /** Whether the snapshot only compacts files. */
  def compacts: Boolean = operation == "replace"
}

/** The snapshots of an Iceberg table's main branch that still exist, the oldest first. */
private[spark] final case class SnapshotChain(links: Seq[Link]) {

  /** Whether the chain continues from a version, as far as its remaining snapshots show. */
  def continues(last: LastVersion): Boolean = links.headOption.exists { oldest =>
    (oldest.parent ++ links.map(_.id)).exists(_.toString == last.identity) ||
    // a version older than the whole chain: the snapshots between them have expired
    (oldest.parent.nonEmpty && oldest.micros > last.micros)
  }

  /** The version number of the oldest snapshot, if the chain continues from a version. */
  def oldestNumber(last: LastVersion): Long =
    links.indexWhere(_.id.toString == last.identity) match {
      // if its parent is the last version, it is the next one; otherwise at least one between them has expired
      case -1 => last.version + (if (links.head.parent.exists(_.toString == last.identity)) 1 else 2)
      case place => last.version - place
    }
}

private[spark] object SnapshotChain {

  // The metadata tables `refs` and `snapshots` are read one after the other. If the newest snapshot is missing from the second, read both
  // again, this many times in all.
  private val Attempts = 3

  def read(session: SparkSession, table: String): SnapshotChain =
    Iterator.range(0, Attempts).flatMap(_ => attempt(session, table)).nextOption().getOrElse(
      throw ReadErrors.refusal(
        ReadErrors.LogGone,
        table,
        "snapshots expired while they were read.",
        "Try again."
      )
    )

  private def attempt(session: SparkSession, table: String): Option[SnapshotChain] =
    session.sql(s"SELECT snapshot_id FROM $table.refs WHERE name = 'main'").collect().headOption match {
      case None => Some(SnapshotChain(Nil))
      case Some(newest) =>
        val snapshots = session.sql(
          "SELECT snapshot_id, parent_id, unix_micros(committed_at), coalesce(operation, ''), " +
            "coalesce(CAST(summary['total-delete-files'] AS BIGINT), 0) > 0, summary " +
            s"FROM $table.snapshots"
        )
        val links = snapshots.collect().map(link).map(l => l.id -> l).toMap
        links.get(newest.getLong(0)).map(upTo(_, links))
    }

  private def link(row: Row): Link = Link(
    row.getLong(0),
    Option.when(!row.isNullAt(1))(row.getLong(1)),
    row.getLong(2),
    row.getString(3),
    row.getBoolean(4),
    Option(row.getMap[String, String](5)).fold(Map.empty[String, String])(_.toMap)
  )

  /** The chain of links that leads to the newest one. */
  def upTo(newest: Link, links: Map[Long, Link]): SnapshotChain = SnapshotChain(
    Iterator.iterate(Option(newest))(_.flatMap(_.parent).flatMap(links.get)).takeWhile(_.nonEmpty).flatten
      .toSeq.reverse
  )
}
