package chronosketch.spark.aggregate

import scala.collection.mutable.ArrayBuffer

import chronosketch.grouped.{NumberedPart, PartList}
import chronosketch.summary.{Envelope, Summary}

/** Holds what Spark's own operators aggregate for a group: a summary of rows, and encoded summaries that are stored in rows or come from
  * other tasks. These are merged when an answer is needed, in an order that depends on their bytes alone.
  *
  * Memory  up to [[PartsBuffer.MostKeptBytes]] besides the summary; Spark's operators count neither. Beyond that, the summaries that
  *         have come are merged before all have
  */
final class PartsBuffer(union: (Summary, Summary) => Summary) {

  // the summary of rows, or of everything; null before the first
  private var current: Summary = null

  // null before the first part
  private var parts: ArrayBuffer[Array[Byte]] = null
  private var partBytes = 0L

  // whether something was added that does not come from another task
  private var hasInput = false

  def isEmpty: Boolean = current == null && parts == null

  /** The summary of everything; null before the first row or part. */
  def summary: Summary = {
    if (parts != null) merge()
    current
  }

  /** Sets the summary into which rows are inserted. */
  def start(summary: Summary): Unit = {
    current = summary
    hasInput = true
  }

  /** Adds the bytes of a row. Refuses other bytes than those of a sketch, now or when they are merged. */
  def addStored(bytes: Array[Byte]): Unit = {
    PartList.requireStored(bytes)
    hasInput = true
    addPart(bytes)
  }

  private def addPart(bytes: Array[Byte]): Unit = {
    if (parts == null) parts = new ArrayBuffer(4)
    parts += bytes
    partBytes += bytes.length
    if (partBytes > PartsBuffer.MostKeptBytes) merge()
  }

  /** Adds everything that another buffer has. */
  def addAll(that: PartsBuffer): Unit = {
    if (that.current != null) addPart(Envelope.seal(that.current))
    if (that.parts != null) that.parts.foreach(addPart)
  }

  private def merge(): Unit = {
    val opened = sortedParts.iterator.map(NumberedPart.open)
    current = if (current == null) opened.reduceLeft(union) else opened.foldLeft(current)(union)
    parts = null
    partBytes = 0L
  }

  private def sortedParts: Array[Array[Byte]] = {
    val sorted = parts.toArray
    PartList.sort(sorted)
    sorted
  }

  /** The bytes of everything, which [[addBytes]] takes; empty if there is nothing.
    *
    * @param mayList whether a few parts of other tasks may be encoded as they are, so that they are merged only when all have come.
    *                Otherwise the bytes are those of one summary
    * @param asPart  what becomes of the bytes of one summary
    */
  def bytes(mayList: Boolean, asPart: Array[Byte] => Array[Byte] = identity): Array[Byte] = {
    val isList =
      mayList && !hasInput && current == null && parts != null && parts.length <= PartsBuffer.MostListed
    if (isEmpty) Array.emptyByteArray
    else if (isList) PartList.pack(sortedParts, 0, parts.length)
    else asPart(Envelope.seal(summary))
  }

  def addBytes(bytes: Array[Byte]): Unit =
    if (PartList.isList(bytes)) PartList.unpack(bytes).foreach(addPart)
    else if (bytes.nonEmpty) addPart(bytes)
}

object PartsBuffer {

  /** The most bytes of kept parts of a group. Spark's operators hold up to 128 groups, and count only their number. */
  private val MostKeptBytes = 1 << 20

  /** The most parts that are passed on unmerged: more would make the rows of a shuffle much larger. */
  private val MostListed = 16
}
