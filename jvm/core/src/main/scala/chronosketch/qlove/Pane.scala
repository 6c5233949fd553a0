package chronosketch.qlove

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.counted.{FrequencyTable, SortedCounts}
import chronosketch.domain.Domain
import chronosketch.summary.{Family, Meter, Parameter, Summary, Timed}

/** The family of panes that still take rows. */
object Panes extends Family {
  val id = 4
  val name = "unfinished qlove pane"

  val parameters: Seq[Parameter] = Nil

  /** Of the paper's query: what is stored says otherwise. */
  def empty(domain: Domain, parameters: Array[Double]): Pane = new Pane(domain, Domain.BigInt, Query.Default)

  def read(reader: Wire.Reader, domain: Domain, parameters: Array[Double]): Pane =
    QloveWire.readPane(reader, domain)

  /** Keys come with their times. */
  override def mostInBag(parameters: Array[Double]): Int = 0
}

/** The family of panes once it is known which times they have, and what will be asked of them. */
final case class PanesOf(timeDomain: Domain, query: Query) extends Family {
  def id: Int = Panes.id
  def name: String = Panes.name
  def parameters: Seq[Parameter] = Panes.parameters

  def empty(domain: Domain, parameters: Array[Double]): Pane = new Pane(domain, timeDomain, query)

  def read(reader: Wire.Reader, domain: Domain, parameters: Array[Double]): Pane =
    Panes.read(reader, domain, parameters)

  override def mostInBag(parameters: Array[Double]): Int = Panes.mostInBag(parameters)

  override def toString: String = s"$name of $query"
}

/** How often does each value occur in a pane that rows are still coming to?
  *
  * Guarantee  [[finish]] answers every φ of the query with the exact quantile of the rows, whatever their order and the parts
  *            that they came in
  * Cost       29 ns a row in panes of 1 000, finishing included; 32 to 64 bytes a distinct value, stored 2 to 6
  * Units      times as `timeDomain` has them
  * Merge      legal when values and times widen and the queries are the same: tables add up. Both are taken for parts of one
  *            pane, which lasts from the earliest to the latest row of either
  * Source     Lim, Hassan, Jin, Volos, Jeon, Approximate quantiles for datacenter telemetry monitoring, 2019, §3.1, level 1
  *
  * A value that comes without a time has time 0.
  */
final class Pane(initialDomain: Domain, initialTimeDomain: Domain, val query: Query)
    extends Summary
    with Timed
    with OfPanes {
  private var currentDomain = initialDomain
  private var currentTimeDomain = initialTimeDomain
  private val table = new FrequencyTable
  private var total = 0L
  private var earliest = Long.MaxValue
  private var latest = Long.MinValue

  private val digits = query.digits
  if (digits > 0 && !initialDomain.isNumeric)
    throw Refusal("CHRONOSKETCH_NO_DIGITS", "type" -> initialDomain.sql)

  private var meter: Meter = null
  private var metered = 0L

  def family: Family = Panes
  def domain: Domain = currentDomain
  def timeDomain: Domain = currentTimeDomain
  def parameters: Array[Double] = Array.emptyDoubleArray

  def count: Long = {
    if (total < 0) throw Pane.overflow
    total
  }

  /** Different values, as they are rounded. */
  def distinct: Int = table.distinct

  /** The times of its earliest and its latest row; not when it is empty. */
  def first: Long = earliest
  def last: Long = latest

  def insert(key: Long): Unit = insert(key, 0L, 0)

  def insert(key: Long, copies: Long): Unit = insert(key, 0L, 0, copies)

  /** There are no filters. */
  def insert(key: Long, time: Long, passed: Int): Unit =
    // once beyond 63 bits it stays there: as many rows again do not come
    add(key, time, 1L)

  /** `copies` ≥ 0 rows. */
  def insert(key: Long, time: Long, passed: Int, copies: Long): Unit = if (copies > 0) {
    if (Long.MaxValue - count < copies) throw Pane.overflow
    add(key, time, copies)
  }

  private def add(key: Long, time: Long, copies: Long): Unit = {
    if (time < earliest) earliest = time
    if (time > latest) latest = time
    total += copies
    val before = table.distinct
    table.add(if (digits == 0) key else SignificantDigits.round(key, currentDomain, digits), copies)
    if (meter != null && table.distinct != before) report()
  }

  def merge(other: Summary): Unit = {
    requireSameFamily(other)
    val that = other.asInstanceOf[Pane]
    if (that eq this) throw new IllegalArgumentException("a summary can't be merged into itself")
    val (wider, widerTime) = widened(that)
    if (Long.MaxValue - count < that.count) throw Pane.overflow
    table.addAll(that.table)
    currentDomain = wider
    currentTimeDomain = widerTime
    total += that.total
    earliest = math.min(earliest, that.earliest)
    latest = math.max(latest, that.latest)
    report()
  }

  /** What is left once all its rows are there: its quantiles and few of its values. This one stays as it is, and takes more. */
  def finish(): QloveSketch = {
    val panes =
      if (count == 0) Vector.empty
      else Vector(FinishedPane.of(query, earliest, latest, total, table.sorted))
    new QloveSketch(currentDomain, currentTimeDomain, query, panes)
  }

  override def fresh: Pane = new Pane(currentDomain, currentTimeDomain, query)

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

  override def meteredBy(owner: Meter): Unit = {
    if (meter != null) meter.add(-metered)
    meter = owner
    metered = 0L
    report()
  }

  private def report(): Unit = if (meter != null) {
    val bytes = 2 * Meter.ObjectBytes + table.sizeBytes
    meter.add(bytes - metered)
    metered = bytes
  }
}

private[qlove] object Pane {
  def overflow: Refusal = Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)
}

/** What panes, and windows of them, must have in common to be put together. */
private[qlove] trait OfPanes {
  def domain: Domain
  def timeDomain: Domain
  def query: Query

  /** The types of values and times that hold those of both, or the refusal that names what differs. */
  final protected def widened(that: OfPanes): (Domain, Domain) = {
    val wider = domain.widenOrRefuse(that.domain)
    val widerTime = timeDomain.widen(that.timeDomain).getOrElse(
      throw Refusal(
        "CHRONOSKETCH_TIME_TYPES_DIFFER",
        "left" -> timeDomain.sql,
        "right" -> that.timeDomain.sql
      )
    )
    if (query != that.query)
      throw Refusal(
        "CHRONOSKETCH_QUERIES_DIFFER",
        "left" -> query.toString,
        "right" -> that.query.toString
      )
    (wider, widerTime)
  }
}
