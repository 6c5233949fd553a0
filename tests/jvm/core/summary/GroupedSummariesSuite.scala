package chronosketch.summary

import scala.collection.mutable

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.codec.Stored
import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.grouped.{GroupedInserts, GroupedRows, GroupedSummaries, GroupedUnions, KeyBags}
import chronosketch.memory.Meter
import chronosketch.qlove.PaneLaws
import chronosketch.quantile.{GreenwaldKhanna, QuantileRecipe}
import chronosketch.window.WindowLaws

/** Tests that grouped summaries equal a map of summaries, byte for byte, after any steps in any order. */
class GroupedSummariesSuite extends CheckSuite {
  import Columns._
  import SummaryLaws.hex

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(70))
  private def refusal(body: => Unit): Option[Refusal] =
    try { body; None }
    catch { case r: Refusal => Some(r) }

  private def text(bytes: Array[Byte]): String = if (bytes == null) "null" else hex(bytes)

  /** Grouped summaries together with a map of summaries as a reference. */
  private abstract class Model {
    val meter = new Meter
    meter.add(77)
    def groups: GroupedSummaries[_ <: Summary]
    def expected(group: Int): String
    def run(step: Step): Unit
    def touched: collection.Set[Int]

    def check(): Unit = {
      (0 until 1200).foreach { group =>
        assertEquals(groups.isTouched(group), touched(group), s"group $group")
      }
      (touched.toSeq ++ Seq(5, 100000)).sorted.foreach { group =>
        assertEquals(text(groups.seal(group)), expected(group), s"group $group")
      }
    }

    protected def checkAnswer(group: Int): Unit = {
      val answer = groups.ask(group)
      assertEquals(if (answer == null) "null" else hex(answer), expected(group))
    }
  }

  /** A model of summaries built from values. */
  private final class InsertsModel(column: Column) extends Model {
    val groups = new GroupedInserts(column.recipe, meter)
    private val summaries = mutable.Map.empty[Int, Inserts]
    def touched: collection.Set[Int] = summaries.keySet
    private def reference(group: Int): Inserts = summaries.getOrElseUpdate(group, column.empty())
    def expected(group: Int): String = hex(summaries.getOrElse(group, column.empty()))

    def run(step: Step): Unit = step match {
      case Keys(group, keys) =>
        keys.foreach { key =>
          reference(group).insert(key)
          groups.insert(group, key)
        }
      case Many(group, many) =>
        many.keys(column.domain).foreach { key =>
          reference(group).insert(key)
          groups.insert(group, key)
        }
      case Copies(group, key, copies) =>
        if (copies > 0) reference(group).insert(key, copies)
        groups.insert(group, key, copies)
      case Own(group, key) =>
        reference(group).insert(key)
        groups.summary(group).insert(key)
      case Seal(group) => assertEquals(text(groups.seal(group)), expected(group))
      case Ask(group) => checkAnswer(group)
      case Merge(_, _) => fail("this model is built from values")
      case Clear =>
        groups.clear()
        summaries.clear()
        assertEquals(meter.bytes, 77L)
    }
  }

  /** A model of merged stored sketches. */
  private final class UnionsModel extends Model {
    val groups = new GroupedUnions(meter)
    private val summaries = mutable.Map.empty[Int, Summary]
    def touched: collection.Set[Int] = summaries.keySet
    def expected(group: Int): String = summaries.get(group).fold("null")(hex(_))

    def run(step: Step): Unit = step match {
      case Merge(group, part) => merge(group, Envelope.seal(part.summary))
      case Seal(group) => assertEquals(text(groups.seal(group)), expected(group))
      case Ask(group) => checkAnswer(group)
      case Clear =>
        groups.clear()
        summaries.clear()
        assertEquals(meter.bytes, 77L)
      case other => fail(s"this model cannot run $other")
    }

    private def merge(group: Int, bytes: Array[Byte]): Unit = {
      val theirs = refusal {
        val that = Families.open(bytes)
        summaries(group) = summaries.get(group).fold(that)(Summary.union(_, that))
      }
      val ours = refusal(groups.merge(group, bytes))
      assertEquals(ours.map(_.getMessage), theirs.map(_.getMessage))
    }
  }

  property("built from values, each group equals the summary of its keys") {
    forAll(column.flatMap(c => building(c).map(c -> _))) { case (c, steps) =>
      val model = new InsertsModel(c)
      steps.foreach(model.run)
      model.check()
      model.run(Clear)
      model.check()
      // cleared groups can be filled again
      steps.take(5).foreach(model.run)
      model.check()
    }
  }

  property(
    "built from values with times, each group equals the summary of its rows, also after merging parts"
  ) {
    val timed = for {
      recipe <- Gen.oneOf(WindowLaws.recipes(Domain.BigInt), PaneLaws.recipes(Domain.BigInt))
      rows <- Gen.listOf(Gen.zip(groups, Gen.choose(-9L, 99L), Gen.choose(0L, 9L), Gen.oneOf(true, false)))
    } yield (recipe, rows)
    forAll(timed) { case (recipe, rows) =>
      val (here, there) =
        (new GroupedRows[Timed](recipe, new Meter), new GroupedRows[Timed](recipe, new Meter))
      val (left, right) = (mutable.Map.empty[Int, Timed], mutable.Map.empty[Int, Timed])
      rows.foreach { case (group, key, time, isHere) =>
        (if (isHere) left else right).getOrElseUpdate(group, recipe.empty).insert(key, time, 0)
        (if (isHere) here else there).summary(group).insert(key, time, 0)
      }
      (0 to 3).foreach { group =>
        val expected = left.getOrElse(group, recipe.empty)
        assertEquals(hex(here.seal(group)), hex(expected))
        right.get(group).foreach { part =>
          here.merge(group, there.seal(group))
          if (left.contains(group)) {
            expected.merge(part)
            assertEquals(hex(here.ask(group)), hex(expected))
          } else assertEquals(hex(here.ask(group)), hex(part))
        }
      }
    }
  }

  property("merged from sketches, each group equals the first sketch with the others merged into it") {
    forAll(maker.flatMap { case (m, d) => union(m, d) }) { steps =>
      val model = new UnionsModel
      steps.foreach(model.run)
      model.check()
      model.run(Clear)
      model.check()
      steps.take(5).foreach(model.run)
      model.check()
    }
  }

  test("bags of every size, and the summaries that replace them") {
    for (laws <- LawsOf.inserting; p <- Seq(0.0, 1e-4, 1e-3, 0.01, 0.1, 0.5)) {
      val numbers = laws.family.parameters.map(t => math.max(t.least, math.min(t.greatest, p)))
      val c = Column(laws.inserting.recipe(Domain.BigInt, numbers))
      val model = new InsertsModel(c)
      val union = new UnionsModel
      val random = new java.util.SplittableRandom(8)
      // a key for each group in turn, so that the segments of the groups alternate in memory
      (1 to 100).foreach { n =>
        (n to 100).foreach { group =>
          model.run(Keys(group, List(random.nextInt(50).toLong)))
        }
      }
      model.check()
      (0 to 90).foreach { n =>
        val keys = List.fill(n)(random.nextLong())
        (0 to 3).foreach { i =>
          union.run(Merge(n, Part(c.maker, List(Operation.Insert(keys.map(_ + i))), 1)))
        }
      }
      union.check()
    }
  }

  test("keys of many groups in any order, also more groups than are staged, equal single inserts") {
    Seq(1, 3, 700, 16384, 20000).foreach { n =>
      val random = new scala.util.Random(n)
      val groups = new GroupedInserts(QuantileRecipe(Domain.BigInt, 0.01), new Meter)
      val expected = Array.fill(n)(new GreenwaldKhanna(Domain.BigInt, 0.01))
      (0 until 200000).foreach { i =>
        // a few groups get most of the keys
        val group = math.min(random.nextInt(n), random.nextInt(n))
        val key = random.nextInt(1000).toLong
        expected(group).insert(key)
        groups.insert(group, key)
        if (i % 50021 == 0) assertEquals(hex(groups.seal(group)), hex(expected(group)))
      }
      expected.indices.foreach(g => assertEquals(hex(groups.seal(g)), hex(expected(g))))
    }
  }

  test("a forgotten group releases its memory at once and leaves the others unchanged") {
    val meter = new Meter
    val groups = new GroupedInserts(QuantileRecipe(Domain.BigInt, 1e-4), meter)
    (0 until 400000).foreach(i => groups.insert(i % 40, i.toLong))
    val sealedOnes = (0 until 40).map(g => hex(groups.seal(g)))
    val before = meter.bytes
    (0 until 39).foreach(groups.forget)
    groups.forget(0) // a second time has no effect
    assert(meter.bytes < before / 4, s"${meter.bytes} of $before bytes are left")
    assertEquals(hex(groups.seal(39)), sealedOnes(39))
    groups.clear()
    assertEquals(hex(groups.seal(0)), hex(new GreenwaldKhanna(Domain.BigInt, 1e-4)))
  }

  test("merging only empty sketches gives an empty sketch") {
    val meter = new Meter
    val united = new GroupedUnions(meter)
    assert(!united.isTouched(3))
    assertEquals(united.seal(3), null)
    assertEquals(united.ask(3), null)
    val nothing = Envelope.seal(new GreenwaldKhanna(Domain.Int, 0.1))
    united.merge(3, nothing)
    assert(united.isTouched(3))
    assertEquals(hex(united.seal(3)), hex(nothing))
    assertEquals(united.ask(3).count, 0L)
    assert(!united.isTouched(2))
  }

  test("a million groups of twenty values take at most 12 bytes per value") {
    val meter = new Meter
    val groups = new GroupedInserts(QuantileRecipe(Domain.BigInt, 1e-3), meter)
    val n = 1000000
    (0 until 20).foreach { i =>
      var group = 0
      while (group < n) { groups.insert(group, group.toLong * i); group += 1 }
    }
    assert(meter.bytes <= 12L * 20 * n, s"${meter.bytes} bytes")
    Seq(0, 1, 77777, n - 1).foreach { group =>
      val expected = new GreenwaldKhanna(Domain.BigInt, 1e-3)
      (0 until 20).foreach(i => expected.insert(group.toLong * i))
      assertEquals(hex(groups.seal(group)), hex(expected))
    }
    groups.clear()
    assertEquals(meter.bytes, 0L)
  }

  test("the segments of closed groups are used again") {
    val meter = new Meter
    val bags = new KeyBags(meter)
    def fill(group: Int): Unit = (0 until KeyBags.MostKeys).foreach(i => assert(bags.add(group, i.toLong)))
    // allocate all states first, so that only the memory of keys can grow later
    assert(bags.add(5000, 1))
    fill(0)
    val before = meter.bytes
    bags.close(0, 0)
    (1 until 5000).foreach { group =>
      fill(group)
      bags.close(group, group)
    }
    assertEquals(meter.bytes, before)
    assertEquals(bags.handle(4999), 4999)
  }

  /** Every state that a group can be in, and a function that brings it there. */
  private val states: Seq[(String, GroupedUnions => Unit)] = {
    val few = new GreenwaldKhanna(Domain.BigInt, 1e-3)
    (1L to 10L).foreach(few.insert(_))
    val large = new GreenwaldKhanna(Domain.BigInt, 0.02)
    (1L to 5000L).foreach(i => large.insert(i * i % 1009))
    Seq(
      "untouched" -> (_ => ()),
      "empty" -> (_.merge(1, Envelope.seal(new GreenwaldKhanna(Domain.BigInt, 1e-3)))),
      "bag" -> (_.merge(1, Envelope.seal(few))),
      "summary" -> (_.merge(1, Envelope.seal(large)))
    )
  }

  test("corrupt bytes are refused as by Families.open, and the group stays unchanged") {
    val small = Stored.all.map { case (name, s) => name -> Envelope.seal(s) }.filter(_._2.length < 400)
    var refused, accepted = 0
    for (((state, prepare), i) <- states.zipWithIndex; (name, bytes) <- small) {
      var groups: GroupedUnions = null
      var before = ""
      def fresh(): Unit = {
        groups = new GroupedUnions(new Meter)
        prepare(groups)
        before = text(groups.seal(1))
      }
      fresh()
      // each bit is tested in one of the states, or in all of them
      (0 until bytes.length * 8).filter(bit => Cases.turn(bit, states.indices).contains(i)).foreach { bit =>
        val flipped = bytes.clone()
        flipped(bit / 8) = (flipped(bit / 8) ^ (1 << bit % 8)).toByte
        // with the old checksum, and with a valid one, so that the payload is decoded
        Seq(
          flipped
        ) ++ Option.when(bit >= 72 && bit < (bytes.length - 4) * 8)(Stored.reseal(flipped)) foreach {
          b =>
            val what = s"$state, $name, bit $bit"
            val theirs = refusal {
              val that = Families.open(b)
              if (before != "null") {
                Summary.union(Families.open(java.util.HexFormat.of.parseHex(before)), that)
              }
            }
            val ours = refusal(groups.merge(1, b))
            assertEquals(ours.map(_.getMessage), theirs.map(_.getMessage), what)
            if (ours.isDefined) {
              refused += 1
              assertEquals(text(groups.seal(1)), before, what)
              assertEquals(groups.isTouched(1), before != "null", what)
            } else { accepted += 1; fresh() }
        }
      }
    }
    assert(refused > 10000 && accepted > 1000, s"$refused refused, $accepted accepted")
  }

  test("no bytes, and bytes of an unknown family, are refused") {
    val groups = new GroupedUnions(new Meter)
    assertEquals(refusal(groups.merge(0, Array.emptyByteArray)).get.condition, "CHRONOSKETCH_NOT_A_SKETCH")
    val foreign = Envelope.seal(new GreenwaldKhanna(Domain.Int, 0.1))
    foreign(9) = 77
    assertEquals(
      refusal(groups.merge(0, Stored.reseal(foreign))).get.condition,
      "CHRONOSKETCH_UNKNOWN_FAMILY"
    )
    assert(!groups.isTouched(0))
  }
}
