package chronosketch.grouped

import java.util.SplittableRandom

import chronosketch.Suite
import chronosketch.domain.Domain
import chronosketch.memory.Meter
import chronosketch.summary.{Envelope, Recipe, Timed}
import chronosketch.window.{Row, Rows, Windowed, WindowSketches}
import chronosketch.window.moments.WindowMomentsSketches
import chronosketch.window.sample.WindowSampleRecipe

/** Tests that inserting rows in batches gives the same bytes as inserting them one by one. */
class GroupedTimedSuite extends Suite {
  private def recipes(epsilon: Double, retention: Long): Seq[Recipe[Timed]] = Seq(
    WindowSketches.recipe(Domain.BigInt, Domain.BigInt, Seq(epsilon), retention, Vector("f")),
    WindowMomentsSketches.recipe(Domain.BigInt, Domain.BigInt, Seq(epsilon), retention, Vector.empty)
  )

  private val sample: WindowSampleRecipe =
    WindowSampleRecipe.alone(Domain.BigInt, Domain.BigInt, 50, 1L, 0.01, Windowed.KeepAll)

  private def assertAlike(
      recipe: Recipe[Timed],
      rows: IndexedSeq[Row],
      cuts: Seq[Int],
      what: String
  ): Unit = {
    val one, many = recipe.empty
    rows.foreach(r => one.insert(r.key, r.time, 0))
    val keys = rows.map(_.key).toArray
    val times = rows.map(_.time).toArray
    (0 +: cuts).zip(cuts :+ rows.size).foreach { case (from, until) =>
      many.insertAll(keys, times, from, until)
    }
    assert(Envelope.seal(many).sameElements(Envelope.seal(one)), s"$recipe, $what")
  }

  test("one summary: batches of any length, times in any order") {
    Rows.times.foreach { case (name, time) =>
      for (n <- Seq(0, 1, 16, 17, 3000, 20000); epsilon <- Seq(0.0, 0.01, 0.3)) {
        val random = new SplittableRandom(n.toLong)
        val rows = IndexedSeq.tabulate(n)(i => Row(random.nextLong(3000) - 1000, time(i, n, random), 0))
        val cuts = Seq.fill(12)(random.nextInt(n + 1)).sorted
        recipes(epsilon, Windowed.KeepAll).foreach(assertAlike(_, rows, cuts, s"$name, n $n"))
      }
    }
  }

  test("summaries with a retention, and samples of windows") {
    val rows = IndexedSeq.tabulate(5000)(i => Row((i * 7919L) % 1009, i.toLong, 0))
    (recipes(0.05, 700L) :+ sample).foreach(assertAlike(_, rows, Seq(1, 1000, 4999), "in order"))
  }

  test("several batches of rows of few and of many groups") {
    for (groups <- Seq(1, 30, 20000)) {
      val recipe = recipes(0.1, Windowed.KeepAll).head
      val one, many = new GroupedTimed(recipe, new Meter)
      val random = new SplittableRandom(groups.toLong)
      (0 until 4).foreach { turn =>
        val n = 5000 * turn + 1
        val groupOf = Array.fill(n)(random.nextInt(groups))
        val keys = Array.fill(n)(random.nextLong())
        val times = Array.fill(n)(random.nextLong(100000))
        many.insertAll(groupOf, keys, times, n, groups)
        (0 until n).foreach(i => one.summary(groupOf(i)).insert(keys(i), times(i), 0))
      }
      (0 until groups).foreach(g => assert(many.seal(g).sameElements(one.seal(g)), s"group $g of $groups"))
    }
  }

  private def put(to: GroupedTimed, rows: Seq[Row]): Unit =
    to.insertAll(new Array[Int](rows.size), rows.map(_.key).toArray, rows.map(_.time).toArray, rows.size, 1)

  private def unfiltered(epsilon: Double, retention: Long): Recipe[Timed] =
    WindowSketches.recipe(Domain.BigInt, Domain.BigInt, Seq(epsilon), retention, Vector.empty)

  private def isRows(part: Array[Byte]): Boolean = part(0) == 0

  private def moments(epsilon: Double): Recipe[Timed] =
    WindowMomentsSketches.recipe(Domain.BigInt, Domain.BigInt, Seq(epsilon), Windowed.KeepAll, Vector.empty)

