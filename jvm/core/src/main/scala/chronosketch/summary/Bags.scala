package chronosketch.summary

import java.util.Arrays

import chronosketch.codec.Wire

/** Makes summaries from bags: small arrays of keys in order of arrival, which stand in for a summary until it is needed. */
trait Bags[+S <: Summary] extends Serializable {

  /** The most keys that a bag may hold. A summary made from a bag of this size is the same as one that got each key at once. */
  def mostInBag: Int = Int.MaxValue

  /** Makes a summary of n keys in order of arrival. It had been queried or stored when it had the first `queried` of them: a
    * summary may keep such keys in another form. The array may be overwritten.
    */
  def ofBag(keys: Array[Long], queried: Int, n: Int): S

  /** [[ofBag]] for n keys in ascending order, all of them queried. The array stays unchanged; the summary has a copy. */
  def ofOrdered(keys: Array[Long], n: Int): S = ofBag(Arrays.copyOf(keys, n), n, n)

  /** The bytes of [[ofOrdered]]. */
  def sealOrdered(keys: Array[Long], n: Int): Array[Byte] = Envelope.seal(ofOrdered(keys, n))

  /** The bytes of a summary of n keys in order of arrival. The array may be overwritten. */
  def seal(keys: Array[Long], n: Int): Array[Byte]

  /** Reads the keys of a small stored summary into an array and returns their number; −1 if they do not fit, or if keys alone
    * cannot replace the summary. If `alone`, the keys must be a queried bag that equals the summary. Otherwise, inserting them in
    * this order must equal merging the summary. Refuses what [[Header.read]] refuses, unless it returns −1.
    */
  def readSmall(reader: Wire.Reader, alone: Boolean, into: Array[Long]): Int = -1
}
