package chronosketch.sample

import chronosketch.codec.Wire
import chronosketch.summary.Family

/** A sample that contains each row with the same probability. The probability starts at 1 and is halved whenever more than `size`
  * rows would belong to the sample.
  *
  * Source  Gemulla, Haas, Sampling algorithms for evolving datasets, 2008, §4, with thresholds for hashes as in Gibbons 2001;
  *         Meijer 2011, §4.5
  *
  * Most of the time the sample has between half of `size` and `size` rows.
  */
final class BernoulliSample private[sample] (recipe: SampleRecipe[Sample], stream: Long)
    extends IdentifiedSample(recipe, stream) {
  type Same = BernoulliSample

  // how many times the probability was halved
  private var halvings = 0

  def family: Family[BernoulliSample] = BernoulliSamples

  protected def prune(): Unit = {
    while (filled > currentSize && halvings < BernoulliSample.Most) halve(halvings + 1)
    if (filled > currentSize) {
      // only forged bytes have this many rows of priority 0; even then the order of merges must not matter
      sort()
      filled = currentSize
    }
  }

  private def halve(to: Int): Unit = {
    halvings = to
    limit = Long.MaxValue >>> halvings
    var o = 0
    var i = 0
    while (i < filled) {
      if (priorities(i) <= limit) {
        priorities(o) = priorities(i)
        keys(o) = keys(i)
        o += 1
      }
      i += 1
    }
    filled = o
  }

  protected def mergeSample(that: BernoulliSample): Unit = {
    if (that.halvings > halvings) halve(that.halvings)
    offerAll(that)
  }

  override protected def writeSample(writer: Wire.Writer): Unit = {
    prune()
    writer.byte(halvings)
    super.writeSample(writer)
  }

  override protected def readSample(reader: Wire.Reader): Array[Long] = {
    halvings = reader.byte()
    if (halvings > BernoulliSample.Most) throw reader.corrupt(s"its probability was halved $halvings times")
    limit = Long.MaxValue >>> halvings
    val read = super.readSample(reader)
    if (halvings == 0 && read.length != rowCount)
      throw reader.corrupt(s"it has ${read.length} of $rowCount values")
    if (priorities.exists(_ > limit)) throw reader.corrupt("it has a row that does not belong to it")
    read
  }
}

private[sample] object BernoulliSample {

  /** After more halvings only rows of priority 0 remain. */
  val Most = 62
}
