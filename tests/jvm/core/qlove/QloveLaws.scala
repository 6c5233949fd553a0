package chronosketch.qlove

import org.scalacheck.Gen

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary._

object PaneLaws extends LawsOf[Pane](UnfinishedPanes) {

  /** Recipes without rounding, because the laws compare with the inserted values. */
  def recipes(domain: Domain): Gen[PaneRecipe] = for {
    phis <- PaneRows.phis
    budget <- Gen.oneOf(None, Some(0), Some(3), Some(20))
    times <- Gen.oneOf(Domain.BigInt, Domain.Timestamp, Domain.Date)
  } yield PaneRecipe(domain, times, Query(phis, 1000, budget))

  def makers(domain: Domain): Gen[Maker] = recipes(domain).map(Maker.AtTimes(_, classes = 1))

  protected def violations(summary: Pane, seen: Operation.Seen): Seq[String] =
    QloveLaws.claims(summary.finish(), seen)

  protected def knowsAll(summary: Pane): Boolean = true
}

/** Laws of windows of panes. Each insert makes a pane of its own. */
object QloveLaws extends LawsOf[QloveSketch](QloveSketches) {
  def makers(domain: Domain): Gen[Maker] = PaneLaws.recipes(domain).map(Finished)

  final case class Finished(recipe: PaneRecipe) extends Maker {
    def family: Family[Summary] = QloveSketches
    def empty(): QloveSketch = recipe.empty.finish()

    private def pane(into: Summary)(fill: Pane => Unit): Unit = {
      val pane = recipe.empty
      fill(pane)
      into.merge(pane.finish())
    }

    def insert(into: Summary, keys: Seq[Long], clock: Clock): Unit = {
      val time = clock.next()
      pane(into)(p => keys.foreach(p.insert(_, time, 0)))
    }

    def insertCounted(into: Summary, bag: Seq[(Long, Long)], clock: Clock): Unit = {
      val time = clock.next()
      pane(into)(p => bag.foreach { case (key, copies) => p.insert(key, time, 0, copies) })
    }
  }

  /** Answers from one pane must be exact; answers from several must be between the least and the greatest value. */
  protected def violations(summary: QloveSketch, seen: Operation.Seen): Seq[String] = {
    val bag = ExactBag.of(seen)
    val count = if (summary.count == bag.count) Nil else Seq(s"count ${summary.count}")
    val none =
      if (summary.answers.isEmpty == bag.isEmpty) Nil else Seq(s"${summary.answers.size} answers")
    count ++ none ++ (if (bag.isEmpty) Nil
                      else
                        summary.answers.filter { a =>
                          val key = a.estimate.key
                          if (summary.size == 1) key != bag.at(a.phi.rank(bag.count))
                          else !hasNoMean(summary, bag) && (key < bag.keys.head || key > bag.keys.last)
                        }.map(a => s"${a.estimate.key} as ${a.phi}-quantile"))
  }

  /** The mean of −∞ and +∞ is NaN. */
  private def hasNoMean(summary: QloveSketch, bag: ExactBag): Boolean = summary.domain.isFloating &&
    bag.keys.head == DoubleKeys.NegativeInfinity && bag.keys.last >= DoubleKeys.PositiveInfinity

  protected def knowsAll(summary: QloveSketch): Boolean = summary.size <= 1
}
