package chronosketch.comparison

import org.scalacheck.Gen

import chronosketch.codec.Wire
import chronosketch.ddsketch.DDSketchRecipe
import chronosketch.domain.{Cast, Domain, DoubleKeys}
import chronosketch.memory.Meter
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.RankProfile
import chronosketch.summary.{Bounded, Family, Header}

/** Random bags of keys with summaries of them, to compare answers with exact ones. */
private[comparison] object Bags {

  /** @param inDoubt the number of values, from the first on, that may be outside of the window
    * @param alpha   the relative error of a DDSketch; None for a quantile sketch
    */
  final case class Bag(
      domain: Domain,
      values: IndexedSeq[Long],
      epsilon: Double = 0.0,
      inDoubt: Int = 0,
      alpha: Option[Double] = None
  ) {
    val summary: Bounded = alpha match {
      case Some(a) =>
        val s = DDSketchRecipe(domain, a).empty
        values.foreach(s.insert(_))
        s
      case None =>
        Known(
          domain,
          RankProfile.straddling(profile(values.take(inDoubt))).plus(profile(values.drop(inDoubt)))
        )
    }

    private def profile(part: Seq[Long]): RankProfile = {
      val s = new GreenwaldKhanna(domain, epsilon)
      part.foreach(s.insert(_))
      s.profile
    }

    def isExact: Boolean = summary.profile.isExact

    /** Possible contents in a wider type: all values, and those without half or all of the uncertain ones. */
    def worlds(in: Domain): Seq[IndexedSeq[Long]] = {
      val cast = Cast.of(domain, in).get
      Seq(
        0,
        inDoubt / 2,
        inDoubt
      ).distinct.map(out => values.drop(out).map(cast(_)).sorted).filter(_.nonEmpty)
    }
  }

  /** A summary with a given profile. */
  final case class Known(domain: Domain, profile: RankProfile) extends Bounded {
    type Same = Known
    def family: Family[Known] = throw new UnsupportedOperationException
    def header: Header[Known] = throw new UnsupportedOperationException
    def count: Long = profile.countLow
    def newEmpty: Known = copy(profile = RankProfile.empty)
    def castBy(cast: Cast): Known = throw new UnsupportedOperationException
    protected def mergeChecked(that: Known, wider: Domain): Unit = throw new UnsupportedOperationException
    def meteredBy(owner: Meter): Unit = ()
    def write(writer: Wire.Writer): Unit = ()
  }

  private val doubles: Gen[Gen[Long]] = Gen.oneOf(Seq(
    Gen.choose(-1000, 1000).map(_ / 8.0),
    Gen.choose(0.0, 1.0).map(u => math.exp(3 * u)),
    Gen.choose(1e-6, 1.0).map(u => math.pow(u, -1.5)),
    Gen.oneOf(0.0, -0.0, 1.0, 2.0),
    Gen.oneOf(0.0, Double.MinPositiveValue, Double.MaxValue, -Double.MaxValue, 1e-310),
    Gen.choose(-1e300, 1e300)
  )).map(_.map(DoubleKeys.key))

  private val special: Gen[Long] =
    Gen.oneOf(Double.PositiveInfinity, Double.NegativeInfinity).map(DoubleKeys.key)

  private val wholeNumbers: Seq[Gen[Long]] =
    Seq(Gen.choose(0L, 6L), Gen.choose(-1000L, 1000L), Gen.const(5L), Gen.choose(0L, 90L).map(k => k * k))
  private val wholes: Gen[Gen[Long]] = Gen.oneOf(wholeNumbers)
  private val large: Gen[Gen[Long]] =
    Gen.oneOf(Gen.choose(Long.MinValue, Long.MaxValue) +: wholeNumbers)

  private def domains(infinite: Int): Gen[(Domain, Domain, Gen[Long], Gen[Long])] = {
    val numbers =
      if (infinite == 0) doubles else doubles.map(some => Gen.frequency(30 -> some, infinite -> special))
    def two(a: Domain, b: Domain, x: Gen[Gen[Long]], y: Gen[Gen[Long]]) =
      for (f <- x; g <- Gen.oneOf(Gen.const(f), y)) yield (a, b, f, g)
    def mixed(a: Domain, b: Domain, x: Gen[Gen[Long]], y: Gen[Gen[Long]]) =
      for (f <- x; g <- y) yield (a, b, f, g)
    Gen.frequency(
      5 -> two(Domain.Double, Domain.Double, numbers, numbers),
      3 -> two(Domain.BigInt, Domain.BigInt, large, large),
      1 -> two(Domain.decimal(10, 2), Domain.decimal(12, 2), wholes, wholes),
      1 -> mixed(Domain.Int, Domain.Double, wholes, numbers),
      1 -> mixed(Domain.decimal(10, 2), Domain.Int, wholes, wholes),
      1 -> mixed(Domain.SmallInt, Domain.BigInt, wholes, large)
    )
  }

  private def bag(domain: Domain, keys: Gen[Long], isCertain: Boolean, isSmooth: Boolean): Gen[Bag] = for {
    n <- Gen.frequency(1 -> Gen.choose(1, 4), 3 -> Gen.choose(5, 300))
    values <- Gen.listOfN(n, keys)
    epsilon <- Gen.oneOf(0.0, 0.0, 0.01, 0.05, 0.2)
    inDoubt <- if (isCertain) Gen.const(0) else Gen.frequency(2 -> Gen.const(0), 1 -> Gen.choose(0, n))
    alpha <- Gen.option(Gen.oneOf(0.001, 0.05, 0.5))
    ddsketch = if (isSmooth && inDoubt == 0) alpha else None
    order <- Gen.oneOf(0, 1)
  } yield Bag(
    domain,
    if (order == 0) values.toIndexedSeq else values.toIndexedSeq.sorted,
    epsilon,
    inDoubt,
    ddsketch
  )

  /** Pairs of bags of numbers, of one type or of two. */
  def pairs(isCertain: Boolean = false, infinite: Int = 1): Gen[(Bag, Bag)] = for {
    (left, right, f, g) <- domains(infinite)
    isSmooth <- Gen.oneOf(true, false, false)
    a <- bag(left, f, isCertain, isSmooth)
    b <- bag(right, g, isCertain, isSmooth)
  } yield (a, b)
}
