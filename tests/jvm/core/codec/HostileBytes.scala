package chronosketch.codec

import java.lang.management.ManagementFactory
import java.util.Arrays

import munit.Assertions.{assert, assertEquals}

import chronosketch.Refusal
import chronosketch.ddsketch.DDSketch
import chronosketch.families.Families
import chronosketch.grouped.GroupedUnions
import chronosketch.history.{HistorySketch, VersionSketches}
import chronosketch.interchange.ImportedSketches
import chronosketch.memory.Meter
import chronosketch.qlove.QloveSketch
import chronosketch.quantile.{GreenwaldKhanna, TailCertificate}
import chronosketch.rank.Phi
import chronosketch.summary.{Bounded, Envelope, Family, Inserts, InsertingRecipe, Summary, Timed, TupleChecks}
import chronosketch.summed.SummedSketch
import chronosketch.window.RestrictedWindows
import chronosketch.window.sample.{SampleWindows, WindowSamples}

/** Checks what must hold for any bytes: they are refused with a known condition, or they are a summary that answers, merges and can be
  * stored again.
  */
object HostileBytes {

  /** The conditions that opening bytes may be refused with. */
  val Conditions: Set[String] =
    Set("NOT_A_SKETCH", "TRUNCATED_SKETCH", "CORRUPT_SKETCH", "NEWER_FORMAT", "UNKNOWN_FAMILY")
      .map("CHRONOSKETCH_" + _)

  /** The conditions that merging two equal summaries may be refused with. */
  private val MergeConditions: Set[String] =
    Set("COUNT_OVERFLOW", "PANES_OVERLAP", "TOO_MANY_PANES", "SAMPLE_OF_LAST_ROWS").map("CHRONOSKETCH_" + _)

  /** The conditions that a query may be refused with: for a history with a gap between its parts, and for a pane that would keep too
    * many values.
    */
  private val QueryConditions: Set[String] =
    Set("HISTORIES_APART", "PANES_KEEP_TOO_MUCH").map("CHRONOSKETCH_" + _)

  /** The families that may not know their least value. */
  private val WithoutMinimum: Set[Family[Summary]] =
    Set(RestrictedWindows, VersionSketches, WindowSamples, SampleWindows, ImportedSketches)

  private val phis = Seq(0.0, 0.5, 0.99, 1.0).map(Phi(_))

  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  /** The result of opening bytes: the condition of the refusal or the summary, and the bytes that this thread allocated. */
  final case class Opened(result: Either[String, Summary], allocated: Long)

  def open(bytes: Array[Byte]): Opened = {
    val before = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
    val result =
      try Right(Families.open(bytes))
      catch { case r: Refusal => Left(r.condition) }
    Opened(result, threads.getThreadAllocatedBytes(Thread.currentThread.getId) - before)
  }

  /** Opens bytes and checks everything. Returns the condition of the refusal, or the summary. */
  def outcome(bytes: Array[Byte], what: => String): Either[String, Summary] = {
    val opened = open(bytes)
    requireSmall(bytes, opened, what)
    examine(bytes, opened.result, what)
    opened.result
  }

  /** Checks the allocated memory. A stored key takes at least a byte or two and becomes some sixty. `extra` bytes are allowed for any
    * input, since the first refusal loads classes.
    */
  def requireSmall(bytes: Array[Byte], opened: Opened, what: => String, extra: Int = 1 << 20): Unit =
    assert(
      opened.allocated <= 64L * bytes.length + extra,
      s"$what: ${opened.allocated} bytes for ${bytes.length}"
    )

  /** Checks everything but the memory for bytes that were opened. Changes the summary. */
  def examine(bytes: Array[Byte], result: Either[String, Summary], what: => String): Unit = {
    result.left.foreach(condition => assert(Conditions(condition), s"$what: $condition"))
    assertEquals(Families.isSketch(bytes), result.isRight, what)
    assertEquals(mergedDirectly(bytes), result.left.toOption, what)
    assertEquals(inGroup(bytes, what), result.left.toOption, what)
    result.foreach(probe(_, what))
  }

  /** The condition that merging the bytes is refused with, if they are not opened first. */
  private def mergedDirectly(bytes: Array[Byte]): Option[String] = refusal {
    Envelope.check(bytes)
    val stored = Envelope.StoredHeader.of(bytes, Families.byId)
    stored.header match {
      case recipe: InsertingRecipe[_] => recipe.mergeInto(recipe.empty, stored.payload(bytes))
      case header =>
        val payload = stored.payload(bytes)
        header.read(payload)
        payload.requireEnd()
    }
  }

