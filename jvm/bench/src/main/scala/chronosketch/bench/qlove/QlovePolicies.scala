package chronosketch.bench.qlove

import java.util.{Arrays, SplittableRandom, TreeMap}

import scala.collection.mutable.ArrayDeque

import chronosketch.domain.Domain
import chronosketch.qlove.{Pane, QloveSketch, QloveWindow, Query}
import chronosketch.rank.Phi
import chronosketch.sliding.certified.{FrameRanks, FrameSummary}

/** An algorithm that answers quantiles of the last panes. All panes have the same size. */
abstract class Policy(val name: String) {
  def insert(key: Long): Unit

  /** Ends the current pane, which is full. */
  def endPane(): Unit

  def answers(): Array[Double]

  /** How many numbers are kept, counted as in QLOVE's paper. */
  def variables: Long
}

/** Our QLOVE: finishes panes one by one, and answers from the last ones. */
abstract class FinishedPanes(query: Query, label: String) extends Policy(label) {
  private val pane = new Pane(Domain.BigInt, Domain.BigInt, query)
  private var time = 0L
  private var distinct = 0L

  protected def push(finished: QloveSketch): Unit

  /** The window of the last panes. */
  def sketch: QloveSketch

  def insert(key: Long): Unit = pane.insert(key, time, 0)

  def endPane(): Unit = {
    distinct = pane.distinct.toLong
    push(pane.finish())
    pane.clear()
    time += 1
  }

  /** The keys and counts of the current pane, and the quantiles and kept values of the finished ones. */
  def variables: Long = {
    val window = sketch
    val own = query.phis.size * 3L + 3L // its times, its count, and two keys per φ for the density
    2 * distinct + window.variables - window.size * (own - query.phis.size)
  }
}

/** Answers from a sliding window. */
final class QlovePolicy(query: Query, label: String = "QLOVE") extends FinishedPanes(query, label) {
  private val window = new QloveWindow(Domain.BigInt, Domain.BigInt, query)

  protected def push(finished: QloveSketch): Unit = window.push(finished)
  def sketch: QloveSketch = window.sketch
  def answers(): Array[Double] = window.answers.map(_.estimate.value).toArray
}

/** Merges all panes for each answer. */
final class MergedAnewPolicy(query: Query) extends FinishedPanes(query, "QLOVE, panes merged anew") {
  private val finished = new ArrayDeque[QloveSketch]

  protected def push(pane: QloveSketch): Unit = {
    finished.append(pane)
    if (finished.size > query.panes) finished.removeHead()
  }

  def sketch: QloveSketch = {
    val all = new Pane(Domain.BigInt, Domain.BigInt, query).finish()
    finished.foreach(all.merge(_))
    all
  }

  def answers(): Array[Double] = sketch.answers.map(_.estimate.value).toArray
}

/** CMQS or Arasu–Manku: rank error ε in the window. */
final class FramePolicy(label: String, summary: FrameSummary, phis: Seq[Phi], slide: Int)
    extends Policy(label) {
  private val ranks = new FrameRanks

  def insert(key: Long): Unit = {
    // drop the oldest pane before the next one begins
    if (summary.count == summary.capacity) summary.expire(slide.toLong)
    summary.append(key)
  }

  def endPane(): Unit = ()

  def answers(): Array[Double] = {
    ranks.clear()
    summary.describe(ranks)
    phis.map(phi => ranks.find(phi.rank(ranks.count)).toDouble).toArray
  }

  /** A value and two rank bounds for each stored tuple. */
  def variables: Long = 3 * summary.stored
}

/** Random: a uniform sample of each pane, so that the window's rank error is ε with probability 1 − δ. */
final class RandomPolicy(epsilon: Double, phis: Seq[Phi], slide: Int, panes: Int) extends Policy("Random") {
  private val size = math.ceil(math.log(1 / (epsilon * 0.01)) / (epsilon * epsilon)).toInt
  private val share = math.min(slide, math.max(1, size / panes))
  private val samples = new ArrayDeque[Array[Long]]
  private val random = new SplittableRandom(5)
  private var filling = new Array[Long](share)
  private var seen = 0

  def insert(key: Long): Unit = {
    if (seen < share) filling(seen) = key
    else {
      val at = random.nextInt(seen + 1)
      if (at < share) filling(at) = key
    }
    seen += 1
  }

