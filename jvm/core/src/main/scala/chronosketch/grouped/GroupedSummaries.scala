package chronosketch.grouped

import java.util.Arrays

import chronosketch.domain.Domain
import chronosketch.summary.{Envelope, Family, Meter, Summary}

/** What does each of a million groups see, most of them little?
  *
  * Guarantee  every answer and every byte is that of a [[Summary]] a group, which saw the same in the same order
  * Cost       up to 64 keys of a group lie in [[KeyBags]], without an object; beyond that a summary of its own
  * Units      groups are numbered from 0 without gaps
  * Merge      [[merge]]: a union of stored sketches; small exact ones go from bytes to the bag
  *
  * Which summaries these are: building, values into `family.empty(domain, parameters)`; or a union of stored ones, whose
  * family, value type and parameters come from the first one met in each group. All bags have one header, that of the first
  * small sketch; a group of another has a summary from the start. Not thread-safe.
  */
final class GroupedSummaries private (
    buildingFamily: Family,
    buildingDomain: Domain,
    buildingParameters: Array[Double],
    meter: Meter
) {
  private val isBuilding = buildingFamily != null
  private var family = buildingFamily
  private var domain = buildingDomain
  private var parameters = buildingParameters

  /** What the bags of a union have, once there are any. */
  private var header: Envelope.Header = null
  private var latest: Envelope.Header = null

  private val bags = new KeyBags(meter)
  if (isBuilding) bags.limitTo(family.mostInBag(parameters))

  private var summaries: Array[Summary] = GroupedSummaries.NoSummaries
  private var promoted = 0

  // one bag on its way out, and one on its way in
  private val out, in = new Array[Long](KeyBags.MostKeys)

  // null until the first key comes
  private var staging: Staging = null
  private var sorting: GroupSort = null

  /** The group's own summary; a bag becomes one. */
  def summary(group: Int): Summary = {
    unstage()
    ownOf(group)
  }

  private def ownOf(group: Int): Summary = {
    val handle = bags.handle(group)
    if (handle >= 0) summaries(handle) else promote(group)
  }

  def insert(group: Int, key: Long): Unit =
    if (group >= Staging.Groups) insertNow(group, key)
    else if (staging == null) stage(group, key)
    else if (staging.isFullWith(group, key)) unstage()

  private def insertNow(group: Int, key: Long): Unit = if (!bags.add(group, key)) ownOf(group).insert(key)

  private def stage(group: Int, key: Long): Unit = {
    staging = new Staging(meter)
    insert(group, key)
  }

  /** Puts every staged key where it belongs. */
  private def unstage(): Unit = if (staging != null && !staging.isEmpty) {
    if (sorting == null) sorting = new GroupSort(meter)
    insertRuns(staging.sortInto(sorting))
  }

  /** The first n keys, each into the group of its number, which is less than `groupsUntil`. */
  def insertAll(groups: Array[Int], keys: Array[Long], n: Int, groupsUntil: Int): Unit = {
    unstage()
    if (groupsUntil <= Staging.Groups) {
      if (sorting == null) sorting = new GroupSort(meter)
      sorting.sort(groups, keys, n, groupsUntil)
      insertRuns(groupsUntil - 1)
    } else {
      var from = 0
      while (from < n) {
        val until = math.min(n, from + GroupedSummaries.Touched)
        bags.touchAll(groups, from, until)
        while (from < until) { insertNow(groups(from), keys(from)); from += 1 }
      }
    }
  }

  private def insertRuns(greatest: Int): Unit = {
    val keys = sorting.run
    var from = 0
    var group = 0
    while (group <= greatest) {
      val until = sorting.runEnd(group)
      if (from < until) insertRun(group, keys, from, until)
      from = until
      group += 1
    }
  }

  private def insertRun(group: Int, keys: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    if (bags.handle(group) < 0) while (i < until && bags.add(group, keys(i))) i += 1
    if (i < until) ownOf(group).insertAll(keys, i, until)
  }

  def insert(group: Int, key: Long, copies: Long): Unit =
    if (family.insertsSingly(copies)) {
      var i = copies
      while (i > 0) { insert(group, key); i -= 1 }
    } else if (copies != 0) summary(group).insert(key, copies)

  /** The union with a sealed sketch; a refusal leaves the group as it was. */
  def merge(group: Int, bytes: Array[Byte]): Unit = {
    Envelope.check(bytes)
    unstage()
    if (bags.handle(group) >= 0) mergeStored(ownOf(group), bytes)
    else if (!mergeSmall(group, bytes)) {
      if (bags.isTouched(group)) mergeStored(promote(group), bytes)
      else own(group, Envelope.openChecked(bytes))
    }
  }

  private def mergeStored(summary: Summary, bytes: Array[Byte]): Unit = {
    val stored = headerOf(bytes)
    if (stored.family eq summary.family)
      summary.mergeStored(stored.payload(bytes), stored.domain, stored.parameters)
    else summary.merge(Envelope.openChecked(bytes))
  }

  /** Mostly the one of the bags, or else of the sketch before: then nothing is parsed. */
  private def headerOf(bytes: Array[Byte]): Envelope.Header =
    if (header != null && header.isOf(bytes)) header
    else {
      if (latest == null || !latest.isOf(bytes)) latest = Envelope.Header.of(bytes)
      latest
    }

  /** From the bytes into the bag; false, and nothing has changed, where they don't fit one. */
  private def mergeSmall(group: Int, bytes: Array[Byte]): Boolean = {
    val stored = headerOf(bytes)
    (header == null || (stored eq header)) && {
      val reader = stored.payload(bytes)
      val isFirst = !bags.isTouched(group)
      val n = stored.family.readSmall(reader, stored.domain, stored.parameters, isFirst, in)
      if (n >= 0) reader.requireEnd()
      n >= 0 && {
        if (header == null) takeHeader(stored)
        bags.hasRoom(group, n) && {
          var i = 0
          while (i < n) { bags.add(group, in(i)); i += 1 }
          bags.touch(group)
          if (isFirst) bags.settle(group)
          true
        }
      }
    }
  }

  private def takeHeader(first: Envelope.Header): Unit = {
    header = first
    family = first.family
    domain = first.domain
    parameters = first.parameters
    bags.limitTo(family.mostInBag(parameters))
  }

  private def promote(group: Int): Summary = {
    val n = bags.copyTo(group, out)
    own(group, family.ofBag(domain, parameters, out, bags.settled(group), n))
  }

  private def own(group: Int, summary: Summary): Summary = {
    if (promoted == summaries.length) {
      val before = summaries.length
      summaries = Arrays.copyOf(summaries, math.max(16, before * 2))
      meter.add(Meter.references(summaries.length) - Meter.references(before))
    }
    summaries(promoted) = summary
    summary.meteredBy(meter)
    bags.close(group, promoted)
    promoted += 1
    summary
  }

  /** Whether the group has seen anything; a union of nothing but empty sketches has. */
  def isTouched(group: Int): Boolean = {
    unstage()
    bags.isTouched(group)
  }

  /** The bytes of the group's sketch; null for a group of a union that has seen nothing. */
  def seal(group: Int): Array[Byte] = {
    unstage()
    val handle = bags.handle(group)
    if (handle >= 0) Envelope.seal(summaries(handle))
    else if (!hasAnswer(group)) null
    else {
      val n = bags.copyTo(group, out)
      bags.settle(group)
      family.sealSmall(domain, parameters, out, n)
    }
  }

  /** The group's summary to be asked, not to be changed: it may live only until the next call; null as in [[seal]]. */
  def ask(group: Int): Summary = {
    unstage()
    val handle = bags.handle(group)
    if (handle >= 0) summaries(handle)
    else if (!hasAnswer(group)) null
    else {
      val n = bags.copyTo(group, out)
      bags.settle(group)
      family.ofBag(domain, parameters, out, n, n)
    }
  }

  private def hasAnswer(group: Int): Boolean = isBuilding || bags.isTouched(group)

  /** Of a group that has been sealed or asked for the last time: its summary's memory goes back at once. Sealing one takes as
    * much again as it holds, so that keeping all of them until the end would take twice what was asked for.
    */
  def forget(group: Int): Unit = {
    val handle = bags.handle(group)
    if (handle >= 0 && summaries(handle) != null) {
      summaries(handle).meteredBy(null)
      summaries(handle) = null
    }
  }

  /** Forgets all groups and gives their memory back. */
  def clear(): Unit = {
    if (staging != null) staging.giveBack()
    if (sorting != null) sorting.giveBack()
    staging = null
    sorting = null
    var i = 0
    while (i < promoted) { if (summaries(i) != null) summaries(i).meteredBy(null); i += 1 }
    meter.add(-Meter.references(summaries.length))
    summaries = GroupedSummaries.NoSummaries
    promoted = 0
    bags.clear()
    if (!isBuilding) header = null
  }
}

object GroupedSummaries {
  private val NoSummaries = new Array[Summary](0)

  /** Of so many keys the groups are touched before the first is inserted. */
  private val Touched = 256

  def building(
      family: Family,
      domain: Domain,
      parameters: Array[Double],
      meter: Meter
  ): GroupedSummaries =
    new GroupedSummaries(family, domain, parameters, meter)

  def union(meter: Meter): GroupedSummaries = new GroupedSummaries(null, null, null, meter)
}
