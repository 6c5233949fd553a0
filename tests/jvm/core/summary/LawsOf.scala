package chronosketch.summary

import org.scalacheck.Gen

import chronosketch.bucketing.{RestrictedLaws, WindowLaws}
import chronosketch.ddsketch.DDSketchLaws
import chronosketch.domain.Domain
import chronosketch.history.{HistoryLaws, VersionLaws}
import chronosketch.imported.ImportedLaws
import chronosketch.moments.{ComomentsLaws, MomentsLaws}
import chronosketch.qlove.{PaneLaws, QloveLaws}
import chronosketch.quantile.QuantileLaws
import chronosketch.sample.{BernoulliLaws, PriorityLaws, ReservoirLaws, SampleFamily}
import chronosketch.window.moments.{RestrictedMomentsLaws, WindowMomentsLaws}
import chronosketch.window.sample.{SampleWindowLaws, WindowSampleLaws}

/** What the laws must be told of a family: how its states come about, what they claim, and when they are exact. */
abstract class LawsOf[S <: Summary](val family: Family[S]) {

  /** Makers of states whose values are of this type. */
  def makers(domain: Domain): Gen[Maker]

  /** What the summary claims that is not so, of a bag in which each key is there so often. */
  protected def violations(summary: S, seen: Operation.Seen): Seq[String]

  /** Whether nothing was lost: then neither order nor parts leave a trace. */
  protected def knowsAll(summary: S): Boolean

  final def claims(summary: Summary, seen: Operation.Seen): Seq[String] =
    violations(family.own(summary), seen)

  final def isExact(summary: Summary): Boolean = knowsAll(family.own(summary))
}

/** The laws of a family whose summaries take values, with any of its parameters. */
abstract class InsertingLaws[S <: Inserts](val inserting: InsertingFamily[S]) extends LawsOf[S](inserting) {
  def makers(domain: Domain): Gen[Maker] =
    LawsOf.numbers(inserting.parameters).map(n => Maker.Inserting(inserting.recipe(domain, n)))
}

object LawsOf {

  /** One of each family. */
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
    )

  /** Those of the families whose summaries take values. */
  val inserting: Seq[InsertingLaws[_ <: Inserts]] = all.collect { case laws: InsertingLaws[_] => laws }

  /** A number near it that the parameter can be. Samples are kept small: one that is larger than all rows of a test is no sample. */
  def allowed(p: Parameter)(number: Double): Double =
    if (p == SampleFamily.Size) 1 + math.rint(number) % 3000 else if (p.isWhole) math.rint(number) else number

  /** The ends of each parameter's range, its default, and what lies between, in orders of magnitude. */
  def numbers(parameters: Seq[Parameter]): Gen[Seq[Double]] =
    Gen.sequence[Seq[Double], Double](parameters.map { p =>
      val between =
        Gen.choose(0.0, 1.0).map(u => p.greatest * math.pow(math.max(p.least / p.greatest, 1e-4), u))
      Gen.frequency(1 -> Gen.oneOf(p.least, p.default, p.greatest), 2 -> between).map(allowed(p))
    })
}
