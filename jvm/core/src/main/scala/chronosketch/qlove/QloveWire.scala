package chronosketch.qlove

import java.math.BigDecimal
import java.nio.charset.StandardCharsets.US_ASCII

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.counted.SortedCounts
import chronosketch.domain.{Domain, TimeDomain}
import chronosketch.rank.Phi

/** Encodes and decodes the payloads of panes and of windows of panes, as described in docs/format.md. */
private[qlove] object QloveWire {

  /** The least number of bytes of a φ: a length and a digit. */
  private val SmallestPhi = 2
  private val LongestPhi = 400

  /** The byte of the digits also encodes the rule of the panes: it is digits + RuleUnit · rule, with [[RulesDiffer]] for the rule if each
    * pane has its own.
    */
  private val RuleUnit = 32
  private val RulesDiffer = TailRule.all.size

  def writePane(w: Wire.Writer, pane: Pane, counts: SortedCounts): Unit = {
    TimeDomain.write(w, pane.timeDomain)
    writeQuery(w, pane.query, if (pane.query.budget.isEmpty) pane.rule.id else 0)
    val n = counts.keys.length
    w.varint(n.toLong)
    if (n > 0) {
      w.zigzag(pane.first)
      w.varint(pane.last - pane.first)
      w.zigzag(counts.keys(0))
      var i = 1
      while (i < n) { w.varint(counts.keys(i) - counts.keys(i - 1)); i += 1 }
      i = 0
      while (i < n) { w.varint(counts.counts(i)); i += 1 }
    }
  }

  def readPane(r: Wire.Reader, domain: Domain): Pane = {
    val timeDomain = TimeDomain.read(r, "times")
    val (query, mark) = readQuery(r)
    val rule = ruleOf(r, query, mark)
    val pane =
      try new Pane(domain, timeDomain, query, rule)
      catch { case refusal: Refusal => throw refused(r, refusal) }
    val n = r.size(2)
    if (n > 0) {
      val first = r.zigzag()
      val last = readLast(r, first)
      val keys, counts = new Array[Long](n)
      keys(0) = r.zigzag()
      var i = 1
      while (i < n) {
        keys(i) = keys(i - 1) + r.varint()
        if (keys(i) <= keys(i - 1)) throw r.corrupt("its keys are not in increasing order")
        i += 1
      }
      if (!domain.holdsAll(keys, n)) throw r.corrupt(s"it has a key that is not of type ${domain.sql}")
      var total = 0L
      i = 0
      while (i < n) {
        counts(i) = r.varint()
        total += counts(i)
        if (counts(i) <= 0 || total < 0) throw r.corrupt("its counts are not valid")
        i += 1
      }
      pane.restore(first, last, new SortedCounts(keys, counts), total)
    }
    pane
  }

  def writeSketch(w: Wire.Writer, sketch: QloveSketch): Unit = {
    TimeDomain.write(w, sketch.timeDomain)
    val mark = markOf(sketch)
    writeQuery(w, sketch.query, mark)
    w.varint(sketch.size.toLong)
    var before = Long.MinValue
    var i = 0
    while (i < sketch.size) {
      val pane = sketch.pane(i)
      if (i == 0) w.zigzag(pane.first) else w.varint(pane.first - before)
      w.varint(pane.last - pane.first)
      w.varint(pane.count)
      if (mark == RulesDiffer) w.byte(pane.rule.id)
      before = pane.last
      writeRising(w, pane.quantiles)
      pane.quantiles.indices.foreach { j =>
        w.varint(pane.quantiles(j) - pane.lows(j))
        w.varint(pane.highs(j) - pane.quantiles(j))
        writeTail(w, pane.tails(j))
      }
      i += 1
    }
  }

  private def markOf(sketch: QloveSketch): Int =
    if (sketch.query.budget.nonEmpty || sketch.size == 0) 0
    else {
      val first = sketch.pane(0).rule
      if ((1 until sketch.size).forall(sketch.pane(_).rule == first)) first.id else RulesDiffer
    }

  private def writeRising(w: Wire.Writer, keys: Array[Long]): Unit = {
    w.zigzag(keys(0))
    (1 until keys.length).foreach(i => w.varint(keys(i) - keys(i - 1)))
  }

  /** Writes the keys. Their number follows from the query, the pane's rule and its count. */
  private def writeTail(w: Wire.Writer, tail: Tail): Unit = if (tail != null && tail.size > 0) {
    w.zigzag(tail.key(0))
    var i = 1
    while (i < tail.size) { w.varint(tail.key(i - 1) - tail.key(i)); i += 1 }
  }

  def readSketch(r: Wire.Reader, domain: Domain): QloveSketch = {
    val timeDomain = TimeDomain.read(r, "times")
    val (query, mark) = readQuery(r)
    val n = r.size(3)
    if (n > query.panes) throw r.corrupt(s"it has $n panes, but its window has ${query.panes}")
    var before = 0L
    var total = 0L
    val panes = Vector.tabulate(n) { i =>
      val first = if (i == 0) r.zigzag() else before + r.varint()
      if (i > 0 && first <= before) throw r.corrupt("its panes overlap")
      val last = readLast(r, first)
      before = last
      val count = r.varint()
      total += count
      if (count <= 0 || total < 0) throw r.corrupt("its count is not valid")
      val rule = ruleOf(r, query, if (mark == RulesDiffer) r.byte() else mark)
      readPane(r, domain, query, rule, first, last, count)
    }
    new QloveSketch(domain, timeDomain, query, panes)
  }

  private def readPane(
      r: Wire.Reader,
      domain: Domain,
      query: Query,
      rule: TailRule,
      first: Long,
      last: Long,
      count: Long
  ): FinishedPane = {
    val m = query.phis.size
    // each quantile takes at least a byte
    if (m > r.remaining) throw r.corrupt("its payload ends early")
    val quantiles, lows, highs = new Array[Long](m)
    val tails = new Array[Tail](m)
    quantiles(0) = r.zigzag()
    (1 until m).foreach { i =>
      quantiles(i) = quantiles(i - 1) + r.varint()
      if (quantiles(i) < quantiles(i - 1)) throw r.corrupt("its quantiles are not in increasing order")
    }
    (0 until m).foreach { i =>
      lows(i) = quantiles(i) - r.varint()
      highs(i) = quantiles(i) + r.varint()
      if (lows(i) > quantiles(i) || highs(i) < quantiles(i))
        throw r.corrupt("its quantiles are not in increasing order")
      if (!domain.holds(lows(i)) || !domain.holds(quantiles(i)) || !domain.holds(highs(i)))
        throw r.corrupt(s"it has a key that is not of type ${domain.sql}")
      tails(i) = readTail(r, domain, FewK.of(query, rule, i, count))
    }
    new FinishedPane(first, last, count, quantiles, lows, highs, rule, tails)
  }

  private def readTail(r: Wire.Reader, domain: Domain, fewK: FewK): Tail =
    if (fewK == null) null
    else {
      if (fewK.size > r.remaining) throw r.corrupt("its payload ends early")
      val tops = new Array[Long](fewK.top)
      val samples = new Array[Long](fewK.sampled)
      var key = 0L
      var i = 0
      while (i < fewK.size) {
        val next = if (i == 0) r.zigzag() else key - r.varint()
        if (i > 0 && next > key) throw r.corrupt("its greatest values are not in decreasing order")
        if (!domain.holds(next)) throw r.corrupt(s"it has a key that is not of type ${domain.sql}")
        if (i < tops.length) tops(i) = next else samples(i - tops.length) = next
        key = next
        i += 1
      }
      new Tail(tops, samples, fewK.interval)
    }

  private def readLast(r: Wire.Reader, first: Long): Long = {
    val last = first + r.varint()
    if (last < first) throw r.corrupt("its latest row is before its earliest")
    last
  }

  private def writeQuery(w: Wire.Writer, query: Query, mark: Int): Unit = {
    w.varint(query.panes.toLong)
    w.varint(query.budget.fold(0L)(_ + 1L))
    w.byte(query.digits + RuleUnit * mark)
    w.varint(query.phis.size.toLong)
    query.phis.foreach { phi =>
      val text = phi.toString.getBytes(US_ASCII)
      w.varint(text.length.toLong)
      text.foreach(w.byte(_))
    }
  }

  /** Reads the query and the encoded rule. */
  private def readQuery(r: Wire.Reader): (Query, Int) = {
    val panes = readInt(r)
    val budget = readInt(r, Int.MaxValue + 1L)
    val marked = r.byte()
    val phis = Vector.fill(r.size(SmallestPhi))(readPhi(r))
    val query =
      try Query(phis, panes.toInt, Option.when(budget > 0)((budget - 1).toInt), marked % RuleUnit)
      catch { case refusal: Refusal => throw refused(r, refusal) }
    if (query.phis != phis) throw r.corrupt("its phis are not in increasing order")
    val mark = marked / RuleUnit
    if (mark > RulesDiffer) throw r.corrupt(s"its panes have the unknown rule $mark")
    if (mark > 0 && budget > 0)
      throw r.corrupt("it has a budget and also a rule, which only belongs where there is no budget")
    (query, mark)
  }

  /** The rule of panes. With a budget, rules make no difference. */
  private def ruleOf(r: Wire.Reader, query: Query, mark: Int): TailRule =
    if (query.budget.nonEmpty) TailRule.Newest
    else TailRule.all.lift(mark).getOrElse(throw r.corrupt(s"its panes have the unknown rule $mark"))

  private def readInt(r: Wire.Reader, greatest: Long = Int.MaxValue): Long = {
    val value = r.varint()
    if (value < 0 || value > greatest)
      throw r.corrupt(s"it has the number $value where a smaller one belongs")
    value
  }

  private def readPhi(r: Wire.Reader): Phi = {
    val length = r.size(1)
    if (length > LongestPhi) throw r.corrupt(s"one of its phis has $length digits")
    val text = new String(Array.fill(length)(r.byte().toByte), US_ASCII)
    if (!text.matches("[01](\\.[0-9]*[1-9])?")) throw r.corrupt("one of its phis is not a number")
    try Phi(new BigDecimal(text))
    catch { case refusal: Refusal => throw refused(r, refusal) }
  }

  /** Turns a refusal of a parameter into one of corrupt bytes, because the user did not ask for the parameter. */
  private def refused(r: Wire.Reader, refusal: Refusal): Refusal = r.corrupt(refusal.getMessage)
}
