package chronosketch.window

import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.summary.Envelope

/** How many rows were forgotten is told as well as 63 bits can. */
class ForgottenSuite extends munit.FunSuite {
  private val recipe = WindowSketches.recipe(Domain.BigInt, Domain.BigInt, Seq(0.01), 10L, Vector.empty)

  private def afterForgetting(rows: Long): Windowed = {
    val sketch = recipe.empty.asInstanceOf[Windowed]
    sketch.restore(0L, rows)
    (0L to 30L).foreach(time => sketch.insert(time, time, 0))
    sketch
  }

  test("rows are added to those that were forgotten before") {
    assertEquals(afterForgetting(5L).forgotten, 5L + 21L)
  }

  test("more than 63 bits stay the greatest number, and what is stored is read again") {
    for (before <- Seq(Long.MaxValue - 21L, Long.MaxValue - 20L, Long.MaxValue)) {
      val sketch = afterForgetting(before)
      val read = Envelope.open(Envelope.seal(sketch), Families.byId).asInstanceOf[Windowed]
      assertEquals(sketch.forgotten, Long.MaxValue)
      assertEquals(read.forgotten, Long.MaxValue)
    }
  }
}
