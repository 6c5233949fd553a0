package chronosketch.calibration

import chronosketch.sliding.histogram.{Bounds, ExpirationList, FrameNumber, FrameNumbers}

/** Counts, sums or variances of frames, by a structure that takes in elements one by one. */
private final class NumberFrames(cell: Cell, latencies: Latencies, asked: FrameNumber, numbers: FrameNumbers)
    extends Stepped {
  private val bounds = new Bounds
  private var until = 0L
  final val asks = 16
  final val elements = cell.slide

  def fill(): Unit = {
    val end = until + cell.retention
    while (until < end) { numbers.append(latencies.value(until)); until += 1 }
  }

  def slide(): Unit = {
    var i = 0
    while (i < cell.slide) {
      numbers.expire(1L)
      numbers.append(latencies.value(until))
      until += 1
      i += 1
    }
  }

  def ask(): Unit = {
    var i = 0
    while (i < asks) { numbers.answer(asked, bounds); i += 1 }
  }

  def bytes: Long = numbers.sizeBytes

  def error: Double = NumberFrames.error(bounds.value, asked, latencies, until - cell.retention, until)
}

private object NumberFrames {

  /** By what share an answer is off the one that adds up all elements of the frame. */
  def error(answer: Double, asked: FrameNumber, latencies: Latencies, from: Long, until: Long): Double = {
    val all = new ExpirationList
    var i = from
    while (i < until) { all.append(latencies.value(i)); i += 1 }
    val exact = new Bounds
    all.answer(asked, exact)
    if (answer == exact.value) 0.0
    else if (exact.value == 0) 1.0
    else math.abs(answer - exact.value) / math.abs(exact.value)
  }
}
