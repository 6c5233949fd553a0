package chronosketch.grouped

import scala.reflect.ClassTag

import chronosketch.families.Families
import chronosketch.memory.Meter
import chronosketch.summary.{Bags, Envelope, Header, Recipe, Summary}

/** What does each of a million groups see, most of them little?
  *
  * Guarantee  every answer and every byte is that of a [[Summary]] a group, which saw the same in the same order
  * Cost       up to 64 keys of a group lie in [[KeyBags]], without an object; beyond that a summary of its own
  * Units      groups are numbered from 0 without gaps
  * Merge      [[merge]]: a union of stored sketches; small exact ones go from bytes to the bag
  *
  * They are built of values, [[GroupedInserts]]; of rows that bring more than a value, [[GroupedRows]]; or of stored sketches alone,
  * [[GroupedUnions]]. All bags have one header, that of what is built, or of the first small sketch; a group of another has a
  * summary from the start. Not thread-safe.
  *
  * @tparam S what the summaries are known to do
  */
abstract class GroupedSummaries[S <: Summary: ClassTag] private[grouped] (meter: Meter) {
  protected val bags = new KeyBags(meter)

  /** What the bags have; null while there are none. */
  protected var bagged: Bags[S] = null

  // the header of the small sketches in bags, and that of the sketch before
  private var header: Envelope.StoredHeader = null
  private var latest: Envelope.StoredHeader = null

  private var summaries = new Array[S](0)
  private var promoted = 0

  // one bag on its way out, and one on its way in
  protected val out: Array[Long] = new Array[Long](KeyBags.MostKeys)
  private val in = new Array[Long](KeyBags.MostKeys)

  /** An opened sketch as one of the groups' summaries; a refusal where it can't be. */
  protected def opened(summary: Summary): S

  /** What a group that has seen nothing answers from; none where that is not known. */
  protected def recipe: Option[Recipe[S]]

  /** How keys of a small stored sketch wait in bags; null where they do not. */
  protected def bagsOf(header: Header[Summary]): Bags[S]

  /** Puts everything that waits where it belongs. */
  protected def unstage(): Unit

  /** The group's own summary; a bag becomes one. */
  def summary(group: Int): S = {
    unstage()
    ownOf(group)
  }

  protected def ownOf(group: Int): S = {
    val handle = bags.handle(group)
    if (handle >= 0) summaries(handle) else promote(group)
  }

  /** The union with a sealed sketch; a refusal leaves the group as it was. */
  def merge(group: Int, bytes: Array[Byte]): Unit = {
    Envelope.check(bytes)
    unstage()
    val stored = headerOf(bytes)
    if (bags.handle(group) >= 0) mergeLarge(group, stored, bytes)
    else if (!mergeSmall(group, stored, bytes)) {
      if (bags.isTouched(group)) {
        promote(group)
        mergeLarge(group, stored, bytes)
      } else own(group, opened(Envelope.openChecked(bytes, Families.byId)))
    }
  }

  private def mergeLarge(group: Int, stored: Envelope.StoredHeader, bytes: Array[Byte]): Unit = {
    val handle = bags.handle(group)
    val own = summaries(handle)
    val union = united(own, stored, bytes)
    if (union ne own) {
      own.meteredBy(null)
      summaries(handle) = union
      union.meteredBy(meter)
    }
  }

  /** The union of a group's summary with a stored one: the same summary, or another that takes its place. */
  protected def united(own: S, stored: Envelope.StoredHeader, bytes: Array[Byte]): S = {
    stored.header.mergeInto(own, stored.payload(bytes))
    own
  }

  /** Mostly the one of the bags, or else of the sketch before: then nothing is parsed. */
  private def headerOf(bytes: Array[Byte]): Envelope.StoredHeader =
    if (header != null && header.isOf(bytes)) header
    else {
      if (latest == null || !latest.isOf(bytes)) latest = Envelope.StoredHeader.of(bytes, Families.byId)
      latest
    }

  /** From the bytes into the bag; false, and nothing has changed, where they don't fit one. */
  private def mergeSmall(group: Int, stored: Envelope.StoredHeader, bytes: Array[Byte]): Boolean =
    (header == null || (stored eq header)) && {
      val small = if (stored eq header) bagged else bagsOf(stored.header)
      small != null && {
        val reader = stored.payload(bytes)
        val isFirst = !bags.isTouched(group)
        val n = small.readSmall(reader, isFirst, in)
        if (n >= 0) reader.requireEnd()
        n >= 0 && {
          if (header == null) takeHeader(stored, small)
          bags.hasRoom(group, n) && {
            bags.addAll(group, in, 0, n)
            bags.touch(group)
            if (isFirst) bags.settle(group)
            true
          }
        }
      }
    }

  private def takeHeader(first: Envelope.StoredHeader, of: Bags[S]): Unit = {
    header = first
    useBags(of)
  }

  protected def useBags(of: Bags[S]): Unit = {
    bagged = of
    bags.limitTo(of.mostInBag)
  }

  private def promote(group: Int): S =
    if (bagged == null) own(group, recipe.get.empty)
    else {
      val n = bags.copyTo(group, out)
      own(group, bagged.ofBag(out, bags.settled(group), n))
    }

  private def own(group: Int, summary: S): S = {
    if (promoted == summaries.length) {
      val before = summaries.length
      val more = new Array[S](math.max(16, before * 2))
      System.arraycopy(summaries, 0, more, 0, before)
      summaries = more
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

  private def hasAnswer(group: Int): Boolean = recipe.nonEmpty || bags.isTouched(group)

  /** The bytes of the group's sketch; null for a group of a union that has seen nothing. */
  def seal(group: Int): Array[Byte] = {
    unstage()
    val handle = bags.handle(group)
    if (handle >= 0) Envelope.seal(summaries(handle))
    else if (!hasAnswer(group)) null
    else if (bagged == null) Envelope.seal(recipe.get.empty)
    else {
      val n = bags.copyTo(group, out)
      bags.settle(group)
      bagged.seal(out, n)
    }
  }

  /** What another task of the same query takes by [[mergePart]]: the group's sketch, or its rows where it would hardly be smaller. */
  def sealPart(group: Int): Array[Byte] = seal(group)

  def mergePart(group: Int, bytes: Array[Byte]): Unit = merge(group, bytes)

  /** The group's summary to be asked, not to be changed: it may live only until the next call; null as in [[seal]]. */
  def ask(group: Int): Summary = {
    unstage()
    val handle = bags.handle(group)
    if (handle >= 0) summaries(handle)
    else if (!hasAnswer(group)) null
    else if (bagged == null) recipe.get.empty
    else {
      val n = bags.copyTo(group, out)
      bags.settle(group)
      bagged.ofBag(out, n, n)
    }
  }

  /** Of a group that has been sealed or asked for the last time: its summary's memory goes back at once. Sealing one takes as
    * much again as it holds, so that keeping all of them until the end would take twice what was asked for.
    */
  def forget(group: Int): Unit = {
    val handle = bags.handle(group)
    if (handle >= 0 && summaries(handle) != null) {
      summaries(handle).meteredBy(null)
      summaries(handle) = null.asInstanceOf[S]
    }
  }

  /** Forgets all groups and gives their memory back. */
  def clear(): Unit = {
    var i = 0
    while (i < promoted) { if (summaries(i) != null) summaries(i).meteredBy(null); i += 1 }
    meter.add(-Meter.references(summaries.length))
    summaries = new Array[S](0)
    promoted = 0
    bags.clear()
    header = null
  }
}
