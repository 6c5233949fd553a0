package chronosketch.grouped

import scala.reflect.ClassTag

import chronosketch.families.Families
import chronosketch.memory.Meter
import chronosketch.summary.{Bags, Envelope, Header, Recipe, Summary}

/** The summaries of up to millions of groups, most of which have few elements.
  *
  * Guarantee  all answers and bytes equal those of one [[Summary]] per group that got the same input in the same order
  * Cost       up to 64 keys of a group are in [[KeyBags]], without an object; a group with more has a summary of its own
  * Units      groups are numbered from 0 without gaps
  * Merge      [[merge]]: merges stored sketches; small exact ones are decoded directly into the bag
  *
  * Subclasses build summaries of values ([[GroupedInserts]]), of rows with more than a value ([[GroupedRows]]), or of stored sketches
  * ([[GroupedUnions]]). All bags have the same header: that of the summaries that are built, or that of the first small sketch. A
  * group with another header has a summary from the start. Not thread-safe.
  *
  * @tparam S the type of the summaries, which says what they can do
  */
abstract class GroupedSummaries[S <: Summary: ClassTag] private[grouped] (meter: Meter) {
  protected val bags = new KeyBags(meter)

  /** Makes summaries from the bags; null while there are no bags. */
  protected var bagMaker: Bags[S] = null

  // the header of the small sketches in bags, and that of the last other sketch
  private var header: Envelope.StoredHeader = null
  private var latest: Envelope.StoredHeader = null

  private var summaries = new Array[S](0)
  private var promoted = 0

  // buffers for the keys that are read from a bag, and for those that are put into one
  protected val outKeys: Array[Long] = new Array[Long](KeyBags.MostKeys)
  private val inKeys = new Array[Long](KeyBags.MostKeys)

  /** Casts a decoded sketch to the type of the groups' summaries. Refuses a sketch that cannot be one. */
  protected def requireOwn(summary: Summary): S

  /** Makes the summaries of groups without elements; None if their kind is not known. */
  protected def recipe: Option[Recipe[S]]

  /** Makes summaries from bags for small stored sketches with this header; null if they cannot be in bags. */
  protected def bagsOf(header: Header[Summary]): Bags[S]

  /** Moves all staged keys into bags and summaries. */
  protected def flushStaged(): Unit

  /** The summary of a group. If the group has a bag, a summary replaces it. */
  def summary(group: Int): S = {
    flushStaged()
    summaryOf(group)
  }

  protected def summaryOf(group: Int): S = {
    val handle = bags.handle(group)
    if (handle >= 0) summaries(handle) else promote(group)
  }

