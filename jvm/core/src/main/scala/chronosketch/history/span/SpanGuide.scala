package chronosketch.history.span

import chronosketch.memory.Meter

/** Indexes of a span that make quantiles fast. They are built when a quantile is asked for: most spans that are decoded are never asked. */
private[history] final class SpanGuide(tracks: Tracks, parts: CellParts, cells: Int) {
  val counters: TrackGuide = new TrackGuide(tracks)

  private val maxima: Array[PartMaxima] = {
    val all = new Array[PartMaxima](cells)
    var g = 0
    while (g < cells) {
      val size = parts.until(g) - parts.from(g)
      if (size > SpanGuide.MaxScanned) all(g) = new PartMaxima(counters, cells + parts.from(g), size)
      g += 1
    }
    all
  }

  /** The maxima of a cell's parts if it has many parts; else null. */
  def maximaOf(cell: Int): PartMaxima = maxima(cell)

  def sizeBytes: Long =
    counters.sizeBytes + Meter.references(cells) + maxima.filter(_ != null).map(_.sizeBytes).sum
}

private object SpanGuide {

  /** Up to this many parts are read one by one as fast. */
  private val MaxScanned = 16
}