  def endPane(): Unit = {
    samples.append(filling)
    if (samples.size > panes) samples.removeHead()
    filling = new Array[Long](share)
    seen = 0
  }

  def answers(): Array[Double] = {
    val all = samples.toArray.flatten
    Arrays.sort(all)
    phis.map(phi => all((phi.rank(all.length.toLong) - 1).toInt).toDouble).toArray
  }

  def variables: Long = samples.map(_.length.toLong).sum
}

/** The paper's exact algorithm: a tree of values and counts, from which each row is removed when it expires. */
final class TreePolicy(phis: Seq[Phi], slide: Int, panes: Int) extends Policy("Exact") {
  private val tree = new TreeMap[java.lang.Long, Array[Long]]
  private val rows = new ArrayDeque[Array[Long]]
  private var filling = new Array[Long](slide)
  private var seen = 0

  def insert(key: Long): Unit = {
    filling(seen) = key
    seen += 1
    val count = tree.get(key)
    if (count == null) tree.put(key, Array(1L)) else count(0) += 1
  }

  def endPane(): Unit = {
    rows.append(filling)
    filling = new Array[Long](slide)
    seen = 0
    if (rows.size > panes) rows.removeHead().foreach { key =>
      val count = tree.get(key)
      count(0) -= 1
      if (count(0) == 0) tree.remove(key)
    }
  }

  def answers(): Array[Double] = {
    val n = rows.size.toLong * slide
    val entries = tree.entrySet.iterator
    var upTo = 0L
    var key = 0L
    phis.map { phi =>
      while (upTo < phi.rank(n)) {
        val entry = entries.next()
        key = entry.getKey
        upTo += entry.getValue()(0)
      }
      key.toDouble
    }.toArray
  }

  def variables: Long = 2L * tree.size
}

/** The few-k rules of QLOVE's paper, §4, as printed, for one φ. A pane keeps the share α of the values that determine the quantile. */
final class PrintedPolicy(phi: Phi, alpha: Double, rule: PrintedPolicy.Rule, slide: Int, panes: Int)
    extends Policy(rule.text) {
  private val need = math.ceil((1 - phi.decimal.doubleValue) * slide * panes).toInt
  private val kept = math.max(1, math.round(alpha * need).toInt)
  private val interval = math.ceil(1 / alpha).toInt
  private val tops = new ArrayDeque[Array[Long]] // the greatest values of each pane, in decreasing order
  private val quantiles = new ArrayDeque[Long]
  private val neighbours = new QlovePolicy(Query(Seq(phi), 2, Some(kept)))
  private val filling = new Array[Long](slide)
  private var seen = 0

  def insert(key: Long): Unit = {
    filling(seen) = key
    seen += 1
    if (rule == PrintedPolicy.SampleWhereBursty) neighbours.insert(key)
  }

  def endPane(): Unit = {
    if (rule == PrintedPolicy.SampleWhereBursty) neighbours.endPane()
    Arrays.sort(filling)
    quantiles.append(filling((phi.rank(slide.toLong) - 1).toInt))
    val greatest = Array.tabulate(math.min(slide, need))(i => filling(slide - 1 - i))
    tops.append(
      if (rule == PrintedPolicy.Top) greatest.take(kept)
      else greatest.indices.filter(i => (i + 1) % interval == 0).map(greatest).toArray
    )
    if (tops.size > panes) {
      tops.removeHead()
      quantiles.removeHead()
    }
    seen = 0
  }

  private def mean: Double = quantiles.map(_.toDouble).sum / quantiles.size

  private def nth(n: Int): Double = {
    val all = tops.toArray.flatten
    Arrays.sort(all)
    if (all.length < n) mean else all(all.length - n).toDouble
  }

  def answers(): Array[Double] = Array(rule match {
    case PrintedPolicy.Top => nth(need)
    case PrintedPolicy.Sample => nth(math.ceil(alpha * need).toInt)
    case PrintedPolicy.SampleWhereBursty =>
      if (neighbours.sketch.isBursty(phi).contains(true)) nth(math.ceil(alpha * need).toInt) else mean
  })

  def variables: Long = tops.map(_.length.toLong).sum
}

object PrintedPolicy {
  sealed abstract class Rule(val text: String)
  case object Top extends Rule("as printed: top-k")
  case object Sample extends Rule("as printed: sample-k, always")
  case object SampleWhereBursty
      extends Rule("as printed: sample-k where the newest pane bursts, else the mean")
}
