package chronosketch.summary

import chronosketch.codec.Envelope
import chronosketch.domain.Domain

/** The bytes that summaries hold. */
final class Meter {
  var bytes = 0L
  def add(n: Long): Unit = bytes += n
}

/** The summaries of all groups of a column, by the number of the group. */
final class GroupedSummaries private (
    family: Family,
    domain: Domain,
    parameters: Array[Double],
    meter: Meter
) {
  private var own = new Array[Summary](16)
  private def grow(group: Int): Unit =
    if (group >= own.length) own = java.util.Arrays.copyOf(own, math.max(group + 1, own.length * 2))
  def add(group: Int, key: Long): Boolean = false
  def summary(group: Int): Summary = {
    grow(group)
    if (own(group) == null) { own(group) = family.empty(domain, parameters); meter.add(1000) }
    own(group)
  }
  def insert(group: Int, key: Long): Unit = summary(group).insert(key)
  def insert(group: Int, key: Long, copies: Long): Unit = summary(group).insert(key, copies)
  def merge(group: Int, bytes: Array[Byte]): Unit = {
    grow(group)
    val that = Envelope.open(bytes)
    if (own(group) == null) own(group) = that else own(group).merge(that)
  }
  def isTouched(group: Int): Boolean = group < own.length && own(group) != null
  def seal(group: Int): Array[Byte] =
    if (isTouched(group)) Envelope.seal(own(group))
    else if (family == null) null
    else Envelope.seal(family.empty(domain, parameters))
  def ask(group: Int): Summary =
    if (isTouched(group)) own(group) else if (family == null) null else family.empty(domain, parameters)
  def clear(): Unit = { own = new Array[Summary](16); meter.bytes = 0 }
}

object GroupedSummaries {
  def building(family: Family, domain: Domain, parameters: Array[Double], meter: Meter): GroupedSummaries =
    new GroupedSummaries(family, domain, parameters, meter)
  def union(meter: Meter): GroupedSummaries = new GroupedSummaries(null, null, null, meter)
}
