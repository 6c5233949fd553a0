package chronosketch.grouped

import java.util.Arrays

import scala.collection.mutable.ArrayBuffer
import scala.reflect.ClassTag

import chronosketch.Cancellation
import chronosketch.families.Families
import chronosketch.memory.Meter
import chronosketch.summary.{Bags, Envelope, Header, RandomRecipe, Recipe, Summary}

/** The summaries of up to millions of groups, most of which have few elements.
  *
  * Guarantee  all answers and bytes equal those of one [[Summary]] per group that got the same input in the same order
  * Cost       up to 64 keys of a group are in [[KeyBags]], without an object; a group with more has a summary of its own
  * Units      groups are numbered from 0 without gaps
  * Merge      [[merge]]: merges stored sketches; small exact ones are decoded directly into the bag. [[keepPart]]: merges parts in an
  *            order that the parts decide, so that the result does not depend on the order in which they arrive
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
  protected val inKeys: Array[Long] = new Array[Long](KeyBags.MostKeys)

  /** The number of keys that [[readFew]] has read. */
  protected var fewCount = 0
  private var fewHeader: Envelope.StoredHeader = null

  // null until the first part is kept
  private var kept: KeptParts = null

  // whether parts were kept: keys of bags are then sorted, because the order in which they came tells nothing
  private var arrivesInAnyOrder = false

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
    prepare(group)
    summaryOf(group)
  }

  protected def summaryOf(group: Int): S = {
    val handle = bags.handle(group)
    if (handle >= 0) summaries(handle) else promote(group)
  }

  /** Merges a stored sketch into a group. A refusal leaves the group unchanged. */
  def merge(group: Int, bytes: Array[Byte]): Unit = {
    Envelope.check(bytes)
    flushBeforeMerge()
    val stored = headerOf(bytes)
    if (bags.handle(group) >= 0) mergeLarge(group, stored, bytes)
    else if (!mergeSmall(group, stored, bytes)) {
      if (bags.isTouched(group)) {
        promote(group)
        mergeLarge(group, stored, bytes)
      } else setSummary(group, requireOwn(Envelope.openChecked(bytes, Families.byId)))
    }
  }

  /** Moves the staged keys that a merge must not overtake. */
  protected def flushBeforeMerge(): Unit = flushStaged()

  /** Merges a stored sketch into the summary of a group. */
  protected def mergeLarge(group: Int, stored: Envelope.StoredHeader, bytes: Array[Byte]): Unit = {
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

  /** Whether a stored sketch may be small and has the header of the bags, given its bytes and its header. */
  protected final def isLikeBags(bytes: Array[Byte], stored: Envelope.StoredHeader): Boolean =
    (stored eq header) && bytes.length <= GroupedSummaries.MostFewBytes

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
      val n = copyBag(group)
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

  /** Copies the keys of a bag into [[outKeys]] and returns their number. */
  protected final def copyBag(group: Int): Int = {
    val n = bags.copyTo(group, outKeys)
    if (arrivesInAnyOrder) Arrays.sort(outKeys, 0, n)
    n
  }

  /** Moves everything that waits for a group into its bag or summary. */
  protected final def prepare(group: Int): Unit = {
    flushStaged()
    mergeKept(group)
  }

  /** Whether the group has had any input. Merging an empty sketch counts as input. */
  def isTouched(group: Int): Boolean = {
    prepare(group)
    bags.isTouched(group)
  }

  private def hasAnswer(group: Int): Boolean = recipe.nonEmpty || bags.isTouched(group)

  /** The bytes of the group's sketch; null if the group has had no input and its kind is not known. */
  def seal(group: Int): Array[Byte] = {
    prepare(group)
    val handle = bags.handle(group)
    if (handle >= 0) Envelope.seal(summaries(handle))
    else if (!hasAnswer(group)) null
    else if (bagMaker == null) Envelope.seal(recipe.get.empty)
    else {
      val n = copyBag(group)
      bags.markQueried(group)
      bagMaker.seal(outKeys, n)
    }
  }

  /** The bytes that another task of the same query merges with [[mergePart]] or [[keepPart]]: the group's sketch, or its rows if a
    * sketch would hardly be smaller.
    */
  def sealPart(group: Int): Array[Byte] = seal(group)

  /** Merges a part at once. */
  final def mergePart(group: Int, bytes: Array[Byte]): Unit =
    if (NumberedPart.isNumbered(bytes)) {
      flushStaged()
      if (!bags.isTouched(group)) setSummary(group, emptyUnion)
      NumberedPart.mixNumber(bytes, summaryOf(group))
      mergeUnnumbered(group, NumberedPart.withoutNumber(bytes))
    } else mergeUnnumbered(group, bytes)

  protected def mergeUnnumbered(group: Int, bytes: Array[Byte]): Unit = merge(group, bytes)

  private def emptyUnion: S = recipe.get match {
    case random: RandomRecipe => requireOwn(random.emptyUnion)
    case other => other.empty
  }

  private lazy val mergesInAnyOrder = recipe.exists(_.mergesInAnyOrder)

  /** Keeps a part until the group is queried, or [[mergeKept]] is called. Then all parts of the group are merged in an order that does not
    * depend on the order in which they came. The group must get no other input.
    */
  final def keepPart(group: Int, bytes: Array[Byte]): Unit =
    if (PartList.isList(bytes)) PartList.unpack(bytes).foreach(keepPart(group, _))
    else if (mergesInAnyOrder) mergePart(group, bytes)
    else keep(group, bytes)

  /** Keeps a stored sketch, as [[keepPart]] does, but only while all kept bytes are few: sketches of one task may be many more than the
    * tasks whose parts a group has.
    */
  final def keepStored(group: Int, bytes: Array[Byte]): Unit = {
    PartList.requireStored(bytes)
    keep(group, bytes)
    if (kept != null && kept.bytes > GroupedSummaries.MostStoredBytes) mergeKept(group)
  }

  private def keep(group: Int, bytes: Array[Byte]): Unit = {
    arrivesInAnyOrder = true
    if (bags.handle(group) >= 0 || !keepInBag(group, bytes)) {
      if (kept == null) kept = new KeptParts(meter)
      kept.add(group, bytes)
    }
  }

  /** Adds the keys of a small part to the bag of a group. Returns false if it is not small, or the bag has no room. */
  private def keepInBag(group: Int, bytes: Array[Byte]): Boolean = {
    val maker = readFew(bytes)
    if (maker != null && bagMaker == null) setHeader(fewHeader, maker)
    maker != null && maker == bagMaker && bags.hasRoom(group, fewCount) && {
      bags.addAll(group, inKeys, 0, fewCount)
      bags.touch(group)
      true
    }
  }

  /** Reads the keys of a part with few of them into [[inKeys]], and returns the maker of its summaries; null if it is another part. The
    * part alone decides that.
    */
  protected def readFew(bytes: Array[Byte]): Bags[S] =
    if (FewKeys.isKeys(bytes)) {
      fewCount = FewKeys.read(bytes, inKeys)
      fewHeader = headerOf(FewKeys.emptySketch(bytes))
      bagsOf(fewHeader.header)
    } else if (bytes.length > GroupedSummaries.MostFewBytes || NumberedPart.isNumbered(bytes)) null
    else {
      Envelope.check(bytes)
      val stored = headerOf(bytes)
      fewHeader = stored
      val maker = if (stored eq header) bagMaker else bagsOf(stored.header)
      if (maker == null) null
      else {
        val reader = stored.payload(bytes)
        fewCount = maker.readSmall(reader, alone = false, inKeys)
        if (fewCount < 0) null
        else {
          reader.requireEnd()
          maker
        }
      }
    }

  /** Whether parts are kept that are not merged yet. */
  def hasKept: Boolean = kept != null && !kept.isEmpty

  /** Merges the kept parts of a group: first the keys of all small parts, sorted, then the other parts, sorted by their bytes. Small parts
    * that are in the bag already make no difference. `cancellation` is checked before each part: a group has one of every task.
    */
  def mergeKept(group: Int, cancellation: Cancellation = Cancellation.Never): Unit =
    if (kept != null && kept.has(group)) {
      val parts = kept.take(group)
      val few = new ArrayBuffer[FewKeys[S]](1)
      if (bags.handle(group) < 0 && bags.isTouched(group))
        keysOf(few, bagMaker).add(outKeys, bags.copyTo(group, outKeys))
      var n = 0
      var i = 0
      while (i < parts.length) {
        cancellation.check()
        val maker = readFew(parts(i))
        if (maker != null) keysOf(few, maker).add(inKeys, fewCount)
        else { parts(n) = parts(i); n += 1 }
        i += 1
      }
      few.sortWith((a, b) => Arrays.compareUnsigned(a.makerBytes, b.makerBytes) < 0).foreach { keys =>
        if (bags.handle(group) < 0) setSummary(group, keys.summary)
        else merge(group, Envelope.seal(keys.summary))
      }
      i = 0
      while (i < n) {
        cancellation.check()
        mergePart(group, parts(i))
        i += 1
      }
    }

  private def keysOf(few: ArrayBuffer[FewKeys[S]], maker: Bags[S]): FewKeys[S] =
    few.find(_.maker == maker).getOrElse {
      few += new FewKeys(maker)
      few.last
    }

  /** Removes what a group has, and returns it as parts for [[keepPart]], in lists of about `most` bytes. */
  def takeParts(group: Int, most: Int): Array[Array[Byte]] = {
    flushStaged()
    val waiting = if (kept != null && kept.has(group)) kept.take(group) else GroupedSummaries.NoParts
    val parts = if (bags.isTouched(group)) waiting :+ partOfBag(group) else waiting
    forget(group)
    PartList.packWithin(parts, most)
  }

  private def partOfBag(group: Int): Array[Byte] =
    if (bags.handle(group) >= 0 || bagMaker == null || bags.size(group) == 0) seal(group)
    else FewKeys.encode(bagMaker, outKeys, copyBag(group))

  /** The group's summary, for queries only: it must not be changed, and may be valid only until the next call. null as in [[seal]]. */
  def ask(group: Int): Summary = {
    prepare(group)
    val handle = bags.handle(group)
    if (handle >= 0) summaries(handle)
    else if (!hasAnswer(group)) null
    else if (bagMaker == null) recipe.get.empty
    else {
      val n = copyBag(group)
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
    if (kept != null) kept.clear()
    kept = null
    arrivesInAnyOrder = false
    header = null
  }
}

private object GroupedSummaries {

  /** An encoded sketch of as many keys as a bag holds has fewer bytes. */
  private val MostFewBytes = 1024

  private val MostStoredBytes = 32L << 20

  private val NoParts = new Array[Array[Byte]](0)
}