  test("merging parts sealed as rows gives the summary that inserted these rows in the order of the parts") {
    // up to this many rows a part is sealed as rows: no bucket would drop keys, and the first block is not full
    val ofKeys = Map(0.0 -> 65535, 0.01 -> 8191, 0.03 -> 2222)
    // the buckets of moments would be smaller
    val ofMoments = Map(0.0 -> 65535, 0.01 -> 8000, 0.03 -> 2666)
    for {
      (name, time) <- Rows.times
      n <- Seq(1, 2, 700, 5000, 30000)
      parts <- Seq(1, 3)
      epsilon <- Seq(0.0, 0.01, 0.03)
      (recipe, maxRows) <-
        Seq((unfiltered(epsilon, Windowed.KeepAll), ofKeys(epsilon)), (moments(epsilon), ofMoments(epsilon)))
    } {
      val random = new SplittableRandom(n.toLong)
      val rows = IndexedSeq.tabulate(n)(i => Row(random.nextLong(), time(i, n, random), 0))
      val united, seen = new GroupedTimed(recipe, new Meter)
      rows.grouped((n + parts - 1) / parts).foreach { some =>
        val part = new GroupedTimed(recipe, new Meter)
        put(part, some)
        val bytes = part.sealPart(0)
        assertEquals(isRows(bytes), some.size <= maxRows, s"$recipe, ${some.size} rows, ε $epsilon")
        united.mergePart(0, bytes)
        if (isRows(bytes)) put(seen, some) else seen.merge(0, part.seal(0))
      }
      assert(united.seal(0).sameElements(seen.seal(0)), s"$name, n $n, $parts parts, ε $epsilon")
    }
  }

  test("parts are sealed as sketches if they have filters or a retention, or are empty") {
    val rows = IndexedSeq.tabulate(100)(i => Row(i.toLong, i.toLong, 0))
    val short = WindowSampleRecipe.alone(Domain.BigInt, Domain.BigInt, 50, 1L, 0.01, 50L)
    val kept = Seq(unfiltered(0.01, 50L), short) ++ recipes(0.01, 50L) :+ recipes(0.01, Windowed.KeepAll).head
    kept.foreach { recipe =>
      val part = new GroupedTimed(recipe, new Meter)
      put(part, rows)
      assert(part.sealPart(0).sameElements(part.seal(0)), s"$recipe")
    }
    val empty = new GroupedTimed(unfiltered(0.01, Windowed.KeepAll), new Meter)
    assert(empty.sealPart(0).sameElements(Envelope.seal(unfiltered(0.01, Windowed.KeepAll).empty)))
  }

  test("samples of windows: rows that wait to be drawn give the bytes of rows that are drawn one by one") {
    for {
      (name, time) <- Rows.times
      n <- Seq(1, 49, 50, 399, 400, 401, 5000)
      parts <- Seq(1, 3)
    } {
      val random = new SplittableRandom(n.toLong)
      val rows = IndexedSeq.tabulate(n)(i => Row(random.nextLong(), time(i, n, random), 0))
      val what = s"$name, n $n, $parts parts"
      val twin = sample.empty
      // it draws at once, for it was asked
      assertEquals(twin.count, 0L)
      rows.foreach(r => twin.insert(r.key, r.time, 0))
      val singly = sample.empty
      rows.foreach(r => singly.insert(r.key, r.time, 0))
      assert(Envelope.seal(singly).sameElements(Envelope.seal(twin)), what)
      val united = new GroupedTimed(sample, new Meter)
      val unitedTwin = sample.empty
      rows.grouped((n + parts - 1) / parts).foreach { some =>
        val part = new GroupedTimed(sample, new Meter)
        put(part, some)
        val bytes = part.sealPart(0)
        assertEquals(NumberedPart.isNumbered(bytes), some.size < 400, what)
        if (some.size < 400) assert(isRows(NumberedPart.withoutNumber(bytes)), what)
        united.mergePart(0, bytes)
        // outside a query every part has the number 0
        unitedTwin.mixIn(0L)
        some.foreach(r => unitedTwin.insert(r.key, r.time, 0))
      }
      // handed on as rows, they are inserted in the order of the parts
      if ((n + parts - 1) / parts < 400)
        assert(united.seal(0).sameElements(Envelope.seal(unitedTwin)), what)
      assertEquals(united.summary(0).count, n.toLong, what)
    }
  }

  test("clear returns all memory") {
    val meter = new Meter
    val grouped = new GroupedTimed(recipes(0.1, Windowed.KeepAll).head, meter)
    val before = meter.bytes
    grouped.insertAll(Array.tabulate(1000)(_ % 10), new Array[Long](1000), new Array[Long](1000), 1000, 10)
    assert(meter.bytes > before)
    grouped.clear()
    assertEquals(meter.bytes, before)
    val part = new GroupedTimed(unfiltered(0.1, Windowed.KeepAll), new Meter)
    put(part, IndexedSeq.tabulate(100)(i => Row(i.toLong, i.toLong, 0)))
    grouped.mergePart(0, part.sealPart(0))
    assert(meter.bytes > before)
    grouped.clear()
    assertEquals(meter.bytes, before)
  }
}
