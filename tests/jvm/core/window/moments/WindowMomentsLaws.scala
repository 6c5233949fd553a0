package chronosketch.window.moments

import org.scalacheck.Gen

import chronosketch.domain.Domain
import chronosketch.summary._
import chronosketch.window.{Constraint, Filters, Windowed}

object WindowMomentsLaws extends LawsOf[WindowMoments](WindowMomentsSketches) {

  /** Without retention, because the laws do not model which rows are removed. */
  def recipes(domain: Domain): Gen[WindowMomentsRecipe] = for {
    numbers <- LawsOf.numbers(WindowMomentsSketches.parameters)
    times <- Gen.oneOf(Domain.BigInt, Domain.Timestamp, Domain.Date)
    filters <- Gen.oneOf(Vector.empty[String], Vector("even"), Vector("even", "high"))
  } yield WindowMomentsRecipe(domain, times, numbers.head, Windowed.KeepAll, filters)

  def makers(domain: Domain): Gen[Maker] =
    recipes(domain).map(r => Maker.AtTimes(r, Filters.classes(r.filters.size)))

  /** Uses windows over the times that [[Maker.AtTimes]] gives. */
  protected def violations(summary: WindowMoments, seen: Operation.Seen): Seq[String] = {
    val some = seen.toSeq.filter(_._2 > 0)
    RestrictedMomentsLaws.violations(summary, some, summary.domain) ++
      RestrictedMomentsLaws.specials(RestrictedMoments.everything(summary), some) ++
      (if (some.isEmpty) Nil
       else
         (1 to 4).flatMap { span =>
           val window = summary.restrict(Constraint.WithinLast(span.toLong), None)
           val meant = some.filter { case (key, _) => Math.floorMod(key, 5L) > summary.newest - span }
           RestrictedMomentsLaws.violations(window, meant, summary.domain) ++
             RestrictedMomentsLaws.errors(window, meant, summary.domain, summary.epsilon)
         })
  }

  protected def knowsAll(summary: WindowMoments): Boolean = (0 until summary.classCount).forall { c =>
    val l = summary.list(c)
    (0 until l.size).forall(l.level(_) == 0)
  }
}

/** Takes windows from sketches that also have older rows. */
object RestrictedMomentsLaws extends LawsOf[RestrictedMoments](RestrictedMomentsWindows) {
  def makers(domain: Domain): Gen[Maker] = for {
    recipe <- WindowMomentsLaws.recipes(domain)
    older <- Gen.oneOf(0, 1, 40)
  } yield Windows(recipe.copy(filters = Vector.empty), older)

  final case class Windows(recipe: WindowMomentsRecipe, older: Int) extends Maker {
    def family: Family[Summary] = RestrictedMomentsWindows

    private def window(rows: Long)(fill: WindowMoments => Unit): RestrictedMoments = {
      val sketch = recipe.empty
      if (rows < Long.MaxValue / 2)
        (0 until older).foreach(i => sketch.insert(recipe.domain.least, -1L - i, 0))
      fill(sketch)
      sketch.restrict(Constraint.AmongLast(rows), None)
    }

    def empty(): RestrictedMoments = window(0)(_ => ())

    def insert(into: Summary, keys: Seq[Long], clock: Clock): Unit =
      into.merge(window(keys.size.toLong)(s => keys.foreach(key => s.insert(key, clock.next(), 0))))

    def insertCounted(into: Summary, bag: Seq[(Long, Long)], clock: Clock): Unit =
      into.merge(window(bag.map(_._2).sum) { s =>
        bag.foreach { case (key, copies) => s.insert(key, clock.next(), 0, copies) }
      })
  }

  def violations(summary: Moments, seen: Seq[(Long, Long)], domain: Domain): Seq[String] = {
    val oracle = new MomentsOracle(seen, domain)
    Moment.all.flatMap(of => oracle.violations(of, summary.momentBounds(of)))
  }

  def errors(summary: Moments, seen: Seq[(Long, Long)], domain: Domain, epsilon: Double): Seq[String] = {
    val oracle = new MomentsOracle(seen, domain)
    Moment.all.flatMap(of => oracle.errors(of, summary.momentBounds(of), epsilon))
  }

  /** Checks the answers with NaN and infinite values. */
  def specials(summary: RestrictedMoments, seen: Seq[(Long, Long)]): Seq[String] = {
    val exact = new MomentsOracle(seen, summary.domain).specials
    val (least, most) = (summary.inside.specials, summary.inside.specials | summary.doubtful.specials)
    if ((least & ~exact) == 0 && (exact & ~most) == 0) Nil else Seq(s"specials $least to $most, not $exact")
  }

  protected def violations(summary: RestrictedMoments, seen: Operation.Seen): Seq[String] = {
    val some = seen.toSeq.filter(_._2 > 0)
    violations(summary, some, summary.domain) ++ specials(summary, some)
  }

  /** Sums of doubles depend on the order of insertion. */
  protected def knowsAll(summary: RestrictedMoments): Boolean = false
}
