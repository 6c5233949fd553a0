package chronosketch.spark.memory

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.internal.SQLConf

/** Refuses requests for memory that a test chooses, as if Spark had refused them, so that tests reach every place that handles a refusal.
  *
  * The value `7` refuses the seventh request of every operator in every task, and `7+` also all later ones. Without a value nothing is
  * refused.
  */
private[memory] final class TestRefusals {
  private val chosen = SQLConf.get.getConfString(TestRefusals.Setting, "")
  private val first = if (chosen.isEmpty) 0 else chosen.stripSuffix("+").toInt
  private val last = if (chosen.endsWith("+")) Int.MaxValue else first
  private var requests = 0

  /** Counts a request. Returns whether it is to be refused. */
  def refuses(): Boolean = chosen.nonEmpty && {
    requests += 1
    TestRefusals.most.accumulateAndGet(requests, math.max(_, _))
    first <= requests && requests <= last
  }
}

private[spark] object TestRefusals {
  val Setting = "spark.chronosketch.test.refuseMemory"

  private val most = new AtomicInteger

  /** The most requests of one operator in a task since the last call, while the setting had a value. */
  def takeMost(): Int = most.getAndSet(0)
}
