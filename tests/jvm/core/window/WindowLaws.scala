package chronosketch.window

import org.scalacheck.Gen

import chronosketch.domain.Domain
import chronosketch.summary._

object WindowLaws extends LawsOf[WindowSketch](WindowSketches) {

  /** Recipes without a retention: the laws compare with all rows, including those that a retention would drop. */
  def recipes(domain: Domain): Gen[WindowRecipe] = for {
    numbers <- LawsOf.numbers(WindowSketches.parameters)
    times <- Gen.oneOf(Domain.BigInt, Domain.Timestamp, Domain.Date)
    filters <- Gen.oneOf(Vector.empty[String], Vector("even"), Vector("even", "high"))
  } yield WindowRecipe(domain, times, numbers.head, Windowed.KeepAll, filters)

  def makers(domain: Domain): Gen[Maker] =
    recipes(domain).map(r => Maker.AtTimes(r, Filters.classes(r.filters.size)))

  protected def violations(summary: WindowSketch, seen: Operation.Seen): Seq[String] =
    summary.violations ++ Certificate.violations(summary.profile, ExactBag.of(seen)) ++
      RestrictedLaws.excessError(summary)

  protected def knowsAll(summary: WindowSketch): Boolean = summary.isExact
}

/** Laws of windows of sketches that also contain older rows. */
object RestrictedLaws extends LawsOf[RestrictedWindow](RestrictedWindows) {
  def makers(domain: Domain): Gen[Maker] = for {
    recipe <- WindowLaws.recipes(domain)
    older <- Gen.oneOf(0, 1, 40)
  } yield Windows(recipe.copy(filters = Vector.empty), older)

  final case class Windows(recipe: WindowRecipe, older: Int) extends Maker {
    def family: Family[Summary] = RestrictedWindows

    private def window(rows: Long)(fill: WindowSketch => Unit): RestrictedWindow = {
      val sketch = recipe.empty
      if (rows < Long.MaxValue / 2)
        (0 until older).foreach(i => sketch.insert(recipe.domain.least, -1L - i, 0))
      fill(sketch)
      RestrictedWindow.of(sketch, Constraint.AmongLast(rows), None)
    }

    def empty(): RestrictedWindow = window(0)(_ => ())

    def insert(into: Summary, keys: Seq[Long], clock: Clock): Unit = {
      val more = window(keys.size.toLong)(s => keys.foreach(key => s.insert(key, clock.next(), 0)))
      into.merge(more)
    }

    def insertCounted(into: Summary, bag: Seq[(Long, Long)], clock: Clock): Unit = {
      val more = window(bag.map(_._2).sum) { s =>
        bag.foreach { case (key, copies) => s.insert(key, clock.next(), 0, copies) }
      }
      into.merge(more)
    }
  }

  /** Describes a rank error above ε. */
  def excessError(summary: Ranked): Seq[String] = {
    val profile = summary.profile
    if (profile.isEmpty || profile.rankError <= summary.epsilon) Nil
    else Seq(s"rank error ${profile.rankError}, above ${summary.epsilon}")
  }

  protected def violations(summary: RestrictedWindow, seen: Operation.Seen): Seq[String] =
    WindowCertificate.violations(summary.profile, ExactBag.of(seen)) ++ excessError(summary)

  /** Whether no element straddles an edge and no tuple was dropped. */
  protected def knowsAll(summary: RestrictedWindow): Boolean =
    summary.doubtful.count == 0 && summary.profile.isExact
}
