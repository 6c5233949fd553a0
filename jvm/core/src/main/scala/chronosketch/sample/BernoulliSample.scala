package chronosketch.sample

import chronosketch.codec.Wire
import chronosketch.summary.Family

/** A sample to which each row belongs with the same probability: 1, and half as much each time that more than `size` rows would.
  *
  * Source  Gemulla, Haas, Sampling algorithms for evolving datasets, 2008, §4, by thresholds of hashes as Gibbons 2001; Meijer 2011, §4.5
  *
  * The rows kept are between half of the size and the size, most of the time.
  */
final class BernoulliSample private[sample] (recipe: SampleRecipe[Sample], stream: Long)
    extends IdentifiedSample(recipe, stream) {
  type Same = BernoulliSample

  // how often the probability was halved
  private var halvings = 0

  def family: Family[BernoulliSample] = BernoulliSamples

  protected def choose(): Unit = {
    while (taken > currentSize && halvings < BernoulliSample.Most) halve(halvings + 1)
    if (taken > currentSize) {
      // bytes may have been forged to have no other priorities: the order of parts must not tell even then
      sort()
      taken = currentSize
    }
  }

  private def halve(to: Int): Unit = {
    halvings = to
    limit = Long.MaxValue >>> halvings
    var o = 0
    var i = 0
    while (i < taken) {
      if (priorities(i) <= limit) {
        priorities(o) = priorities(i)
        keys(o) = keys(i)
        o += 1
      }
      i += 1
    }
    taken = o
  }

  protected def draw(that: BernoulliSample): Unit = {
    if (that.halvings > halvings) halve(that.halvings)
    keepAll(that)
  }

  override protected def writeKept(writer: Wire.Writer): Unit = {
    choose()
    writer.byte(halvings)
    super.writeKept(writer)
  }

  override protected def readKept(reader: Wire.Reader): Array[Long] = {
    halvings = reader.byte()
    if (halvings > BernoulliSample.Most) throw reader.corrupt(s"its probability was halved $halvings times")
    limit = Long.MaxValue >>> halvings
    val read = super.readKept(reader)
    if (halvings == 0 && read.length != seen) throw reader.corrupt(s"it has ${read.length} of $seen values")
    if (priorities.exists(_ > limit)) throw reader.corrupt("it has a row that does not belong to it")
    read
  }
}

private[sample] object BernoulliSample {

  /** Beyond this no row is left but those of priority 0. */
  val Most = 62
}
