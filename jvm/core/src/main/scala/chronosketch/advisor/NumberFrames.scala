package chronosketch.advisor

import chronosketch.sliding.histogram.{Bounds, NumberExpirationList, FrameNumber, FrameNumbers}

/** The workload of counts, sums or variances of frames, by a structure that inserts elements one by one. */
private final class NumberFrames(
    cell: Cell,
    latencies: Latencies,
    aggregate: FrameNumber,
    numbers: FrameNumbers
) extends Stepped {
  private val bounds = new Bounds
  private var until = 0L
  final val queriesPerCall = 16
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

  def query(): Unit = {
    var i = 0
    while (i < queriesPerCall) { numbers.answer(aggregate, bounds); i += 1 }
  }

  def bytes: Long = numbers.sizeBytes

  def error: Double = NumberFrames.error(bounds.value, aggregate, latencies, until - cell.retention, until)
}

private object NumberFrames {

  /** The relative error of an answer, compared with the aggregate of all elements of the frame. */
  def error(answer: Double, aggregate: FrameNumber, latencies: Latencies, from: Long, until: Long): Double = {
    val all = new NumberExpirationList
    var i = from
    while (i < until) { all.append(latencies.value(i)); i += 1 }
    val exact = new Bounds
    all.answer(aggregate, exact)
    if (answer == exact.value) 0.0
    else if (exact.value == 0) 1.0
    else math.abs(answer - exact.value) / math.abs(exact.value)
  }
}
