package chronosketch.history

import org.scalacheck.Gen

import chronosketch.domain.Domain
import chronosketch.summary._
import chronosketch.window.{RestrictedLaws, WindowCertificate}

/** Laws of histories. The key of an element determines its version, which is between two versions that all histories have. */
object HistoryLaws extends LawsOf[HistorySketch](HistorySketches) {
  private val First = -1L
  private val Last = 5L

  def recipes(domain: Domain): Gen[HistoryRecipe] = for {
    numbers <- LawsOf.numbers(HistorySketches.parameters)
    versions <- Gen.oneOf(Domain.BigInt, Domain.Timestamp, Domain.Date)
  } yield HistoryRecipe(domain, numbers.head, versions)

  def makers(domain: Domain): Gen[Maker] = recipes(domain).map(Histories(_))

  final case class Histories(recipe: HistoryRecipe) extends Maker {
    def family: Family[Summary] = HistorySketches
    def empty(): Summary = recipe.empty
    def insert(into: Summary, keys: Seq[Long], clock: Clock): Unit =
      insertCounted(into, keys.map(_ -> 1L), clock)

    def insertCounted(into: Summary, bag: Seq[(Long, Long)], clock: Clock): Unit = {
      val builder = recipe.builder
      builder.update(First, recipe.domain.least, 0)
      bag.sortBy { case (key, _) => version(key) }.foreach { case (key, n) =>
        builder.update(version(key), key, n)
      }
      builder.update(Last, recipe.domain.least, 0)
      into.merge(builder.result())
    }

    private def version(key: Long): Long = Math.floorMod(key, 5L)
  }

  protected def violations(summary: HistorySketch, seen: Operation.Seen): Seq[String] =
    if (summary.isEmpty) Seq.empty ++ Option.when(seen.values.sum > 0)("nothing came")
    else VersionLaws.claims(summary.at(summary.lastVersion), seen)

  /** Whether the history is exact. Merged histories stay separate chains, so only one chain is. */
  protected def knowsAll(summary: HistorySketch): Boolean =
    summary.isEmpty || (summary.chains.size == 1 && summary.at(summary.lastVersion).profile.isExact)
}

object VersionLaws extends LawsOf[VersionSketch](VersionSketches) {
  def makers(domain: Domain): Gen[Maker] = HistoryLaws.recipes(domain).map(Versions(_))

  final case class Versions(recipe: HistoryRecipe) extends Maker {
    def family: Family[Summary] = VersionSketches
    def empty(): Summary = of(Nil)
    def insert(into: Summary, keys: Seq[Long], clock: Clock): Unit =
      insertCounted(into, keys.map(_ -> 1L), clock)
    def insertCounted(into: Summary, bag: Seq[(Long, Long)], clock: Clock): Unit = into.merge(of(bag))

    private def of(bag: Seq[(Long, Long)]): VersionSketch = {
      val builder = recipe.builder
      builder.update(1, recipe.domain.least, 0)
      bag.foreach { case (key, n) => builder.update(1, key, n) }
      builder.result().at(1)
    }
  }

  protected def violations(summary: VersionSketch, seen: Operation.Seen): Seq[String] =
    WindowCertificate.violations(summary.profile, ExactBag.of(seen)) ++ RestrictedLaws.excessError(summary)

  protected def knowsAll(summary: VersionSketch): Boolean = summary.profile.isExact
}
