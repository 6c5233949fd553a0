package chronosketch.summary

import org.scalacheck.Gen

import chronosketch.domain.{Domain, DomainGen}

/** What a column of sketches is made of, and rows of it: few groups, so that each sees much. */
object Columns {
  final case class Column(family: Family, domain: Domain, parameters: Vector[Double]) {
    def empty(): Summary = family.empty(domain, parameters.toArray)
  }

  /** One step of an aggregation over groups. */
  sealed trait Step
  final case class Keys(group: Int, keys: List[Long]) extends Step
  final case class Many(group: Int, keys: Operation.Many) extends Step
  final case class Copies(group: Int, key: Long, copies: Long) extends Step

  /** Through the group's own summary, as a caller does that was told to. */
  final case class Own(group: Int, key: Long) extends Step
  final case class Seal(group: Int) extends Step
  final case class Ask(group: Int) extends Step
  final case class Merge(group: Int, part: Part) extends Step
  case object Clear extends Step

  /** A sketch that was stored. */
  final case class Part(column: Column, operations: List[Operation]) {
    def summary: Summary = Operation.run(() => column.empty(), operations)._1
  }

  val groups: Gen[Int] = Gen.frequency(8 -> Gen.choose(0, 3), 1 -> Gen.oneOf(70, 1000))

  def tuning(family: Family): Gen[Vector[Double]] =
    Gen
      .sequence[Seq[Double], Double](family.parameters.map { p =>
        Gen.oneOf(Seq(p.least, p.default, p.greatest) ++
          Seq(0.2, 0.06, 0.02, 2e-4).map(part => p.least + part * (p.greatest - p.least)))
      })
      .map(_.toVector)

  val column: Gen[Column] = for {
    family <- Gen.oneOf(Family.all.filter(_.takesValues))
    domain <-
      Gen.frequency(3 -> Gen.const(Domain.BigInt), 2 -> Gen.const(Domain.Double), 2 -> DomainGen.domain)
        .retryUntil(family.takes)
    parameters <- tuning(family)
  } yield Column(family, domain, parameters)

  private val many: Gen[Operation.Many] = for {
    seed <- Gen.long
    n <- Gen.oneOf(3, 17, 45, 70, 300, 1500)
    distinct <- Gen.oneOf(1, 3, 40, 2000)
    shape <- Gen.choose(0, 2)
  } yield Operation.Many(seed, n, distinct, shape)

  def building(column: Column): Gen[List[Step]] = {
    val key = DomainGen.value(column.domain)
    val copies = Gen.oneOf(Gen.choose(0L, 6L), Gen.choose(0L, 100000L))
    val step = Gen.frequency(
      6 -> Gen.zip(groups, Gen.choose(0, 12).flatMap(Gen.listOfN(_, key))).map { case (g, k) => Keys(g, k) },
      5 -> Gen.zip(groups, many).map { case (g, m) => Many(g, m) },
      2 -> Gen.zip(groups, key, copies).map { case (g, k, n) => Copies(g, k, n) },
      1 -> Gen.zip(groups, key).map { case (g, k) => Own(g, k) },
      2 -> groups.map(Seal),
      1 -> groups.map(Ask)
    )
    Gen.choose(0, 25).flatMap(n => Gen.listOfN(n, Gen.frequency(40 -> step, 1 -> Gen.const(Clear))))
  }

  /** Mostly small ones of one header; some of another ε or type; some that can't be united. */
  def union(column: Column): Gen[List[Step]] = {
    val columns = Gen.frequency(
      12 -> Gen.const(column),
      1 -> tuning(column.family).map(p => column.copy(parameters = p)),
      1 -> DomainGen.domain.retryUntil(column.family.takes).map(d => column.copy(domain = d))
    )
    val small = (c: Column) =>
      Gen.choose(0, 12).flatMap(Gen.listOfN(_, DomainGen.value(c.domain))).map(k => List(Operation.Insert(k)))
    val few = many.map(m => List(m.copy(n = m.n % 64)))
    val part = columns.flatMap { c =>
      Gen.frequency(4 -> small(c), 3 -> few, 2 -> Operation.gen(c.domain, 1)).map(Part(c, _))
    }
    val step = Gen.frequency(
      12 -> Gen.zip(groups, part).map { case (g, p) => Merge(g, p) },
      2 -> groups.map(Seal),
      1 -> groups.map(Ask)
    )
    Gen.choose(0, 25).flatMap(n => Gen.listOfN(n, Gen.frequency(40 -> step, 1 -> Gen.const(Clear))))
  }
}
