package chronosketch.summary

/** One way to make states of a family. A case class: a failing case prints all that it takes to make its states again. */
trait Maker extends Product {
  def family: Family[Summary]
  def empty(): Summary

  /** Keys one by one, in this order. */
  def insert(into: Summary, keys: Seq[Long], clock: Clock): Unit

  /** Keys, and how often each comes. */
  def insertCounted(into: Summary, bag: Seq[(Long, Long)], clock: Clock): Unit
}

/** The time, for families that have one: it never stands still, and two clocks that start apart never show the same. */
final class Clock(hours: Int) {
  private var now = hours.toLong << 40

  def next(): Long = { now += 1; now }
}

object Maker {

  /** Values go in as they are. */
  final case class Inserting(recipe: InsertingRecipe[Inserts]) extends Maker {
    def family: Family[Summary] = recipe.family
    def empty(): Inserts = recipe.empty
    def insert(into: Summary, keys: Seq[Long], clock: Clock): Unit = {
      val summary = recipe.family.own(into)
      keys.foreach(summary.insert(_))
    }
    def insertCounted(into: Summary, bag: Seq[(Long, Long)], clock: Clock): Unit = {
      val summary = recipe.family.own(into)
      bag.foreach { case (key, copies) => summary.insert(key, copies) }
    }
  }

  /** Values go in with a time, and into a class of rows, that depend on the value alone: then the order does not matter. */
  final case class AtTimes(recipe: Recipe[Timed], classes: Int) extends Maker {
    def family: Family[Summary] = recipe.family
    def empty(): Timed = recipe.empty
    private def time(key: Long): Long = Math.floorMod(key, 5L)
    private def passed(key: Long): Int = Math.floorMod(key, classes.toLong).toInt

    def insert(into: Summary, keys: Seq[Long], clock: Clock): Unit = {
      val summary = recipe.family.own(into)
      keys.foreach(key => summary.insert(key, time(key), passed(key)))
    }
    def insertCounted(into: Summary, bag: Seq[(Long, Long)], clock: Clock): Unit = {
      val summary = recipe.family.own(into)
      bag.foreach { case (key, copies) => summary.insert(key, time(key), passed(key), copies) }
    }
  }
}
