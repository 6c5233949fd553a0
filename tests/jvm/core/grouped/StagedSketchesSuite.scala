package chronosketch.grouped

import scala.collection.mutable
import scala.util.Random

import munit.FunSuite

import chronosketch.Refusal
import chronosketch.codec.Stored
import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.memory.Meter
import chronosketch.quantile.{GreenwaldKhanna, QuantileFamily, QuantileRecipe}
import chronosketch.rank.Tail
import chronosketch.summary.{Envelope, Summary, SummaryLaws}

/** Tests that staged sketches give the same bytes as sketches that are opened and merged one by one. */
class StagedSketchesSuite extends FunSuite {
  import SummaryLaws.hex

  /** Grouped unions beside a map of summaries that merge each sketch at once. */
  private final class Model {
    val meter = new Meter
    val groups = new GroupedUnions(meter)
    private val expected = mutable.Map.empty[Int, Summary]

    def merge(group: Int, bytes: Array[Byte]): Unit = {
      val that = Families.open(bytes)
      // a group that begins with an empty sketch keeps the keys of the next one in another form
      if (expected.contains(group) || !that.isEmpty) {
        expected(group) = expected.get(group).fold(that)(Summary.union(_, that))
        groups.merge(group, bytes)
      }
    }

    def check(group: Int): Unit = expected.get(group).foreach { summary =>
      assertEquals(hex(groups.seal(group)), hex(summary), s"group $group")
    }

    def checkAll(): Unit = expected.keys.toSeq.sorted.foreach(check)
  }

  private def sketch(recipe: QuantileRecipe, keys: Iterable[Long]): Array[Byte] = {
    val summary = recipe.empty
    keys.foreach(summary.insert(_))
    Envelope.seal(summary)
  }

  private def keys(random: Random, n: Int, below: Int): Seq[Long] =
    Seq.fill(n)(random.nextInt(below).toLong)

  private val recipe = QuantileRecipe(Domain.BigInt, 0.01)

  test("small sketches of one group, of many, and of more groups than are staged equal single merges") {
    Seq(1 -> 9000, 480 -> 60000, 17000 -> 120000).foreach { case (n, sketches) =>
      val random = new Random(n)
      val model = new Model
      (0 until sketches).foreach { i =>
        // a few groups get most of the sketches, and some groups have no summary yet
        val group = math.max(random.nextInt(n), random.nextInt(n))
        model.merge(group, sketch(recipe, keys(random, random.nextInt(13), 1 << (i % 31))))
        if (i % 20011 == 0) model.check(group)
      }
      model.checkAll()
      model.groups.clear()
      assertEquals(model.meter.bytes, 0L)
    }
  }

  test("sketches of other sizes, errors, tails and types between staged ones are merged in order") {
    val others = Seq(
      recipe,
      QuantileRecipe(Domain.BigInt, 0.05),
      QuantileRecipe(Domain.Int, 0.01)
    )
    Seq(others, Seq(QuantileRecipe(Domain.BigInt, 0.01, QuantileFamily.of(Some(Tail.High)))))
      .zipWithIndex.foreach { case (recipes, seed) =>
        val random = new Random(seed)
        val model = new Model
        (0 until 12000).foreach { i =>
          val other = if (random.nextInt(40) == 0) recipes(random.nextInt(recipes.length)) else recipes.head
          val n = if (random.nextInt(30) == 0) random.nextInt(3000) else random.nextInt(9)
          val group = random.nextInt(40)
          model.merge(group, sketch(other, keys(random, n, if (i % 7 == 0) 3 else 100000)))
          if (i % 997 == 0) model.check(random.nextInt(40))
        }
        model.checkAll()
      }
  }

  test("a refused sketch changes nothing, and staged keys before and after it count") {
    val random = new Random(5)
    val model = new Model
    (0 until 400).foreach { i =>
      model.merge(i % 3, sketch(recipe, keys(random, 6, 1000000)))
      val broken = sketch(recipe, keys(random, 6, 1000000))
      // the number of keys
      broken(23) = 7
      intercept[Refusal](model.groups.merge(i % 3, Stored.reseal(broken)))
    }
    model.checkAll()
  }

  test("a group whose count has no room for staged keys refuses them at once") {
    val heavy = new GreenwaldKhanna(Domain.BigInt, 0.01)
    (0L until 100L).foreach(heavy.insert(_))
    heavy.insert(1L, Long.MaxValue - 103)
    val groups = new GroupedUnions(new Meter)
    groups.merge(0, sketch(recipe, Seq(1L)))
    groups.merge(0, Envelope.seal(heavy))
    groups.merge(0, sketch(recipe, Seq(5L, 6L)))
    val before = hex(groups.seal(0))
    intercept[Refusal](groups.merge(0, sketch(recipe, Seq(5L, 6L, 7L))))
    assertEquals(hex(groups.seal(0)), before)
  }
}
