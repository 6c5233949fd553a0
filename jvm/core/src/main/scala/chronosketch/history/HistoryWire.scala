package chronosketch.history

import chronosketch.codec.{Rising, Wire}
import chronosketch.domain.{Domain, TimeDomain}
import chronosketch.history.span.{CountedSpan, CountedSpanWire, LoggedSpan}

/** The payload of a history; docs/format.md has it in words. */
private[history] object HistoryWire {

  /** The bytes of a chain at least, and of a span. */
  private val SmallestChain = 42
  private val SmallestSpan = 3

  def write(w: Wire.Writer, sketch: HistorySketch): Unit = {
    TimeDomain.write(w, sketch.versions)
    w.varint(sketch.chains.size.toLong)
    sketch.chains.foreach { chain =>
      w.zigzag(chain.first)
      w.varint(chain.last - chain.first)
      write(w, chain.start)
      write(w, chain.end)
      w.varint(chain.clamped)
      w.varint(chain.peak)
      w.varint(chain.spans.size.toLong)
      chain.spans.zipWithIndex.foreach { case (span, i) =>
        if (i > 0) w.varint(span.first - chain.spans(i - 1).first)
        span.write(w)
      }
    }
  }

  private def write(w: Wire.Writer, print: Print): Unit = {
    w.varint(print.count)
    Seq(print.one, print.other).foreach { hash =>
      w.int((hash >>> 32).toInt)
      w.int(hash.toInt)
    }
  }

  def read(r: Wire.Reader, domain: Domain, epsilon: Double): HistorySketch = {
    val versions = TimeDomain.read(r, "versions")
    val n = r.size(SmallestChain)
    var held = 0L
    val chains = Vector.fill(n) {
      val chain = readChain(r, domain)
      if (Long.MaxValue - held < chain.peak) throw r.corrupt("its count has more than 63 bits")
      held += chain.peak
      chain
    }
    new HistorySketch(domain, versions, epsilon, chains)
  }

  private def readChain(r: Wire.Reader, domain: Domain): Chain = {
    val first = r.zigzag()
    val last = first + r.varint()
    if (last < first) throw r.corrupt(s"its versions go from $first to $last")
    val start = readPrint(r)
    val end = readPrint(r)
    val clamped = r.varint()
    val peak = r.varint()
    if (clamped < 0) throw r.corrupt(s"it left out $clamped deletes")
    if (peak < start.count || peak < end.count) throw r.corrupt(s"its peak of $peak elements is too low")
    val n = r.size(SmallestSpan)
    if (n == 0) throw r.corrupt("it has versions, but no data about them")
    var version = first
    val spans = Vector.tabulate(n) { i =>
      if (i > 0) version = Rising.next(r, version)
      if (version > last) throw r.corrupt(s"version $version comes after the last, $last")
      val span = r.byte() match {
        case LoggedSpan.Form => LoggedSpan.read(r, version, domain)
        case CountedSpan.Form => CountedSpanWire.read(r, version, domain)
        case form => throw r.corrupt(s"a part of it has the unknown form $form")
      }
      // sums of what is alive in several chains are sums of numbers that fit
      if (span.most > peak) throw r.corrupt(s"${span.most} elements were alive, but its peak is $peak")
      span
    }
    Chain(first, last, spans, start, end, clamped, peak)
  }

  private def readPrint(r: Wire.Reader): Print = {
    def hash(): Long = (r.int().toLong << 32) | (r.int() & 0xffffffffL)
    val count = r.varint()
    if (count < 0) throw r.corrupt("its count has more than 63 bits")
    Print(count, hash(), hash())
  }
}
