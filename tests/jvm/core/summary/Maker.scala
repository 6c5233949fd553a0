package chronosketch.summary

/** A way to make states of a family. Implementations are case classes, so that a failing test prints how to make its states again. */
trait Maker extends Product {
  def family: Family[Summary]
  def empty(): Summary

  /** Inserts keys one by one, in this order. */
  def insert(into: Summary, keys: Seq[Long], clock: Clock): Unit

  /** Inserts keys with counts. */
  def insertCounted(into: Summary, bag: Seq[(Long, Long)], clock: Clock): Unit
}

/** The time for families that need it. Each call returns a later time, and two clocks with different starts never return the same. */
final class Clock(hours: Int) {
  private var now = hours.toLong << 40

  def next(): Long = { now += 1; now }
}

object Maker {

  /** Inserts the values alone. */
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

  /** Inserts values with a time and a class of rows that depend on the value alone, so that the order does not matter. */
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
