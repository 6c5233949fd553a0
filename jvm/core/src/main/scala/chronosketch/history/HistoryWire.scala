package chronosketch.history

import chronosketch.codec.{Rising, Wire}
import chronosketch.domain.{Domain, TimeDomain}
import chronosketch.history.span.{CountedSpan, CountedSpanWire, LoggedSpan}

/** Encodes and decodes the payload of a history, as described in docs/format.md. */
private[history] object HistoryWire {

  /** The least number of bytes that a chain and a span take. */
  private val SmallestChain = 42
  private val SmallestSpan = 3

  def write(w: Wire.Writer, sketch: HistorySketch): Unit = {
    TimeDomain.write(w, sketch.versions)
    w.varint(sketch.chains.size.toLong)
    sketch.chains.foreach { chain =>
      w.zigzag(chain.first)
      w.varint(chain.last - chain.first)
      write(w, chain.startFingerprint)
      write(w, chain.endFingerprint)
      w.varint(chain.ignoredDeletes)
      w.varint(chain.maxAlive)
      w.varint(chain.spans.size.toLong)
      chain.spans.zipWithIndex.foreach { case (span, i) =>
        if (i > 0) w.varint(span.first - chain.spans(i - 1).first)
        span.write(w)
      }
    }
  }

  private def write(w: Wire.Writer, fingerprint: Fingerprint): Unit = {
    w.varint(fingerprint.count)
    Seq(fingerprint.hashA, fingerprint.hashB).foreach { hash =>
      w.int((hash >>> 32).toInt)
      w.int(hash.toInt)
    }
  }

  def read(r: Wire.Reader, domain: Domain, epsilon: Double): HistorySketch = {
    val versions = TimeDomain.read(r, "versions")
    val n = r.size(SmallestChain)
    var total = 0L
    val chains = Vector.fill(n) {
      val chain = readChain(r, domain)
      if (Long.MaxValue - total < chain.maxAlive) throw r.corrupt("its count has more than 63 bits")
      total += chain.maxAlive
      chain
    }
    new HistorySketch(domain, versions, epsilon, chains)
  }

  private def readChain(r: Wire.Reader, domain: Domain): Chain = {
    val first = r.zigzag()
    val last = first + r.varint()
    if (last < first) throw r.corrupt(s"its versions go from $first to $last")
    val start = readFingerprint(r)
    val end = readFingerprint(r)
    val ignoredDeletes = r.varint()
    val maxAlive = r.varint()
    if (ignoredDeletes < 0) throw r.corrupt(s"it left out $ignoredDeletes deletes")
    if (maxAlive < start.count || maxAlive < end.count)
      throw r.corrupt(s"its peak of $maxAlive elements is too low")
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
      // no version has more elements than maxAlive, so the counts of several chains add up without overflow
      if (span.maxAlive > maxAlive)
        throw r.corrupt(s"${span.maxAlive} elements were alive, but its peak is $maxAlive")
      span
    }
    Chain(first, last, spans, start, end, ignoredDeletes, maxAlive)
  }

  private def readFingerprint(r: Wire.Reader): Fingerprint = {
    def hash(): Long = (r.int().toLong << 32) | (r.int() & 0xffffffffL)
    val count = r.varint()
    if (count < 0) throw r.corrupt("its count has more than 63 bits")
    Fingerprint(count, hash(), hash())
  }
}
