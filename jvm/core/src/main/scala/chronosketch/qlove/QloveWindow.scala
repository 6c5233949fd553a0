package chronosketch.qlove

import scala.collection.mutable.ArrayDeque

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.summary.Estimate

/** What does a window of the last panes answer, as it slides from pane to pane?
  *
  * Guarantee  the answers of the [[QloveSketch]] that the panes would be merged to; where panes of several types came, in the widest of them
  * Cost       a slide with its answers, where panes are alike: O(φs), and for each φ that few-k answers some 4·need/m values and a
  *            search of O(need/256), need = the rank of the φ-quantile from the top; 3 keys a pane and φ beside what it keeps
  * Units      times as `timeDomain` has them; elements, 2⁶⁰ at most
  * Source     Lim et al. 2019, §3.1, level 2: the new pane is added, the oldest taken away; departs: for few-k, too
  */
final class QloveWindow(initialDomain: Domain, initialTimeDomain: Domain, val query: Query)
    extends OfPanes
    with Answering {
  private var currentDomain = initialDomain
  private var currentTimeDomain = initialTimeDomain
  private val panes = new ArrayDeque[FinishedPane]
  private var total = 0L

  // of each φ
  private val sums = query.phis.map(_ => KeySum(initialDomain)).toArray
  private val merged =
    Array.tabulate(query.phis.size)(i =>
      new SlidingTails(() => panes.iterator.map(_.tails(i)).filter(_ != null).toArray)
    )
  private val without = TailRule.all.map(_ => new Array[Int](query.phis.size)).toArray
  private val enough = new Array[Int](query.phis.size)

  def domain: Domain = currentDomain
  def timeDomain: Domain = currentTimeDomain
  def count: Long = total
  def size: Int = panes.size

  /** The window with the panes of `newest`, which come after all that are there; the oldest ones leave where there are more than the
    * query's.
    */
  def push(newest: QloveSketch): Unit = {
    val wider = domain.widenOrRefuse(newest.domain, newest.family.ofValue(Nil))
    requireOneWindow(newest)
    require(
      size == 0 || newest.size == 0 || newest.first > panes.last.last,
      "panes come in the order of their times"
    )
    if (newest.count > QloveWindow.Most - total)
      throw Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> QloveWindow.Most.toString)
    currentDomain = wider
    currentTimeDomain = timeDomain.widenTimesOrRefuse(newest.timeDomain, newest.family.ofSecond(Nil))
    var i = 0
    while (i < newest.size) {
      if (size == query.panes) dropOldest()
      append(newest.pane(i))
      i += 1
    }
  }

  /** The window without its oldest pane. */
  def dropOldest(): Unit = {
    val pane = panes.removeHead()
    total -= pane.count
    var i = 0
    while (i < sums.length) {
      sums(i).remove(pane.quantiles(i))
      if (pane.tails(i) == null) without(pane.rule.id)(i) -= 1 else merged(i).remove(pane.tails(i))
      if (!query.isSparse(i, pane.count)) enough(i) -= 1
      i += 1
    }
  }

  private def append(pane: FinishedPane): Unit = {
    panes.append(pane)
    total += pane.count
    var i = 0
    while (i < sums.length) {
      sums(i).add(pane.quantiles(i))
      if (pane.tails(i) == null) without(pane.rule.id)(i) += 1 else merged(i).add(pane.tails(i))
      if (!query.isSparse(i, pane.count)) enough(i) += 1
      i += 1
    }
  }

  /** Its panes, merged: to be stored, or described. */
  def sketch: QloveSketch = new QloveSketch(currentDomain, currentTimeDomain, query, panes.toVector)

  protected def missing(i: Int, rule: TailRule): Int = without(rule.id)(i)
  protected def dense(i: Int): Int = enough(i)
  protected def tails(i: Int): WeightedKeys = merged(i)
  protected def mean(i: Int): Estimate = sums(i).mean(size, currentDomain)
}

private object QloveWindow {

  /** Four times the elements are within 63 bits, and so are twice their weights. */
  private val Most = 1L << 60
}
