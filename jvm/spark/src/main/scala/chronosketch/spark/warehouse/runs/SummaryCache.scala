package chronosketch.spark.warehouse.runs

import java.util.{LinkedHashMap => OrderedMap, Map => JavaMap}

import chronosketch.spark.warehouse.manifest.Line

/** Caches the summaries that this driver has read or written. They never become stale, because summary files never change.
  *
  * Cost  up to [[SummaryCache.MostBytes]]; the least recently used ones are evicted first
  */
private[warehouse] object SummaryCache {
  private val MostBytes = 256L << 20

  private val cache = new OrderedMap[String, Seq[GroupSummary]](64, 0.75f, true)
  private var bytes = 0L

  def get(line: Line): Option[Seq[GroupSummary]] = synchronized(name(line).flatMap(n => Option(cache.get(n))))

  def put(line: Line, groups: Seq[GroupSummary]): Unit = name(line).foreach(put(_, groups))

  /** The cache key of an entry's summary file. It has the file's name, because an entry may get other summaries. */
  private def name(line: Line): Option[String] = line.summary.map(file => s"${line.id}/${file.name}")

  private def put(name: String, groups: Seq[GroupSummary]): Unit = synchronized {
    bytes -= Option(cache.put(name, groups)).fold(0L)(size)
    bytes += size(groups)
    val oldest = cache.entrySet().iterator()
    while (bytes > MostBytes && oldest.hasNext) evict(oldest.next())(oldest.remove())
  }

  private def evict(entry: JavaMap.Entry[String, Seq[GroupSummary]])(remove: => Unit): Unit = {
    bytes -= size(entry.getValue)
    remove
  }

  private def size(groups: Seq[GroupSummary]): Long = Fitting.bytes(groups.iterator.map(_.sketch))
}
