package chronosketch.summary

import java.util.Arrays

import chronosketch.codec.Wire

/** How keys wait in a bag, in order of arrival, before there is a summary of them. */
trait Bags[+S <: Summary] extends Serializable {

  /** How many keys may wait at most: as many as leave the summary no different from one that had each as it came. */
  def mostInBag: Int = Int.MaxValue

  /** A summary of n keys in order of arrival, of which the first `settled` had been asked about or stored before the others
    * came. The array may be used for work.
    */
  def ofBag(keys: Array[Long], settled: Int, n: Int): S

  /** As [[ofBag]], of n settled keys in ascending order. The array stays as it is, and the summary has a copy of it. */
  def ofOrdered(keys: Array[Long], n: Int): S = ofBag(Arrays.copyOf(keys, n), n, n)

  /** The bytes of [[ofOrdered]]. */
  def sealOrdered(keys: Array[Long], n: Int): Array[Byte] = Envelope.seal(ofOrdered(keys, n))

  /** The bytes of a summary of n keys in order of arrival. The array may be used for work. */
  def seal(keys: Array[Long], n: Int): Array[Byte]

  /** The keys of a stored summary where they fit, and either, `alone`, the summary is a settled bag of them, or merging it into
    * another is inserting them in this order; their number, or −1. Refuses what [[Header.read]] refuses, but where it gives −1.
    */
  def readSmall(reader: Wire.Reader, alone: Boolean, into: Array[Long]): Int = -1
}
