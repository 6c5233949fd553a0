package chronosketch.codec

import chronosketch.{Refusal, Suite}
import chronosketch.domain.Domain
import chronosketch.quantile.QuantileRecipe
import chronosketch.summary.Envelope

/** Tests that the encoding buffer of a thread is never used for two summaries at once. */
class SealingSuite extends Suite {
  private val recipe = QuantileRecipe(Domain.BigInt, 0.01)

  private def bytes(n: Int): Array[Byte] = {
    val sketch = recipe.empty
    (1 to n).foreach(i => sketch.insert(i * 7919L % 10007))
    Envelope.seal(sketch)
  }

  test("a summary that is sealed while another is being written is correct, and so is the other") {
    val (few, many) = (bytes(3).toSeq, bytes(5000).toSeq)
    val sketch = recipe.empty
    (1 to 5000).foreach(i => sketch.insert(i * 7919L % 10007))
    var inner = Seq.empty[Byte]
    val outer = Envelope.seal(recipe) { w =>
      inner = bytes(3).toSeq
      sketch.write(w)
      assertEquals(bytes(3).toSeq, few)
    }
    assertEquals(inner, few)
    assertEquals(outer.toSeq, many)
  }

  test("after a failed write, and after a huge summary, the next summary is correct") {
    val few = bytes(3).toSeq
    intercept[Refusal](Envelope.seal(recipe) { w => w.byte(1); throw Refusal("CHRONOSKETCH_CORRUPT_SKETCH") })
    assertEquals(bytes(3).toSeq, few)
    assertEquals(Envelope.seal(recipe)(_.ones(3 << 20)).length, (3 << 20) + bytes(0).length - payload(0))
    assertEquals(bytes(3).toSeq, few)
  }

  private def payload(n: Int): Int = {
    val w = new Wire.Writer()
    val sketch = recipe.empty
    (1 to n).foreach(i => sketch.insert(i.toLong))
    sketch.write(w)
    w.length
  }
}
