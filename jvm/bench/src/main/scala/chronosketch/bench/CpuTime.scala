package chronosketch.bench

import java.lang.management.ManagementFactory

/** The CPU time of the current thread, which does not depend on other processes as the wall clock does. */
object CpuTime {
  private val threads = ManagementFactory.getThreadMXBean

  def nanoseconds: Long = threads.getCurrentThreadCpuTime
}
