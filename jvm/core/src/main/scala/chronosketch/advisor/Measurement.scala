package chronosketch.advisor

import java.lang.management.ManagementFactory

import scala.annotation.tailrec

/** Measures the time, memory and error of a workload within a time budget.
  *
  * Cost  a quarter of the budget is for warming up; the rest for repeats, whose medians count, and for checking errors
  *
  * Updates are timed without queries between them. Each query is timed by two readings of the clock, minus the time of a reading. If
  * updates and queries cannot be separated, whole runs are timed, and their time is divided by the number of elements.
  */
private object Measurement {
  private val Repeats = 5

  def measure(workload: CellWorkload, budgetNs: Long): CellResult = {
    val end = System.nanoTime + budgetNs
    workload match {
      case stepped: SteppedWorkload => measureSteps(stepped, end, budgetNs)
      case whole: BatchedWorkload => measureBatches(whole, end, budgetNs)
    }
  }

  private def measureSteps(work: SteppedWorkload, due: Long, budgetNs: Long): CellResult = {
    work.fill()
    var bytes = work.bytes
    // time of one slide, and of one slide with its query, at the end of the warm-up
    val warm = math.max(System.nanoTime, due - budgetNs + budgetNs / 4)
    var perUpdate, perBoth = 1.0
    @tailrec def warmUp(slides: Int): Unit = {
      val start = System.nanoTime
      update(work, slides)
      val middle = System.nanoTime
      query(work, slides)
      val stop = System.nanoTime
      perUpdate = (middle - start).toDouble / slides
      perBoth = (stop - middle).toDouble / slides
      if (stop < warm)
        warmUp(math.max(1, math.min(2.0 * slides, (warm - stop) / (perUpdate + perBoth)).toInt))
    }
    warmUp(1)
    bytes = math.max(bytes, work.bytes)
    var error = work.error

    // if filling has taken up the budget, allow half of it again
    val end = math.max(due, System.nanoTime + budgetNs / 2)
    val left = (end - System.nanoTime) * 0.9
    val repeats = math.max(1, math.min(Repeats.toDouble, left / (perUpdate + perBoth))).toInt
    val updates, queries = new Array[Double](repeats)
    var i = 0
    while (i < repeats) {
      val share = math.max(0L, end - System.nanoTime) * 0.9 / (repeats - i) / 2
      val slides = math.max(1.0, share / perUpdate).toInt
      updates(i) = update(work, slides).toDouble / slides / work.elements
      bytes = math.max(bytes, work.bytes)
      val querySlides = math.max(1.0, share / perBoth).toInt
      queries(i) = query(work, querySlides)
      bytes = math.max(bytes, work.bytes)
      error = math.max(error, work.error)
      i += 1
    }
    while (i < 4 * Repeats && System.nanoTime + perBoth < end) {
      query(work, 1)
      error = math.max(error, work.error)
      bytes = math.max(bytes, work.bytes)
      i += 1
    }
    CellResult(CpuClock.median(updates), CpuClock.median(queries), bytes, error, repeats)
  }

  /** The CPU time of `slides` slides. */
  private def update(work: SteppedWorkload, slides: Int): Long = {
    val start = CpuClock.now
    var i = 0
    while (i < slides) { work.slide(); i += 1 }
    math.max(0L, CpuClock.now - start - CpuClock.readTime)
  }

  /** The mean CPU time of one answer, over `slides` slides with a query after each. */
  private def query(work: SteppedWorkload, slides: Int): Double = {
    var sum = 0L
    var i = 0
    while (i < slides) {
      work.slide()
      val start = CpuClock.now
      work.query()
      sum += CpuClock.now - start - CpuClock.readTime
      i += 1
    }
    math.max(0.0, sum.toDouble / slides / work.queriesPerCall)
  }

  private def measureBatches(work: BatchedWorkload, end: Long, budgetNs: Long): CellResult = {
    val times = Array.newBuilder[Double]
    var repeats = 0
    var last = 0L
    do work.run()
    while (System.nanoTime < end - budgetNs + budgetNs / 4)
    do {
      val began = System.nanoTime
      val start = CpuClock.now
      work.run()
      times += (CpuClock.now - start - CpuClock.readTime).toDouble / work.elements
      repeats += 1
      last = System.nanoTime - began
    } while (repeats < 101 && System.nanoTime + last < end)
    CellResult(CpuClock.median(times.result()), 0.0, work.bytes, work.error, repeats)
  }
}

/** The measurements of one cell.
  *
  * @param updateNs CPU time of adding one element and removing one
  * @param queryNs  CPU time of an answer; 0 if updates and answers cannot be separated, and `updateNs` contains both
  * @param bytes    the greatest memory observed
  * @param error    the greatest error observed
  */
final case class CellResult(updateNs: Double, queryNs: Double, bytes: Long, error: Double, repeats: Int)

/** The CPU time of the current thread, without that of other threads such as those of the JVM. */
private object CpuClock {
  private val threads = ManagementFactory.getThreadMXBean

  def now: Long = threads.getCurrentThreadCpuTime

  /** The time that one reading of the clock takes. */
  lazy val readTime: Long = median(Array.fill(2001) {
    val before = now
    (now - before).toDouble
  }).toLong

  def median(values: Array[Double]): Double = {
    val sorted = values.sorted
    if (sorted.isEmpty) 0.0 else (sorted((sorted.length - 1) / 2) + sorted(sorted.length / 2)) / 2
  }
}
