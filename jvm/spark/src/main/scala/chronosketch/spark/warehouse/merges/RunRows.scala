package chronosketch.spark.warehouse.merges

import chronosketch.spark.warehouse.blocks.KeyBlock
import chronosketch.spark.warehouse.manifest.Run
import chronosketch.spark.warehouse.runs.KeyReader

/** Iterates over ranges of rows of a run in order, block by block. */
private[merges] final class RunRows(run: Run, ranges: Iterator[RowRange], reader: KeyReader)
    extends Iterator[KeyBlock] {
  private var range: RowRange = null
  private var at = 0L
  private var block: KeyBlock = null

  def hasNext: Boolean = {
    while (block == null && (range != null && at < range.until || ranges.hasNext)) read()
    block != null
  }

  def next(): KeyBlock = {
    hasNext
    val next = block
    block = null
    next
  }

  /** Reads the next rows, and makes a block of those whose keys are inside the range, if there are any. */
  private def read(): Unit = {
    if (range == null || at == range.until) {
      range = ranges.next()
      at = range.from
    }
    val until = math.min(range.until, at + RunRows.Rows)
    val keys = reader.read(run, at, until)
    at = until
    var from = 0
    while (from < keys.length && keys(from) < range.least) from += 1
    var end = keys.length
    while (end > from && keys(end - 1) > range.greatest) end -= 1
    if (end > from) {
      if (from > 0) System.arraycopy(keys, from, keys, 0, end - from)
      block = KeyBlock(range.by, keys, end - from)
    }
  }
}

private[merges] object RunRows {

  /** The number of rows that are read at once. */
  private val Rows: Int = 1 << 14
}
