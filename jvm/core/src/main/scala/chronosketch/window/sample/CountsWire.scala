package chronosketch.window.sample

import chronosketch.codec.Wire
import chronosketch.window.ContentWire

/** Encodes buckets that store only the number of their rows. */
private[sample] object CountsWire extends ContentWire {
  def write(w: Wire.Writer, count: Long, content: AnyRef, key: Long): Long = {
    w.varint(count)
    key
  }

  def read(r: Wire.Reader, key: Long): ContentWire.Read = ContentWire.Read(r.varint(), null, key)
}
