package chronosketch.spark.history

import chronosketch.spark.Exact

/** The exact contents of each version, by replaying all changes. Histories are compared with them. */
final class VersionTruth(changes: Seq[VersionTruth.Change]) {
  private val netted: Seq[VersionTruth.Change] =
    changes.groupMapReduce(c => (c.version, c.key))(_.copies)(_ + _).toSeq
      .map { case ((version, key), copies) => VersionTruth.Change(version, key, copies) }
      .sortBy(_.version)

  val versions: Seq[Long] = netted.map(_.version).distinct
  def first: Long = versions.head
  def last: Long = versions.last

  /** The sorted values at a version. */
  def at(version: Long): IndexedSeq[Long] =
    netted.takeWhile(_.version <= version).foldLeft(Map.empty[Long, Long]) { (alive, change) =>
      alive.updated(change.key, math.max(0L, alive.getOrElse(change.key, 0L) + change.copies))
    }.toIndexedSeq.sorted.flatMap { case (key, copies) => Seq.fill(copies.toInt)(key) }

  def quantile(version: Long, phi: String): Option[Long] = {
    val alive = at(version)
    Option.when(alive.nonEmpty)(Exact.quantile(alive, phi))
  }
}

object VersionTruth {
  final case class Change(version: Long, key: Long, copies: Long)

  /** The changes that a row stands for. */
  def of(key: Long, from: Long, copies: Long, until: Option[Long]): Seq[Change] =
    if (until.contains(from)) Nil
    else Change(from, key, copies) +: until.map(Change(_, key, -copies)).toSeq
}
