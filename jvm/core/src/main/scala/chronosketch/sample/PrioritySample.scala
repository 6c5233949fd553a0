package chronosketch.sample

import chronosketch.codec.Wire
import chronosketch.summary.Family

/** A sample of a fixed size: the rows of the least priorities.
  *
  * Source  Fan, Muller, Rezucha 1962, sampling by random numbers; Meijer 2011, §4.5; departs: no row expires here
  */
final class PrioritySample private[sample] (recipe: SampleRecipe[Sample], stream: Long)
    extends IdentifiedSample(recipe, stream) {
  type Same = PrioritySample

  def family: Family[PrioritySample] = PrioritySamples

  protected def choose(): Unit =
    if (taken > currentSize || (taken == currentSize && limit == Long.MaxValue)) {
      sort()
      taken = currentSize
      limit = priorities(taken - 1)
    }

  protected def draw(that: PrioritySample): Unit = keepAll(that)

  override protected def readKept(reader: Wire.Reader): Array[Long] = {
    val read = super.readKept(reader)
    if (read.length != math.min(seen, currentSize.toLong))
      throw reader.corrupt(s"it has ${read.length} of $seen values, with room for $currentSize")
    read
  }
}
