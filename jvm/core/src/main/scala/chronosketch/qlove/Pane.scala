package chronosketch.qlove

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.counted.{ElementCount, FrequencyTable, SortedCounts}
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.summary.{Family, Header, Summary, Timed}

/** How often does each value occur in a pane that rows are still coming to?
  *
  * Guarantee  [[finish]] answers every φ of the query with the exact quantile of the rows, whatever their order and the parts
  *            that they came in
  * Cost       29 ns a row in panes of 1 000, finishing included; 32 to 64 bytes a distinct value, stored 2 to 6
  * Units      times as `timeDomain` has them
  * Merge      legal when values and times widen and the queries are the same: tables add up. Both are taken for parts of one
  *            pane, which lasts from the earliest to the latest row of either, and keeps values by the older rule of both
  * Source     Lim, Hassan, Jin, Volos, Jeon, Approximate quantiles for datacenter telemetry monitoring, 2019, §3.1, level 1
  */
final class Pane private[chronosketch] (
    initialDomain: Domain,
    initialTimeDomain: Domain,
    val query: Query,
    initialRule: TailRule
) extends Summary
    with Timed
    with OfPanes
    with Metered {
  def this(domain: Domain, timeDomain: Domain, query: Query) =
    this(domain, timeDomain, query, TailRule.Newest)

  type Same = Pane

  private var currentDomain = initialDomain
  private var currentTimeDomain = initialTimeDomain
  private var currentRule = initialRule
  private val table = new FrequencyTable
  private var total = 0L
  private var earliest = Long.MaxValue
  private var latest = Long.MinValue

  private val digits = query.digits
  if (digits > 0 && !initialDomain.isNumeric)
    throw Refusal("CHRONOSKETCH_NO_DIGITS", "type" -> initialDomain.sql)

  def family: Family[Pane] = Panes
  def domain: Domain = currentDomain
  def timeDomain: Domain = currentTimeDomain
  def header: Header[Pane] = PaneHeader(currentDomain)
  def fresh: Pane = new Pane(currentDomain, currentTimeDomain, query, currentRule)
  def count: Long = ElementCount.of(total)

  /** Different values, as they are rounded. */
  def distinct: Int = table.distinct

  private[qlove] def rule: TailRule = currentRule

  /** The times of its earliest and its latest row; not when it is empty. */
  def first: Long = earliest
  def last: Long = latest

  /** There are no filters. */
  def insert(key: Long, time: Long, passed: Int): Unit =
    // once beyond 63 bits it stays there: as many rows again do not come
    add(key, time, 1L)

  def insert(key: Long, time: Long, passed: Int, copies: Long): Unit = if (copies > 0) {
    ElementCount.requireRoom(count, copies)
    add(key, time, copies)
  }

  private def add(key: Long, time: Long, copies: Long): Unit = {
    if (time < earliest) earliest = time
    if (time > latest) latest = time
    total += copies
    val before = table.distinct
    table.add(if (digits == 0) key else SignificantDigits.round(key, currentDomain, digits), copies)
    if (table.distinct != before) report()
  }

  override protected def requireAlike(that: Pane): Unit = requireOneWindow(that)

  protected def unite(that: Pane, wider: Domain): Unit = {
    // a part without rows has no say
    if (total == 0 && that.total != 0) currentRule = that.rule
    else if ((total == 0) == (that.total == 0)) currentRule = rule.orOlder(that.rule)
    table.addAll(that.table)
    currentDomain = wider
    currentTimeDomain = timeDomain.widenTimesOrRefuse(that.timeDomain, family.ofSecond(Nil))
    total += that.total
    earliest = math.min(earliest, that.earliest)
    latest = math.max(latest, that.latest)
    report()
  }

  /** What is left once all its rows are there: its quantiles and few of its values. This one stays as it is, and takes more. */
  def finish(): QloveSketch = {
    val panes =
      if (count == 0) Vector.empty
      else Vector(FinishedPane.of(query, rule, earliest, latest, total, table.sorted))
    new QloveSketch(currentDomain, currentTimeDomain, query, panes)
  }

  /** Forgets all rows: the room of one pane serves the next. */
  def clear(): Unit = {
    table.clear()
    total = 0L
    earliest = Long.MaxValue
    latest = Long.MinValue
  }

  def write(writer: Wire.Writer): Unit = {
    count
    QloveWire.writePane(writer, this, table.sorted)
  }

  private[qlove] def restore(first: Long, last: Long, counts: SortedCounts, n: Long): Unit = {
    table.reserve(counts.keys.length.toLong)
    var i = 0
    while (i < counts.keys.length) { table.add(counts.keys(i), counts.counts(i)); i += 1 }
    total = n
    earliest = first
    latest = last
  }

  protected def heldBytes: Long = 2 * Meter.ObjectBytes + table.sizeBytes
}
