package chronosketch.summary

import org.scalacheck.Gen

import chronosketch.ddsketch.DDSketchLaws
import chronosketch.domain.Domain
import chronosketch.history.{HistoryLaws, VersionLaws}
import chronosketch.interchange.ImportedLaws
import chronosketch.moments.{ComomentsLaws, MomentsLaws}
import chronosketch.qlove.{PaneLaws, QloveLaws}
import chronosketch.quantile.{QuantileLaws, TailLaws}
import chronosketch.sample.{BernoulliLaws, PriorityLaws, ReservoirLaws, SampleFamily}
import chronosketch.summed.SummedLaws
import chronosketch.window.{RestrictedLaws, WindowLaws}
import chronosketch.window.moments.{RestrictedMomentsLaws, WindowMomentsLaws}
import chronosketch.window.sample.{SampleWindowLaws, WindowSampleLaws}

/** Describes a family to the laws: how to make its states, what they claim, and when they are exact. */
abstract class LawsOf[S <: Summary](val family: Family[S]) {

  /** Makers of states whose values are of this type. */
  def makers(domain: Domain): Gen[Maker]

  /** The claims of the summary that are false, given the exact count of each key. */
  protected def violations(summary: S, seen: Operation.Seen): Seq[String]

  /** Whether the summary is exact: then its bytes depend neither on the order nor on the parts. */
  protected def knowsAll(summary: S): Boolean

  final def claims(summary: Summary, seen: Operation.Seen): Seq[String] =
    violations(family.own(summary), seen) ++ ShareClaims.violations(summary, ExactBag.of(seen))

  final def isExact(summary: Summary): Boolean = knowsAll(family.own(summary))
}

/** The laws of a family whose summaries accept values, with any parameters. */
abstract class InsertingLaws[S <: Inserts](val inserting: InsertingFamily[S]) extends LawsOf[S](inserting) {
  def makers(domain: Domain): Gen[Maker] =
    LawsOf.numbers(inserting.parameters).map(n => Maker.Inserting(inserting.recipe(domain, n)))
}

object LawsOf {

  /** The laws of each family. */
  val all: Seq[LawsOf[_ <: Summary]] =
    Seq(
      QuantileLaws,
      WindowLaws,
      RestrictedLaws,
      PaneLaws,
      QloveLaws,
      DDSketchLaws,
      HistoryLaws,
      VersionLaws,
      MomentsLaws,
      ComomentsLaws,
      WindowMomentsLaws,
      RestrictedMomentsLaws,
      ReservoirLaws,
      PriorityLaws,
      BernoulliLaws,
      WindowSampleLaws,
      SampleWindowLaws,
      ImportedLaws
    ) ++ TailLaws.all ++ SummedLaws.all

  /** The laws of the families whose summaries accept values. */
  val inserting: Seq[InsertingLaws[_ <: Inserts]] = all.collect { case laws: InsertingLaws[_] => laws }

  /** A number nearby that the parameter allows. Sample sizes are small: a sample of all rows of a test would not test sampling. */
  def allowed(p: Parameter)(number: Double): Double =
    if (p == SampleFamily.Size) 1 + math.rint(number) % 3000 else if (p.isWhole) math.rint(number) else number

  /** The ends of each parameter's range, its default, and values between, evenly distributed over orders of magnitude. */
  def numbers(parameters: Seq[Parameter]): Gen[Seq[Double]] =
    Gen.sequence[Seq[Double], Double](parameters.map { p =>
      val between =
        Gen.choose(0.0, 1.0).map(u => p.greatest * math.pow(math.max(p.least / p.greatest, 1e-4), u))
      Gen.frequency(1 -> Gen.oneOf(p.least, p.default, p.greatest), 2 -> between).map(allowed(p))
    })
}
