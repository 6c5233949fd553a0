package chronosketch.summary

import org.scalacheck.Gen

import chronosketch.domain.{Domain, DomainGen}

/** Generates columns and steps of aggregations over groups. There are few groups, so that each gets many steps. */
object Columns {

  /** A column of values of one type, and the recipe of their summaries. */
  final case class Column(recipe: InsertingRecipe[Inserts]) {
    def domain: Domain = recipe.domain
    def empty(): Inserts = recipe.empty
    def maker: Maker = Maker.Inserting(recipe)
  }

  /** One step of an aggregation over groups. */
  sealed trait Step
  final case class Keys(group: Int, keys: List[Long]) extends Step
  final case class Many(group: Int, keys: Operation.Many) extends Step
  final case class Copies(group: Int, key: Long, copies: Long) extends Step

  /** Inserts a key into the group's own summary. */
  final case class Own(group: Int, key: Long) extends Step
  final case class Seal(group: Int) extends Step
  final case class Ask(group: Int) extends Step
  final case class Merge(group: Int, part: Part) extends Step
  case object Clear extends Step

  /** A stored sketch. */
  final case class Part(maker: Maker, operations: List[Operation], hours: Int) {
    def summary: Summary = Operation.run(maker, operations, new Clock(hours))._1
  }

  private val hours: Gen[Int] = Gen.choose(1, 1000)

  val groups: Gen[Int] = Gen.frequency(8 -> Gen.choose(0, 3), 1 -> Gen.oneOf(70, 1000))

  /** Few distinct values of each parameter, so that equal ones are frequent. */
  private def numbers(parameters: Seq[Parameter]): Gen[Seq[Double]] =
    Gen.sequence[Seq[Double], Double](parameters.map { p =>
      Gen.oneOf(Seq(p.least, p.default, p.greatest) ++
        Seq(
          0.2,
          0.06,
          0.02,
          2e-4
        ).map(part => p.least + part * (p.greatest - p.least))).map(LawsOf.allowed(p))
    })

  private def domain(family: Family[Summary]): Gen[Domain] =
    Gen.frequency(3 -> Gen.const(Domain.BigInt), 2 -> Gen.const(Domain.Double), 2 -> DomainGen.domain)
      .retryUntil(family.takes)

  /** A column of any family whose summaries accept values. */
  val column: Gen[Column] = for {
    laws <- Gen.oneOf(LawsOf.inserting)
    domain <- domain(laws.family)
    numbers <- numbers(laws.family.parameters)
  } yield Column(laws.inserting.recipe(domain, numbers))

  /** A column of the same values with other parameters. */
  def retuned(column: Column): Gen[Column] = {
    val family = LawsOf.inserting.find(_.family eq column.recipe.family).get.inserting
    numbers(family.parameters).map(n => Column(family.recipe(column.domain, n)))
  }

  /** A maker of any family. */
  val maker: Gen[(Maker, Domain)] = for {
    laws <- Gen.oneOf(LawsOf.all)
    domain <- domain(laws.family)
    maker <- laws.makers(domain)
  } yield (maker, domain)

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

  /** Merges of stored sketches: mostly small ones with one header, some with another ε or type, some that cannot be merged. */
  def union(maker: Maker, domain: Domain): Gen[List[Step]] = {
    val laws = LawsOf.all.find(_.family eq maker.family).get
    val makers = Gen.frequency(
      12 -> Gen.const((maker, domain)),
      1 -> laws.makers(domain).map(m => (m, domain)),
      1 -> DomainGen.domain.retryUntil(laws.family.takes).flatMap(d => laws.makers(d).map(m => (m, d))),
      1 -> Columns.maker
    )
    def small(d: Domain) =
      Gen.choose(0, 12).flatMap(Gen.listOfN(_, DomainGen.value(d))).map(k => List(Operation.Insert(k)))
    val few = many.map(m => List(m.copy(n = m.n % 64)))
    val part = for {
      (m, d) <- makers
      operations <- Gen.frequency(4 -> small(d), 3 -> few, 2 -> Operation.gen(d, 1))
      at <- hours
    } yield Part(m, operations, at)
    val step = Gen.frequency(
      12 -> Gen.zip(groups, part).map { case (g, p) => Merge(g, p) },
      2 -> groups.map(Seal),
      1 -> groups.map(Ask)
    )
    Gen.choose(0, 25).flatMap(n => Gen.listOfN(n, Gen.frequency(40 -> step, 1 -> Gen.const(Clear))))
  }
}
