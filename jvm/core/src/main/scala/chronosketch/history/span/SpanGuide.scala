package chronosketch.history.span

import chronosketch.memory.Meter

/** What a quantile of a span reads beside what is stored: made of that when one is asked for, as most spans that are read never are.
  */
private[history] final class SpanGuide(tracks: Tracks, parts: CellParts, cells: Int) {
  val counters: TrackGuide = new TrackGuide(tracks)

  private val maxima: Array[PartMaxima] = {
    val all = new Array[PartMaxima](cells)
    var g = 0
    while (g < cells) {
      val size = parts.until(g) - parts.from(g)
      if (size > SpanGuide.Few) all(g) = new PartMaxima(counters, cells + parts.from(g), size)
      g += 1
    }
    all
  }

  /** The parts of a cell if it has many, else null. */
  def maximaOf(cell: Int): PartMaxima = maxima(cell)

  def sizeBytes: Long =
    counters.sizeBytes + Meter.references(cells) + maxima.filter(_ != null).map(_.sizeBytes).sum
}

private object SpanGuide {

  /** So many parts are read one by one as soon. */
  private val Few = 16
}