  /** The condition that a group of stored sketches refuses the bytes with. If it accepts them, checks that merging them once and twice
    * gives the same bytes as opening and merging.
    */
  private def inGroup(bytes: Array[Byte], what: => String): Option[String] = {
    val groups = new GroupedUnions(new Meter)
    refusal(groups.merge(0, bytes)).orElse {
      val alone = Families.open(bytes)
      assert(Arrays.equals(groups.seal(0), Envelope.seal(alone)), s"$what: other bytes in a group")
      var union = alone
      val again = refusal { union = Summary.union(alone, Families.open(bytes)) }
      assertEquals(refusal(groups.merge(0, bytes)), again, what)
      if (again.isEmpty)
        assert(Arrays.equals(groups.seal(0), Envelope.seal(union)), s"$what: other bytes of two in a group")
      None
    }
  }

  private def refusal(body: => Unit): Option[String] =
    try { body; None }
    catch { case r: Refusal => Some(r.condition) }

  private def probe(summary: Summary, what: => String): Unit = {
    summary match {
      case s: GreenwaldKhanna => probeTuples(s, what)
      case s: SummedSketch =>
        probeTuples(s.quantileSketch, what)
        assertEquals((s.moments.count, s.moments.minimum, s.moments.maximum), (s.count, s.minimum, s.maximum))
      case _ =>
    }
    summary match {
      case b: Bounded if !b.profile.isEmpty =>
        val profile = b.profile
        assert(profile.certifiedError >= 0 && profile.certifiedError <= profile.countHigh, what)
        assert(profile.countLow <= summary.count && summary.count <= profile.countHigh, what)
        // elements that may be in a window or not have rank 0 at least, and so has the least value of a history's version
        val fewest = if (WithoutMinimum.contains(summary.family)) 0 else 1
        var before = 0L
        var i = 0
        while (i < profile.size) {
          val (low, high) = profile.rankBounds(i)
          assert(low >= fewest && low <= high && high <= profile.countHigh, s"$what: ranks $low to $high")
          assert(high >= before, s"$what: A⁺ falls")
          before = high
          i += 1
        }
        phis.foreach { phi =>
          val (low, high) = profile.quantileBounds(phi)
          assert(low <= profile.quantile(phi) && profile.quantile(phi) <= high, what)
        }
      case _ =>
    }
    summary match {
      case s: DDSketch if s.count > 0 => phis.foreach(phi => s.quantile(phi))
      case w: QloveSketch => w.answers.foreach(a => (w.isBursty(a.phi), w.bound(a.phi)))
      case h: HistorySketch if !h.isEmpty => probe(h, what)
      case _ =>
    }
    answer(summary)
    val again = Envelope.seal(summary)
    val copy = Families.open(again)
    assertEquals(copy.count, summary.count, what)
    assert(Arrays.equals(Envelope.seal(copy), again), s"$what: other bytes when it is stored again")
    merge(summary, copy, what)
    grow(summary)
  }

  private def probeTuples(sketch: GreenwaldKhanna, what: => String): Unit = {
    assertEquals(TupleChecks.violations(sketch), Nil, what)
    sketch.family.tail.foreach(tail =>
      assertEquals(TailCertificate.wideGaps(sketch.profile, tail, sketch.epsilon), Nil, what)
    )
  }

  /** Evaluates all answers. */
  private def answer(summary: Summary): Unit =
    try Golden.answers(summary)
    catch { case r: Refusal if QueryConditions(r.condition) => }

  /** Merges two equal summaries and queries the result. */
  private def merge(summary: Summary, copy: Summary, what: => String): Unit = {
    val refused = refusal(copy.merge(summary))
    assert(refused.forall(MergeConditions), s"$what: merging is refused, $refused")
    if (refused.isEmpty) {
      if (summary.isInstanceOf[Inserts]) assertEquals(copy.count, 2 * summary.count, what)
      answer(copy)
      assertEquals(Families.open(Envelope.seal(copy)).count, copy.count, what)
    }
  }

  /** Inserts further values and stores the summary: no later operation may fail. */
  private def grow(summary: Summary): Unit =
    if (summary.count < Long.MaxValue - 2000) {
      val (least, greatest) = (summary.domain.least, summary.domain.greatest)
      summary match {
        case s: Inserts =>
          (1 to 600).foreach(i => s.insert(least + i % 3))
          s.insert(greatest, 1000)
        case s: Timed =>
          (1 to 600).foreach(i => s.insert(least + i % 3, i.toLong, 0))
          s.insert(greatest, 0L, 0, 1000)
        case s => s.merge(s.newEmpty)
      }
      Envelope.seal(summary)
    }

  /** Checks that a history answers, unless there is a gap between its parts. */
  private def probe(history: HistorySketch, what: => String): Unit = {
    val ends =
      try Seq(history.firstVersion, history.lastVersion)
      catch { case r: Refusal if r.condition == "CHRONOSKETCH_HISTORIES_APART" => Nil }
    ends.foreach { version =>
      val at = history.at(version)
      probe(at, what)
      Seq(0.0, 0.5, 1.0).map(Phi(_)).foreach { phi =>
        val expected = if (at.profile.isEmpty) None else Some(at.profile.quantile(phi))
        assertEquals(history.at(version).quantiles.map(_(phi)), expected, what)
      }
    }
  }
}
