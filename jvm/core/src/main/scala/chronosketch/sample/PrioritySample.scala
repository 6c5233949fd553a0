package chronosketch.sample

import chronosketch.codec.Wire
import chronosketch.summary.Family

/** A sample of fixed size: the rows with the least priorities.
  *
  * Source  Fan, Muller, Rezucha 1962, sampling by random numbers; Meijer 2011, §4.5; departs: no row expires here
  */
final class PrioritySample private[sample] (recipe: SampleRecipe[Sample], stream: Long)
    extends IdentifiedSample(recipe, stream) {
  type Same = PrioritySample

  def family: Family[PrioritySample] = PrioritySamples

  protected def prune(): Unit =
    if (filled > currentSize || (filled == currentSize && limit == Long.MaxValue)) {
      sort()
      filled = currentSize
      limit = priorities(filled - 1)
    }

  protected def mergeSample(that: PrioritySample): Unit = offerAll(that)

  override protected def readSample(reader: Wire.Reader): Array[Long] = {
    val read = super.readSample(reader)
    if (read.length != math.min(rowCount, currentSize.toLong))
      throw reader.corrupt(s"it has ${read.length} of $rowCount values, with room for $currentSize")
    read
  }
}
