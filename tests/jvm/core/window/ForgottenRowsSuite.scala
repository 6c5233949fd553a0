package chronosketch.window

import chronosketch.Suite
import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.summary.Envelope

/** Tests the count of forgotten rows, which saturates at Long.MaxValue. */
class ForgottenRowsSuite extends Suite {
  private val recipe = WindowSketches.recipe(Domain.BigInt, Domain.BigInt, Seq(0.01), 10L, Vector.empty)

  private def afterForgetting(rows: Long): Windowed = {
    val sketch = recipe.empty.asInstanceOf[Windowed]
    sketch.restore(0L, rows)
    (0L to 30L).foreach(time => sketch.insert(time, time, 0))
    sketch
  }

  test("forgotten rows are added to those forgotten before") {
    assertEquals(afterForgetting(5L).forgotten, 5L + 21L)
  }

  test("the count saturates at Long.MaxValue, and is read back from bytes") {
    for (before <- Seq(Long.MaxValue - 21L, Long.MaxValue - 20L, Long.MaxValue)) {
      val sketch = afterForgetting(before)
      val read = Envelope.open(Envelope.seal(sketch), Families.byId).asInstanceOf[Windowed]
      assertEquals(sketch.forgotten, Long.MaxValue)
      assertEquals(read.forgotten, Long.MaxValue)
    }
  }
}
