package chronosketch.window

import chronosketch.bucketing.Contents
import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.quantile.{GreenwaldKhanna, QuantileRecipe}

/** Encodes the content of a bucket with more than one position. `key` is the last key written; the next one is encoded as a
  * difference from it.
  */
private[chronosketch] trait ContentWire {

  /** Writes the content. Returns the last key written. */
  def write(w: Wire.Writer, count: Long, content: AnyRef, key: Long): Long

  def read(r: Wire.Reader, key: Long): ContentWire.Read
}

private[chronosketch] object ContentWire {
  final case class Read(count: Long, content: AnyRef, key: Long)
}

/** Encodes sorted keys, or a quantile sketch. */
private[window] final class KeysWire(domain: Domain, epsilon: Double) extends ContentWire {
  import KeysWire._

  def write(w: Wire.Writer, count: Long, content: AnyRef, key: Long): Long = content match {
    case keys: Array[Long] =>
      w.byte(Keys)
      w.varint(keys.length.toLong)
      w.zigzag(keys(0) - key)
      w.differences(keys, keys.length)
      keys(0)
    case sketch: GreenwaldKhanna =>
      w.byte(Tuples)
      sketch.write(w)
      key
    case other => throw new IllegalStateException(s"no content of a bucket: $other")
  }

  def read(r: Wire.Reader, key: Long): ContentWire.Read = r.byte() match {
    case Keys =>
      val keys = readKeys(r, key)
      ContentWire.Read(keys.length.toLong, keys, keys(0))
    case Tuples =>
      val sketch = QuantileRecipe(domain, Contents.share(epsilon)).read(r)
      ContentWire.Read(sketch.count, sketch, key)
    case other => throw r.corrupt(s"a bucket has an unknown form ($other)")
  }

  private def readKeys(r: Wire.Reader, before: Long): Array[Long] = {
    val n = r.size(1)
    if (n == 0) throw r.corrupt("it has an empty bucket")
    val keys = new Array[Long](n)
    keys(0) = before + r.zigzag()
    r.differences(keys, n)
    var i = 1
    while (i < n) {
      if (keys(i) < keys(i - 1)) throw r.corrupt("its values are not in order")
      i += 1
    }
    if (!domain.holdsAll(keys, n)) throw r.corrupt(s"it has a value that ${domain.sql} can't have")
    keys
  }
}

private object KeysWire {
  private val Keys = 0
  private val Tuples = 1
}
