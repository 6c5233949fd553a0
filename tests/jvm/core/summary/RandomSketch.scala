package chronosketch.summary

import java.math.BigDecimal
import java.util.SplittableRandom

import chronosketch.families.Families
import chronosketch.quantile.{GreenwaldKhanna, QuantileSketch}
import chronosketch.rank.Phi

/** A quantile sketch from a seed, made in any way that there is: inserted one by one, at once or with copies, asked, stored, read
  * and merged in between; and what it has seen.
  */
final class RandomSketch(seed: Long, mostKeys: Int = 100000) {
  private val random = new SplittableRandom(seed)
  val distribution: Distribution = one(Distributions.all)
  private val n = size()
  val epsilon: Double = anyEpsilon()
  private val keys = distribution.sample(n, random.nextLong())
  private val parts = one(RandomSketch.parts)
  private val shape = one(MergeShape.all)
  private var isMerged = false

  val sketch: GreenwaldKhanna = {
    val ends = shape.ends(parts, n)
    // all that is stored for the last time is read again, in half of the cases
    val whole = unite(ends.zip(0 +: ends).map { case (end, start) => part(start, end) })
    if (random.nextBoolean()) stored(whole) else whole
  }

  /** In words, as a failure is shown. */
  def text: String = s"${distribution.name}, n $n, ε $epsilon, $parts parts, ${shape.name}"

  /** Every claim that does not hold, in words. */
  def violations: Seq[String] = {
    val seen = ExactBag.of(keys)
    val asked = Seq.fill(6)(anyPhi())
    val profile = sketch.profile
    val at =
      if (profile.isEmpty) Nil
      else Certificate.uncertified(profile, seen, asked) ++ Certificate.outside(profile, seen, asked)
    (Certificate.violations(sketch, seen, isMerged) ++ at).map(v => s"seed $seed, $text: $v")
  }

  private def one[A](of: Seq[A]): A = of(random.nextInt(of.size))

  /** Mostly few: what is special happens where keys begin to be dropped. */
  private def size(): Int = {
    val most = random.nextInt(100) match {
      case 0 => 100000
      case i if i < 10 => 10000
      case _ => 1000
    }
    val n = math.exp(random.nextDouble() * math.log(most + 1.0)).toInt - 1
    math.min(n + random.nextInt(2), mostKeys)
  }

  /** Between 0.1 and 1e-4, mostly so that keys are dropped. */
  private def anyEpsilon(): Double = random.nextInt(20) match {
    case 0 => 0.0
    case 1 => 0.5
    case i if i < 6 => one(Seq(0.1, 0.01, 1e-3, 1e-4))
    case _ =>
      val least = math.min(4.0, math.log10(math.max(n, 20).toDouble))
      math.pow(10, -1 - random.nextDouble() * (least - 1))
  }

  private def anyPhi(): Phi = {
    val digits = 1 + random.nextInt(9)
    Phi(BigDecimal.valueOf(random.nextLong(math.pow(10, digits).toLong + 1), digits))
  }

  private def part(from: Int, until: Int): GreenwaldKhanna = {
    // the greatest ε of all counts
    val own = if (from > 0 && random.nextInt(5) == 0) epsilon * random.nextDouble() else epsilon
    val s = new GreenwaldKhanna(distribution.domain, own)
    var at = from
    while (at < until) {
      val end = if (random.nextBoolean()) until else at + 1 + random.nextInt(until - at)
      random.nextInt(3) match {
        case 0 => (at until end).foreach(i => s.insert(keys(i)))
        case 1 => s.insertAll(keys, at, end)
        case _ => insertRuns(s, at, end)
      }
      if (random.nextInt(4) == 0) s.profile
      at = end
    }
    if (random.nextInt(3) == 0) stored(s) else s
  }

  /** Equal keys that follow each other, as copies of one. */
  private def insertRuns(s: GreenwaldKhanna, from: Int, until: Int): Unit = {
    isMerged = true
    var i = from
    while (i < until) {
      var end = i + 1
      while (end < until && keys(end) == keys(i)) end += 1
      s.insert(keys(i), (end - i).toLong)
      i = end
    }
  }

  /** In two steps where there are many parts: what was merged is stored, read and merged again. */
  private def unite(all: IndexedSeq[GreenwaldKhanna]): GreenwaldKhanna = {
    if (all.size > 1) isMerged = true
    if (all.size > 8 && random.nextBoolean())
      shape.unite(all.grouped(7).map(some => stored(shape.unite(some))).toIndexedSeq)
    else if (all.size > 1 && random.nextInt(3) == 0) {
      all.tail.foreach(mergeStored(all.head, _))
      all.head
    } else shape.unite(all)
  }

  private def stored(s: GreenwaldKhanna): GreenwaldKhanna =
    QuantileSketch.own(Families.open(Envelope.seal(s)))

  /** Without reading it first. */
  private def mergeStored(into: GreenwaldKhanna, that: GreenwaldKhanna): Unit = {
    val bytes = Envelope.seal(that)
    val header = Envelope.StoredHeader.of(bytes, Families.byId)
    header.header.mergeInto(into, header.payload(bytes))
  }
}

object RandomSketch {
  private val parts: Seq[Int] = Seq(1, 1, 1, 2, 3, 8, 30, 100)
}
