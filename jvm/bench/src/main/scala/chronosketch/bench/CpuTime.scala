package chronosketch.bench

import java.lang.management.ManagementFactory

/** How long has this thread itself run? Where others use the machine too, a clock tells of them. */
object CpuTime {
  private val threads = ManagementFactory.getThreadMXBean

  def nanoseconds: Long = threads.getCurrentThreadCpuTime
}
