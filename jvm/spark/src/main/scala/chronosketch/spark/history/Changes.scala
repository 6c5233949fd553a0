package chronosketch.spark.history

import java.nio.ByteBuffer
import java.util.Arrays

import chronosketch.{Cancellation, Refusal}
import chronosketch.domain.Domain
import chronosketch.history.HistoryBuilder
import chronosketch.sort.PairSort
import chronosketch.spark.sql.EventTime

/** Receives the changes that rows make to a history. */
private[history] trait ChangeSink {

  /** Inserts `change` copies of a key at a version, or deletes them if negative. */
  def insert(version: Long, key: Long, change: Long): Unit

  /** Inserts or deletes them at a version that the versions of later rows may precede. */
  def insertLater(version: Long, key: Long, change: Long): Unit
}

/** Decides in which versions a row is: from its version, inclusive, to its end, exclusive.
  *
  * @param latest   the last version that an answer needs; later changes are ignored
  * @param versions the type of the versions, for messages
  */
private[history] final class RowLifetime(latest: Long, versions: Domain) {

  /** Adds a row that does not end. */
  def add(version: Long, key: Long, change: Long, changes: ChangeSink): Unit =
    if (version <= latest) changes.insert(version, key, change)

  /** Adds a row that ends. Refuses a row that ends before it starts. */
  def add(version: Long, end: Long, key: Long, change: Long, changes: ChangeSink): Unit =
    if (version <= latest) {
      if (end < version) refuse(version, end)
      if (end > version) {
        changes.insert(version, key, change)
        if (end <= latest) changes.insertLater(end, key, negated(change))
      }
    }

  private def refuse(version: Long, end: Long): Nothing = throw Refusal(
    "CHRONOSKETCH_ENDS_BEFORE_START",
    "from" -> EventTime.text(version, versions),
    "until" -> EventTime.text(end, versions)
  )

  private def negated(change: Long): Long =
    if (change != Long.MinValue) -change
    else throw Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)
}

/** Collects the changes of a group in any order, and gives them to a builder in order of version.
  *
  * Guarantee  a builder gets each change once
  * Cost       24 bytes per change; twice that during the sort
  * Merge      concatenation
  */
final class Changes extends ChangeSink {
  private var versions, keys, changes = Array.emptyLongArray
  private var n = 0

  def isEmpty: Boolean = n == 0

  def insert(version: Long, key: Long, change: Long): Unit = {
    if (n == versions.length) reserve(n + 1)
    versions(n) = version
    keys(n) = key
    changes(n) = change
    n += 1
  }

  def insertLater(version: Long, key: Long, change: Long): Unit = insert(version, key, change)

  def addAll(that: Changes): Unit = {
    reserve(n.toLong + that.n)
    System.arraycopy(that.versions, 0, versions, n, that.n)
    System.arraycopy(that.keys, 0, keys, n, that.n)
    System.arraycopy(that.changes, 0, changes, n, that.n)
    n += that.n
  }

  private def reserve(needed: Long): Unit = {
    if (needed > Changes.Most) {
      throw Refusal("CHRONOSKETCH_TOO_MANY_CHANGES", "limit" -> Changes.Most.toString)
    }
    if (needed > versions.length) {
      val room = math.min(Changes.Most.toLong, math.max(needed, math.max(16L, 2L * versions.length))).toInt
      versions = Arrays.copyOf(versions, room)
      keys = Arrays.copyOf(keys, room)
      changes = Arrays.copyOf(changes, room)
    }
  }

  /** Sorts the changes by version and inserts them into a builder. More can be added afterwards. */
  def feed(builder: HistoryBuilder, cancellation: Cancellation = Cancellation.Never): Unit = {
    sort(cancellation)
    var i = 0
    while (i < n) {
      cancellation.checkAt(i)
      builder.update(versions(i), keys(i), changes(i))
      i += 1
    }
  }

  private def sort(cancellation: Cancellation): Unit = {
    val order = Array.range(0, n)
    new PairSort().sort(versions, order, 0, n, cancellation)
    keys = inOrder(keys, order)
    changes = inOrder(changes, order)
  }

  private def inOrder(values: Array[Long], order: Array[Int]): Array[Long] = {
    val sorted = new Array[Long](values.length)
    var i = 0
    while (i < n) { sorted(i) = values(order(i)); i += 1 }
    sorted
  }

  def toBytes: Array[Byte] = {
    val bytes = new Array[Byte](Changes.BytesOfOne * n)
    val longs = ByteBuffer.wrap(bytes).asLongBuffer
    longs.put(versions, 0, n).put(keys, 0, n).put(changes, 0, n)
    bytes
  }
}

object Changes {
  private val BytesOfOne = 3 * java.lang.Long.BYTES

  /** The maximal number of changes, whose bytes must fit one array. */
  private[history] val Most: Int = (Int.MaxValue - 16) / BytesOfOne

  /** Decodes what [[Changes.toBytes]] encoded. */
  def ofBytes(bytes: Array[Byte]): Changes = {
    val read = new Changes
    read.n = bytes.length / BytesOfOne
    read.versions = new Array[Long](read.n)
    read.keys = new Array[Long](read.n)
    read.changes = new Array[Long](read.n)
    ByteBuffer.wrap(bytes).asLongBuffer.get(read.versions).get(read.keys).get(read.changes)
    read
  }
}
