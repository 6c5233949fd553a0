package chronosketch.bench.history

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.history.{HistoryRecipe, HistorySketch}
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.Envelope

/** A history built by our algorithm or by the paper's simple alternative. */
trait Contestant {
  def name: String
  def bytes: Int

  /** The number of our trees and logs, or of the alternative's sets. */
  def parts: Int

  /** The quantile after change i. At least one value must be alive. */
  def quantile(i: Int, phi: Phi): Long

  /** Our profile after change i; None for the alternative, which certifies nothing. */
  def profile(i: Int): Option[RankProfile]
}

object Contestant {
  val Names: Seq[String] = Seq("ours", "simple")

  def of(name: String, data: Changes, epsilon: Double): Contestant =
    if (name == "ours") new Ours(history(data, epsilon), data) else new ThePapersSimple(data, epsilon)

  private def history(data: Changes, epsilon: Double): HistorySketch = {
    val builder = HistoryRecipe(Domain.BigInt, epsilon, Domain.BigInt).builder
    var i = 0
    while (i < data.changes.length) {
      builder.update(data.version(i), data.key(i), if (data.changes(i) < 0) -1L else 1L)
      i += 1
    }
    builder.result()
  }

  final class Ours(sketch: HistorySketch, data: Changes) extends Contestant {
    def name: String = "ours"
    def bytes: Int = Envelope.seal(sketch).length
    def parts: Int = sketch.trees
    def quantile(i: Int, phi: Phi): Long = sketch.at(data.version(i)).quantile(phi)
    def profile(i: Int): Option[RankProfile] = Some(sketch.at(data.version(i)).profile)
  }

  private final class ThePapersSimple(data: Changes, epsilon: Double) extends Contestant {
    private val simple = new Simple(data, epsilon)
    def name: String = "simple"
    def bytes: Int = simple.bytes
    def parts: Int = simple.size
    def quantile(i: Int, phi: Phi): Long = simple.quantile(i, phi.decimal.doubleValue)
    def profile(i: Int): Option[RankProfile] = None
  }
}

/** The paper's simple alternative (Tao, Yi, Sheng, Pei, Li 2010, §3.6): stores the values at every (εN/4)-th rank again after each εN/4
  * changes; if at most 4/ε values are alive, all of them after each change. Here ranks count from the smallest value.
  *
  * It knows all keys before the first change, which the paper's algorithm does not, and is faster for it.
  */
final class Simple(data: Changes, epsilon: Double) {
  private val sets = new scala.collection.mutable.ArrayBuffer[Array[Long]]
  private var starts = new Array[Int](16)
  private var counts = new Array[Int](16)

  locally {
    val alive = new KnownKeys(data)
    var next = data.first - 1
    data.changes.indices.foreach { i =>
      alive(data.changes(i))
      if (i == next) {
        addSet(i, alive)
        next = i + 1 + (if (isSmall(alive.count)) 0 else (epsilon * alive.count / 4).toInt)
      }
    }
  }

  private def isSmall(n: Int): Boolean = n <= 4 / epsilon

  private def addSet(i: Int, alive: KnownKeys): Unit = {
    if (sets.size == starts.length) {
      starts = Arrays.copyOf(starts, 2 * sets.size)
      counts = Arrays.copyOf(counts, 2 * sets.size)
    }
    starts(sets.size) = i
    counts(sets.size) = alive.count
    val n = alive.count
    sets += Array.tabulate(if (isSmall(n)) n else math.ceil(4 / epsilon).toInt)(k =>
      alive.key(rank(k + 1, n))
    )
  }

  /** The rank of value k of a set, from 1. */
  private def rank(k: Int, n: Int): Int =
    if (isSmall(n)) k else math.max(1, math.min(n, (k * epsilon * n / 4).toInt))

  /** The bytes of all sets, with keys encoded as differences. Ranks follow from the counts. */
  def bytes: Int = {
    val w = new Wire.Writer
    sets.indices.foreach { i =>
      w.varint((if (i == 0) starts(0) else starts(i) - starts(i - 1)).toLong)
      w.varint(counts(i).toLong)
      var before = 0L
      sets(i).foreach { key => w.varint(key - before); before = key }
    }
    w.length
  }

  def size: Int = sets.size

  /** The quantile after change i: the stored value with the least rank at or above the target. */
  def quantile(i: Int, phi: Double): Long = {
    val found = Arrays.binarySearch(starts, 0, sets.size, i)
    val at = if (found >= 0) found else -found - 2
    val set = sets(at)
    val n = counts(at)
    val target = phi * n
    var low = 0
    var high = set.length - 1
    while (low < high) {
      val middle = (low + high) >>> 1
      if (rank(middle + 1, n) >= target) high = middle else low = middle + 1
    }
    if (set.isEmpty) 0L else set(low)
  }
}

/** Finds the key of a rank when all possible keys are known beforehand, by a Fenwick tree: a change and a question take O(log keys). */
final class KnownKeys(data: Changes) {
  private val keys = data.keys
  private val tree = new Array[Int](keys.length + 1)
  private val highest = Integer.highestOneBit(keys.length)
  private var n = 0

  def count: Int = n

  def apply(change: Long): Unit = {
    val by = if (change < 0) -1 else 1
    var at = 1 + Arrays.binarySearch(keys, if (change < 0) ~change else change)
    while (at < tree.length) { tree(at) += by; at += at & -at }
    n += by
  }

  /** The key of a rank, which is from 1 to the count. */
  def key(rank: Int): Long = {
    var at = 0
    var left = rank
    var step = highest
    while (step > 0) {
      val next = at + step
      if (next < tree.length && tree(next) < left) { left -= tree(next); at = next }
      step >>= 1
    }
    keys(at)
  }
}
