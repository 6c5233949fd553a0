package chronosketch.quantile

import java.math.BigDecimal
import java.util.SplittableRandom

import chronosketch.families.Families
import chronosketch.rank.Phi
import chronosketch.summary.{Certificate, Distribution, Distributions, Envelope, ExactBag, MergeShape}

/** A random quantile sketch, generated from a seed, with its input. Values are inserted one by one, at once or with counts; in between
  * the sketch is queried, stored, decoded and merged.
  *
  * @param among the distributions that the input may have
  * @param merged the numbers of parts that may be merged
  */
final class RandomSketch(
    seed: Long,
    mostKeys: Int = 100000,
    family: QuantileFamily = QuantileSketch,
    among: Seq[Distribution] = Distributions.all,
    merged: Seq[Int] = RandomSketch.Parts
) {
  private val random = new SplittableRandom(seed)
  val distribution: Distribution = one(among)
  private val n = size()
  val epsilon: Double = anyEpsilon()
  private val keys = distribution.sample(n, random.nextLong())
  val parts: Int = one(merged)
  private val shape = one(MergeShape.all)
  private var isMerged = false

  val sketch: GreenwaldKhanna = {
    val ends = shape.ends(parts, n)
    // in half of the cases the result is stored and decoded again
    val whole = unite(ends.zip(0 +: ends).map { case (end, start) => part(start, end) })
    if (random.nextBoolean()) stored(whole) else whole
  }

  /** A description for failure messages. */
  def text: String = s"$family, ${distribution.name}, n $n, ε $epsilon, $parts parts, ${shape.name}"

  /** The input. */
  def seen: ExactBag = ExactBag.of(keys)

  /** A text for every claim that does not hold. */
  def violations: Seq[String] = {
    val seen = this.seen
    val phis = Seq.fill(6)(anyPhi())
    val profile = sketch.profile
    val atPhis =
      if (profile.isEmpty) Nil
      else Certificate.uncertified(profile, seen, phis) ++ Certificate.outside(profile, seen, phis)
    val ofFamily =
      if (family.tail.isEmpty) Certificate.violations(sketch, seen, isMerged)
      else TailCertificate.violations(sketch, seen)
    (ofFamily ++ atPhis).map(v => s"seed $seed, $text: $v")
  }

  private def one[A](choices: Seq[A]): A = choices(random.nextInt(choices.size))

  /** A number of keys, mostly small: errors are most likely where tuples begin to be dropped. */
  private def size(): Int = {
    val most = random.nextInt(100) match {
      case 0 => 100000
      case i if i < 10 => 10000
      case _ => 1000
    }
    val n = math.exp(random.nextDouble() * math.log(most + 1.0)).toInt - 1
    math.min(n + random.nextInt(2), mostKeys)
  }

  /** An ε, mostly between 0.1 and 1e-4 and large enough that tuples are dropped. */
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
    // a part may have a smaller ε: the greatest one holds after the merge
    val own = if (from > 0 && random.nextInt(5) == 0) epsilon * random.nextDouble() else epsilon
    val s = QuantileRecipe(distribution.domain, own, family).empty
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

  /** Inserts runs of equal keys with their counts. */
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

  /** Merges the parts, sometimes in two levels with stored sketches between them. */
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
    family.own(Families.open(Envelope.seal(s)))

  /** Merges the bytes of a sketch without decoding them into a sketch first. */
  private def mergeStored(into: GreenwaldKhanna, that: GreenwaldKhanna): Unit = {
    val bytes = Envelope.seal(that)
    val header = Envelope.StoredHeader.of(bytes, Families.byId)
    header.header.mergeInto(into, header.payload(bytes))
  }
}

object RandomSketch {
  private val Parts: Seq[Int] = Seq(1, 1, 1, 2, 3, 8, 30, 100)
}
