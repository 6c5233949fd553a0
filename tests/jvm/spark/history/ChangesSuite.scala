package chronosketch.spark.history

import scala.util.Random

import chronosketch.{Refusal, Suite}
import chronosketch.domain.Domain
import chronosketch.history.{HistoryBuilder, HistoryRecipe}
import chronosketch.summary.Envelope

/** Tests that the changes of a group give one history, in whatever order and parts they are added. */
class ChangesSuite extends Suite {
  private val recipe = HistoryRecipe(Domain.BigInt, 0.1, Domain.BigInt)

  private def built(changes: Changes): Seq[Byte] = {
    val builder = new HistoryBuilder(recipe)
    changes.feed(builder)
    Envelope.seal(builder.result()).toSeq
  }

  test("the history does not depend on the order, the parts or the serialisation of changes") {
    val random = new Random(3)
    val all = Seq.fill(2000)((random.nextInt(50) - 20L, random.nextInt(30).toLong, random.nextInt(4) - 1L))
    val sorted = {
      val builder = new HistoryBuilder(recipe)
      all.sortBy(_._1).foreach { case (v, k, c) => builder.update(v, k, c) }
      Envelope.seal(builder.result()).toSeq
    }
    (1 to 20).foreach { parts =>
      val grouped = random.shuffle(all).grouped((all.size + parts - 1) / parts).map { part =>
        val changes = new Changes
        part.foreach { case (v, k, c) => changes.insert(v, k, c) }
        if (parts % 2 == 0) Changes.ofBytes(changes.toBytes) else changes
      }.toSeq
      val whole = grouped.head
      grouped.tail.foreach(whole.addAll)
      assertEquals(built(whole), sorted)
      // building a history does not consume the changes
      assertEquals(built(whole), sorted)
    }
  }

  test("empty changes add nothing to others, and others can be added to them") {
    val (none, some) = (new Changes, new Changes)
    some.insert(1L, 2L, 3L)
    assert(none.isEmpty && !some.isEmpty && Changes.ofBytes(none.toBytes).isEmpty)
    val before = built(some)
    some.addAll(none)
    assertEquals(built(some), before)
    none.addAll(some)
    assertEquals(built(none), before)
  }

  test("the end of a row undoes its change, and refuses one that can't be undone") {
    val lifetime = new RowLifetime(Long.MaxValue, Domain.BigInt)
    var changed = Seq.empty[(Long, Long, Long)]
    val sink = new ChangeSink {
      def insert(version: Long, key: Long, change: Long): Unit = changed :+= ((version, key, change))
      def insertLater(version: Long, key: Long, change: Long): Unit = insert(version, key, change)
    }
    lifetime.add(1L, 2L, 3L, Long.MaxValue, sink)
    assertEquals(changed, Seq((1L, 3L, Long.MaxValue), (2L, 3L, -Long.MaxValue)))
    assertEquals(
      intercept[Refusal](lifetime.add(1L, 2L, 3L, Long.MinValue, sink)).condition,
      "CHRONOSKETCH_COUNT_OVERFLOW"
    )
  }
}
