package chronosketch.calibration

import scala.annotation.tailrec

/** How much does a workload take, when it may take so long to find out?
  *
  * Cost  a quarter of the time goes to warming up; the rest to repeats, of which the medians count, and to looking for errors
  *
  * Updates are timed without questions between them, questions by looks at the clock around each, less what a look takes. Where both
  * are one, whole runs are timed, and shared out among their elements.
  */
private object Measurement {
  private val Repeats = 5

  def of(workload: Workload, budgetNs: Long): Measured = {
    val end = System.nanoTime + budgetNs
    workload match {
      case stepped: Stepped => ofSteps(stepped, end, budgetNs)
      case whole: Whole => ofWhole(whole, end, budgetNs)
    }
  }

  private def ofSteps(work: Stepped, due: Long, budgetNs: Long): Measured = {
    work.fill()
    var bytes = work.bytes
    // what one slide takes, and one with its question, as the warm-up ends
    val warm = math.max(System.nanoTime, due - budgetNs + budgetNs / 4)
    var perUpdate, perBoth = 1.0
    @tailrec def warmUp(slides: Int): Unit = {
      val start = System.nanoTime
      update(work, slides)
      val middle = System.nanoTime
      ask(work, slides)
      val stop = System.nanoTime
      perUpdate = (middle - start).toDouble / slides
      perBoth = (stop - middle).toDouble / slides
      if (stop < warm)
        warmUp(math.max(1, math.min(2.0 * slides, (warm - stop) / (perUpdate + perBoth)).toInt))
    }
    warmUp(1)
    bytes = math.max(bytes, work.bytes)
    var error = work.error

    // where filling has taken the time, half of it again
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
      val asked = math.max(1.0, share / perBoth).toInt
      queries(i) = ask(work, asked)
      bytes = math.max(bytes, work.bytes)
      error = math.max(error, work.error)
      i += 1
    }
    while (i < 4 * Repeats && System.nanoTime + perBoth < end) {
      ask(work, 1)
      error = math.max(error, work.error)
      bytes = math.max(bytes, work.bytes)
      i += 1
    }
    Measured(CpuClock.median(updates), CpuClock.median(queries), bytes, error, repeats)
  }

  /** CPU time of so many slides. */
  private def update(work: Stepped, slides: Int): Long = {
    val start = CpuClock.now
    var i = 0
    while (i < slides) { work.slide(); i += 1 }
    math.max(0L, CpuClock.now - start - CpuClock.look)
  }

  /** CPU time of one answer, in the mean over so many slides with a question each. */
  private def ask(work: Stepped, slides: Int): Double = {
    var sum = 0L
    var i = 0
    while (i < slides) {
      work.slide()
      val start = CpuClock.now
      work.ask()
      sum += CpuClock.now - start - CpuClock.look
      i += 1
    }
    math.max(0.0, sum.toDouble / slides / work.asks)
  }

  private def ofWhole(work: Whole, end: Long, budgetNs: Long): Measured = {
    val times = Array.newBuilder[Double]
    var repeats = 0
    var last = 0L
    do work.run()
    while (System.nanoTime < end - budgetNs + budgetNs / 4)
    do {
      val began = System.nanoTime
      val start = CpuClock.now
      work.run()
      times += (CpuClock.now - start - CpuClock.look).toDouble / work.elements
      repeats += 1
      last = System.nanoTime - began
    } while (repeats < 101 && System.nanoTime + last < end)
    Measured(CpuClock.median(times.result()), 0.0, work.bytes, work.error, repeats)
  }
}
