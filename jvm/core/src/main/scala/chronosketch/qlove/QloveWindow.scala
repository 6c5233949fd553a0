package chronosketch.qlove

import scala.collection.mutable.ArrayDeque

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.summary.Estimate

/** A window of the last panes that slides from pane to pane and updates its answers incrementally.
  *
  * Guarantee  the same answers as the [[QloveSketch]] of the merged panes; if panes of several types were added, in the widest type
  * Cost       if panes are alike, a slide with its answers takes O(φs), and for each φ that few-k answers about 4·need/m values and a
  *            search of O(need/256), where need is the rank of the φ-quantile from the top; 3 keys per pane and φ, and the kept values
  * Units      times are keys of `timeDomain`; at most 2⁶⁰ elements
  * Source     Lim et al. 2019, §3.1, level 2: the new pane is added and the oldest subtracted; here for few-k, too
  */
final class QloveWindow(initialDomain: Domain, initialTimeDomain: Domain, val query: Query)
    extends SamePaneQuery
    with WindowAnswers {
  private var currentDomain = initialDomain
  private var currentTimeDomain = initialTimeDomain
  private val panes = new ArrayDeque[FinishedPane]
  private var total = 0L

  // for each φ
  private val sums = query.phis.map(_ => KeySum(initialDomain)).toArray
  private val merged =
    Array.tabulate(query.phis.size)(i =>
      new SlidingTails(() => panes.iterator.map(_.tails(i)).filter(_ != null).toArray)
    )
  private val missingTails = TailRule.all.map(_ => new Array[Int](query.phis.size)).toArray
  private val densePanes = new Array[Int](query.phis.size)

  def domain: Domain = currentDomain
  def timeDomain: Domain = currentTimeDomain
  def count: Long = total
  def size: Int = panes.size

  /** Adds the panes of `newest`, which must be later than all panes of the window. If there are more panes than the query says, the oldest
    * are dropped.
    */
  def push(newest: QloveSketch): Unit = {
    val wider = domain.widenOrRefuse(newest.domain, newest.family.ofValue(Nil))
    requireOneWindow(newest)
    require(
      size == 0 || newest.size == 0 || newest.first > panes.last.last,
      "panes come in the order of their times"
    )
    if (newest.count > QloveWindow.MaxCount - total)
      throw Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> QloveWindow.MaxCount.toString)
    currentDomain = wider
    currentTimeDomain = timeDomain.widenTimesOrRefuse(newest.timeDomain, newest.family.ofSecond(Nil))
    var i = 0
    while (i < newest.size) {
      if (size == query.panes) dropOldest()
      append(newest.pane(i))
      i += 1
    }
  }

  /** Drops the oldest pane. */
  def dropOldest(): Unit = {
    val pane = panes.removeHead()
    total -= pane.count
    var i = 0
    while (i < sums.length) {
      sums(i).remove(pane.quantiles(i))
      if (pane.tails(i) == null) missingTails(pane.rule.id)(i) -= 1 else merged(i).remove(pane.tails(i))
      if (!query.isSparse(i, pane.count)) densePanes(i) -= 1
      i += 1
    }
  }

  private def append(pane: FinishedPane): Unit = {
    panes.append(pane)
    total += pane.count
    var i = 0
    while (i < sums.length) {
      sums(i).add(pane.quantiles(i))
      if (pane.tails(i) == null) missingTails(pane.rule.id)(i) += 1 else merged(i).add(pane.tails(i))
      if (!query.isSparse(i, pane.count)) densePanes(i) += 1
      i += 1
    }
  }

  /** The merged panes, to be stored or described. */
  def sketch: QloveSketch = new QloveSketch(currentDomain, currentTimeDomain, query, panes.toVector)

  protected def missing(i: Int, rule: TailRule): Int = missingTails(rule.id)(i)
  protected def dense(i: Int): Int = densePanes(i)
  protected def tails(i: Int): WeightedKeys = merged(i)
  protected def mean(i: Int): Estimate = sums(i).mean(size, currentDomain)
}

private object QloveWindow {

  /** With at most this many elements, four times their number and twice their weights fit in 63 bits. */
  private val MaxCount = 1L << 60
}
