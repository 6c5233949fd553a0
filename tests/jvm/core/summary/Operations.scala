package chronosketch.summary

import java.util.SplittableRandom

import org.scalacheck.Gen

import chronosketch.domain.{Domain, DomainGen, DoubleKeys}
import chronosketch.families.Families

/** A step that changes a summary. Tests make their states with these steps only. */
sealed trait Operation

object Operation {
  final case class Insert(keys: List[Long]) extends Operation

  /** Inserts n of `distinct` keys, generated from a seed: many keys with a short text. */
  final case class Many(seed: Long, n: Int, distinct: Int, shape: Int) extends Operation {
    def keys(domain: Domain): Array[Long] = {
      val random = new SplittableRandom(seed)
      val least = math.max(domain.least, -1000L)
      val values = Array.fill(n)(random.nextInt(distinct).toLong)
      shape match {
        case 1 => java.util.Arrays.sort(values)
        case 2 => java.util.Arrays.sort(values); reverse(values)
        case _ =>
      }
      if (domain.isFloating) values.map(v => DoubleKeys.key(v / 8.0 - 50))
      else values.map(v => math.min(domain.greatest, least + v))
    }
    private def reverse(a: Array[Long]): Unit = {
      val copy = a.clone()
      a.indices.foreach(i => a(i) = copy(a.length - 1 - i))
    }
  }
  final case class Copies(key: Long, copies: Long) extends Operation
  final case class Merge(other: List[Operation]) extends Operation
  case object ThroughBytes extends Operation

  /** A query, which must not change later answers. */
  case object Ask extends Operation

  def gen(domain: Domain, depth: Int = 2): Gen[List[Operation]] = {
    val key = DomainGen.value(domain)
    val insert = Gen.choose(0, 12).flatMap(Gen.listOfN(_, key)).map(Insert)
    val many = for {
      seed <- Gen.long
      n <- Gen.oneOf(1, 30, 300, 1500)
      distinct <- Gen.oneOf(1, 3, 40, 2000)
      shape <- Gen.choose(0, 2)
    } yield Many(seed, n, distinct, shape)
    val copies = for {
      k <- key
      n <- Gen.oneOf(Gen.choose(0L, 10L), Gen.choose(0L, 100000L), Gen.choose(0L, 1L << 40))
    } yield Copies(k, n)
    val simple =
      Gen.frequency(3 -> insert, 4 -> many, 2 -> copies, 1 -> Gen.const(ThroughBytes), 1 -> Gen.const(Ask))
    val step =
      if (depth == 0) simple else Gen.frequency(6 -> simple, 2 -> Gen.lzy(gen(domain, depth - 1)).map(Merge))
    Gen.choose(0, 5).flatMap(Gen.listOfN(_, step))
  }

  type Seen = Map[Long, Long]

  private def add(seen: Seen, key: Long, copies: Long): Seen =
    seen.updated(key, seen.getOrElse(key, 0L) + copies)

  /** Runs the operations. Returns the summary and the exact counts of its keys. */
  def run(maker: Maker, operations: List[Operation], clock: Clock): (Summary, Seen) =
    operations.foldLeft((maker.empty(), Map.empty[Long, Long])) { case ((summary, seen), operation) =>
      operation match {
        case Insert(keys) =>
          maker.insert(summary, keys, clock)
          (summary, keys.foldLeft(seen)(add(_, _, 1)))
        case m: Many =>
          val keys = m.keys(summary.domain)
          maker.insert(summary, keys.toSeq, clock)
          (summary, keys.foldLeft(seen)(add(_, _, 1)))
        case Copies(key, copies) =>
          maker.insertCounted(summary, Seq(key -> copies), clock)
          (summary, if (copies > 0) add(seen, key, copies) else seen)
        case Merge(other) =>
          val (part, more) = run(maker, other, clock)
          summary.merge(part)
          (summary, more.foldLeft(seen) { case (all, (key, copies)) => add(all, key, copies) })
        case ThroughBytes => (Families.open(Envelope.seal(summary)), seen)
        case Ask =>
          Envelope.seal(summary)
          (summary, seen)
      }
    }
}