  /** Merges a stored sketch into a group. A refusal leaves the group unchanged. */
  def merge(group: Int, bytes: Array[Byte]): Unit = {
    Envelope.check(bytes)
    flushStaged()
    val stored = headerOf(bytes)
    if (bags.handle(group) >= 0) mergeLarge(group, stored, bytes)
    else if (!mergeSmall(group, stored, bytes)) {
      if (bags.isTouched(group)) {
        promote(group)
        mergeLarge(group, stored, bytes)
      } else setSummary(group, requireOwn(Envelope.openChecked(bytes, Families.byId)))
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

  /** The header of a stored sketch. It mostly is that of the bags or of the last sketch, and then need not be parsed. */
  private def headerOf(bytes: Array[Byte]): Envelope.StoredHeader =
    if (header != null && header.isOf(bytes)) header
    else {
      if (latest == null || !latest.isOf(bytes)) latest = Envelope.StoredHeader.of(bytes, Families.byId)
      latest
    }

  /** Decodes a small stored sketch into the group's bag. Returns false and changes no keys if it does not fit. */
  private def mergeSmall(group: Int, stored: Envelope.StoredHeader, bytes: Array[Byte]): Boolean =
    (header == null || (stored eq header)) && {
      val maker = if (stored eq header) bagMaker else bagsOf(stored.header)
      maker != null && {
        val reader = stored.payload(bytes)
        val isFirst = !bags.isTouched(group)
        val n = maker.readSmall(reader, isFirst, inKeys)
        if (n >= 0) reader.requireEnd()
        n >= 0 && {
          if (header == null) setHeader(stored, maker)
          bags.hasRoom(group, n) && {
            bags.addAll(group, inKeys, 0, n)
            bags.touch(group)
            // a stored sketch has been queried or stored before
            if (isFirst) bags.markQueried(group)
            true
          }
        }
      }
    }

  private def setHeader(first: Envelope.StoredHeader, maker: Bags[S]): Unit = {
    header = first
    useBags(maker)
  }

  protected def useBags(maker: Bags[S]): Unit = {
    bagMaker = maker
    bags.limitTo(maker.mostInBag)
  }

  private def promote(group: Int): S =
    if (bagMaker == null) setSummary(group, recipe.get.empty)
    else {
      val n = bags.copyTo(group, outKeys)
      setSummary(group, bagMaker.ofBag(outKeys, bags.queriedCount(group), n))
    }

  private def setSummary(group: Int, summary: S): S = {
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

  /** Whether the group has had any input. Merging an empty sketch counts as input. */
  def isTouched(group: Int): Boolean = {
    flushStaged()
    bags.isTouched(group)
  }

  private def hasAnswer(group: Int): Boolean = recipe.nonEmpty || bags.isTouched(group)

  /** The bytes of the group's sketch; null if the group has had no input and its kind is not known. */
  def seal(group: Int): Array[Byte] = {
    flushStaged()
    val handle = bags.handle(group)
    if (handle >= 0) Envelope.seal(summaries(handle))
    else if (!hasAnswer(group)) null
    else if (bagMaker == null) Envelope.seal(recipe.get.empty)
    else {
      val n = bags.copyTo(group, outKeys)
      bags.markQueried(group)
      bagMaker.seal(outKeys, n)
    }
  }

  /** The bytes that another task of the same query merges with [[mergePart]]: the group's sketch, or its rows if a sketch would hardly
    * be smaller.
    */
  def sealPart(group: Int): Array[Byte] = seal(group)

  def mergePart(group: Int, bytes: Array[Byte]): Unit = merge(group, bytes)

  /** The group's summary, for queries only: it must not be changed, and may be valid only until the next call. null as in [[seal]]. */
  def ask(group: Int): Summary = {
    flushStaged()
    val handle = bags.handle(group)
    if (handle >= 0) summaries(handle)
    else if (!hasAnswer(group)) null
    else if (bagMaker == null) recipe.get.empty
    else {
      val n = bags.copyTo(group, outKeys)
      bags.markQueried(group)
      bagMaker.ofBag(outKeys, n, n)
    }
  }

  /** Releases the summary of a group that will not be sealed or queried again. Sealing a summary allocates as much memory again as it
    * holds, so keeping all summaries until the end would take twice the memory that was requested.
    */
  def forget(group: Int): Unit = {
    val handle = bags.handle(group)
    if (handle >= 0 && summaries(handle) != null) {
      summaries(handle).meteredBy(null)
      summaries(handle) = null.asInstanceOf[S]
    }
  }

  /** Removes all groups and takes their memory off the meter. */
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

/** Merges the stored sketches of each group. The sketches may be of any family. */
final class GroupedUnions(meter: Meter) extends GroupedSummaries[Summary](meter) {
  protected def requireOwn(summary: Summary): Summary = summary
  protected def recipe: Option[Recipe[Summary]] = None
  protected def bagsOf(header: Header[Summary]): Bags[Summary] = header.bags.orNull
  protected def flushStaged(): Unit = ()

  /** Sketches that may differ in more than their rows are opened: one that has seen nothing is neutral. */
  override protected def united(own: Summary, stored: Envelope.StoredHeader, bytes: Array[Byte]): Summary =
    if (!own.isEmpty && stored.header.bags.nonEmpty && own.header == stored.header)
      super.united(own, stored, bytes)
    else Summary.union(own, Envelope.openChecked(bytes, Families.byId))

  override def clear(): Unit = {
    bagMaker = null
    super.clear()
  }
}
