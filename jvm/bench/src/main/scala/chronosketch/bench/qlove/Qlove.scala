package chronosketch.bench.qlove

import chronosketch.bench.CpuTime
import chronosketch.qlove.Query
import chronosketch.rank.Phi
import chronosketch.sliding.certified.{ArasuManku, Cmqs}

/** Reproduces Tables 1 to 5 and Figures 4 and 5 of QLOVE's paper on similar data, as Markdown.
  *
  * The argument selects the part: `tables`; `throughput`; `unnamed` for errors without a budget; `slides` for windows that slide, compared
  * with windows whose panes are merged for each answer.
  */
object Qlove {
  private val Window = 128 * 1024
  private val Phis = Seq("0.5", "0.9", "0.99", "0.999").map(phi)
  private val Epsilon = 0.02
  private val Alpha = 0.01

  /** The k of KLL for rank error ε by the library's formula. */
  private val Kll = 131

  private def phi(text: String): Phi = Phi(new java.math.BigDecimal(text))

  def main(arguments: Array[String]): Unit = arguments.toSeq match {
    case Seq("tables") => tables()
    case Seq("throughput") => throughput()
    case Seq("unnamed") => defaultBudget()
    case Seq("slides") => slides()
    case other => sys.error(s"tables, throughput, unnamed or slides, not ${other.mkString(" ")}")
  }

  /** The mean errors of a policy for each φ, of values in percent and of ranks relative to the rows, and the most variables it kept. */
  private final class PolicyErrors(val policy: Policy, phis: Seq[Phi]) {
    private val errors, ranks = new Array[Double](phis.size)
    private var windows, maxVariables = 0L

    def add(exact: Array[Double], truth: ExactWindow): Unit = {
      val answers = policy.answers()
      phis.indices.foreach { i =>
        errors(i) += math.abs(answers(i) - exact(i)) / math.abs(exact(i)) * 100
        ranks(i) += truth.rankError(phis(i), answers(i))
      }
      windows += 1
      maxVariables = math.max(maxVariables, policy.variables)
    }

    def error(i: Int): Double = errors(i) / windows
    def value(i: Int): String = f"${error(i)}%.2f"
    def rank(i: Int): String = f"${ranks(i) / windows}%.4f"
    def variables: String = f"$maxVariables%,d"
  }

  /** Runs all policies over the same rows, with answers at the end of each pane once the window is full. */
  private def measure(data: Array[Long], pane: Int, phis: Seq[Phi], policies: Policy*): Seq[PolicyErrors] = {
    val truth = new ExactWindow(data, Window)
    val measured = policies.map(new PolicyErrors(_, phis))
    var i = 0
    while (i < data.length) {
      truth.insert()
      val key = data(i)
      measured.foreach(_.policy.insert(key))
      i += 1
      if (i % pane == 0) {
        measured.foreach(_.policy.endPane())
        if (truth.isFull) {
          val exact = phis.map(truth.quantile).toArray
          measured.foreach(_.add(exact, truth))
        }
      }
    }
    measured
  }

  private def table(title: String, header: Seq[String], rows: Seq[Seq[String]]): Unit = {
    begin(title, header)
    rows.foreach(row)
  }

  private def begin(title: String, header: Seq[String]): Unit = {
    println(s"\n**$title**\n")
    row(header)
    row(header.map(_ => "---"))
  }

  private def row(cells: Seq[String]): Unit = println(cells.mkString("| ", " | ", " |"))

  private def kilo(n: Int): String = s"${n / 1024}K"

  private def qlove(phis: Seq[Phi], pane: Int, budget: Option[Int], label: String = "QLOVE"): Policy =
    new QlovePolicy(Query(phis, Window / pane, budget), label)

  private def needed(phi: Phi): Int = (Window - phi.rank(Window.toLong) + 1).toInt

  private def part(phi: Phi, fraction: Double): Int = math.round(fraction * needed(phi)).toInt

  private def tables(): Unit = {
    val netMon = Telemetry.netMon()
    println(s"Windows of 128K rows, ${netMon.length} rows; value errors in percent, means over all windows.")
    rivals("Table 1: NetMon, panes of 16K, few-k off", netMon)
    sizes("Table 2: NetMon, panes of 64K to 1K; few-k off, then by its rule", netMon)
    topK(netMon)
    sampleK(netMon)
    ruleWithBursts(netMon)
    dependent()
    rivals("§5.4: Pareto, panes of 16K, few-k off", Telemetry.pareto())
    val search = Telemetry.search()
    rivals("Data of Search's shape, panes of 16K, few-k off", search)
    sizes("Data of Search's shape, panes of 64K to 1K; few-k off, then by its rule", search)
  }

  /** Errors of QLOVE without a budget. */
  private def defaultBudget(): Unit = {
    val netMon = Telemetry.netMon()
    sizes("NetMon, panes of 64K to 1K; few-k off, then by its rule", netMon)
    sizes("Pareto, panes of 64K to 1K; few-k off, then by its rule", Telemetry.pareto())
    val rows = Seq(64, 32, 16, 8, 4, 2, 1).map(_ * 1024).map { pane =>
      val bursts = Telemetry.burst(netMon, pane, Window / pane, Window / 1000)
      val both = measure(bursts, pane, Phis, qlove(Phis, pane, Some(0)), qlove(Phis, pane, None))
      kilo(pane) +: both.flatMap(x => Phis.indices.map(x.value))
    }
    table(
      "NetMon with bursts × 10 in every m-th pane; few-k off, then by its rule",
      ("pane" +: Phis.map(p => s"off Q$p")) ++ Phis.map(p => s"rule Q$p"),
      rows
    )
  }

  private def rivals(title: String, data: Array[Long]): Unit = {
    val pane = 16 * 1024
    val m = Window / pane
    val measured = measure(
      data,
      pane,
      Phis,
      qlove(Phis, pane, Some(0)),
      qlove(Phis, pane, None, "QLOVE, few-k by its rule"),
      new FramePolicy("CMQS", new Cmqs(Window.toLong, Epsilon), Phis, pane),
      new FramePolicy("AM", new ArasuManku(Window.toLong, Epsilon), Phis, pane),
      new RandomPolicy(Epsilon, Phis, pane, m),
      new MomentPolicy(Phis, m, data.min.toDouble, data.max.toDouble),
      new DDSketchPolicy(Alpha, Phis, m),
      new KllPolicy(Kll, Phis, m),
      new TreePolicy(Phis, pane, m)
    )
    table(
      title,
      ("policy" +: Phis.map(p => s"value Q$p")) ++ Phis.map(p => s"rank Q$p") :+ "variables",
      measured.map(x =>
        (x.policy.name +: Phis.indices.map(x.value)) ++ Phis.indices.map(x.rank) :+ x.variables
      )
    )
  }

  private def sizes(title: String, data: Array[Long]): Unit = {
    val rows = Seq(64, 32, 16, 8, 4, 2, 1).map(_ * 1024).map { pane =>
      val both = measure(data, pane, Phis, qlove(Phis, pane, Some(0)), qlove(Phis, pane, None))
      val (off, rule) = (both(0), both(1))
      kilo(
        pane
      ) +: (Phis.indices.map(off.value) :+ off.variables) :++ (Phis.indices.map(rule.value) :+ rule.variables)
    }
    table(
      title,
      ("pane" +: Phis.map(p => s"off Q$p") :+ "variables") ++ Phis.map(p => s"rule Q$p") :+ "variables",
      rows
    )
  }

  private def topK(data: Array[Long]): Unit = {
    val high = Phis.last
    val rows = Seq(8, 4, 2, 1).map(_ * 1024).map { pane =>
      val m = Window / pane
      val measured = Seq(0.1, 0.5).flatMap { f =>
        Seq(
          qlove(Seq(high), pane, Some(part(high, f))),
          new PrintedPolicy(high, f, PrintedPolicy.Top, pane, m),
          new PrintedPolicy(high, f, PrintedPolicy.Sample, pane, m)
        )
      }
      kilo(pane) +: measure(data, pane, Seq(high), measured: _*).map(x => s"${x.value(0)} (${x.variables})")
    }
    table(
      "Table 3: NetMon, Q0.999 where panes keep a part of what makes it exact (variables in brackets)",
      "pane" +: Seq("0.1", "0.5").flatMap(f =>
        Seq(s"$f ours", s"$f as printed: top-k", s"$f as printed: sample-k")
      ),
      rows
    )
  }

  private def sampleK(data: Array[Long]): Unit = {
    val rows = for {
      pane <- Seq(16, 4).map(_ * 1024)
      m = Window / pane
      bursts = Telemetry.burst(data, pane, m, Window / 1000)
      fraction <- Seq(0.0, 0.1, 0.5)
      tested <- Seq(Phis(2), Phis(3))
    } yield {
      val policies = qlove(Seq(tested), pane, Some(part(tested, fraction))) +: Seq(
        PrintedPolicy.SampleWhereBursty,
        PrintedPolicy.Sample
      ).filter(_ => fraction > 0).map(new PrintedPolicy(tested, fraction, _, pane, m))
      val cells = measure(bursts, pane, Seq(tested), policies: _*).map(x => s"${x.value(0)} (${x.variables})")
      Seq(kilo(pane), fraction.toString, s"Q$tested") ++ cells.padTo(3, "")
    }
    table(
      "Table 4: NetMon with bursts × 10 in every m-th pane",
      Seq(
        "pane",
        "part kept",
        "φ",
        "ours",
        PrintedPolicy.SampleWhereBursty.text,
        PrintedPolicy.Sample.text
      ),
      rows
    )
  }

  private def ruleWithBursts(data: Array[Long]): Unit = {
    val high = Phis.last
    val half = Some((needed(high) + 1) / 2)
    val panes = Seq(64, 32, 16, 8, 4, 2, 1).map(_ * 1024)
    val rows = panes.map { pane =>
      val bursts = Telemetry.burst(data, pane, Window / pane, Window / 1000)
      val cells = Seq(data, bursts).map { d =>
        measure(d, pane, Seq(high), qlove(Seq(high), pane, half)).head
      }
      kilo(pane) +: cells.map(_.value(0)) :+ cells.head.variables
    }
    table(
      "Beside Tables 3 and 4: NetMon, Q0.999, a budget of one half",
      Seq("pane", "no burst", "burst × 10", "variables"),
      rows
    )
  }

  private def dependent(): Unit = {
    val tested = Phis.take(3)
    val rows = Seq(0.0, 0.2, 0.8).map { psi =>
      val pane = 16 * 1024
      val x = measure(Telemetry.autoregressive(psi), pane, tested, qlove(tested, pane, Some(0))).head
      s"$psi" +: tested.indices.map(i => f"${x.error(i)}%.4f")
    }
    table("Table 5: AR(1), panes of 16K, few-k off", "ψ" +: tested.map(p => s"Q$p"), rows)
  }

  /** CMQS at multiples of the ε of the other tables: Figure 4, with windows of 100K and slides of 1K. */
  private def figure4(data: Array[Long]): Unit = {
    val (window, slide) = (100000, 1000)
    val multiples = Seq(1, 2, 4, 6, 8, 10)
    begin(
      "Figure 4: million rows a second on one core, windows of 100,000, slides of 1K, NetMon",
      Seq("QLOVE", "Exact") ++ multiples.map(x => f"CMQS, ε = ${Epsilon * x}%.2f")
    )
    val policies = Seq(
      new QlovePolicy(Query(Phis, window / slide, Some(0))),
      new TreePolicy(Phis, slide, window / slide)
    ) ++
      multiples.map(x => new FramePolicy("CMQS", new Cmqs(window.toLong, Epsilon * x), Phis, slide))
    row(policies.map(p => f"${rate(p, data, window, slide)}%.2f"))
  }

  private def throughput(): Unit = {
    val slide = 1000
    val windows = Seq(1000, 10000, 100000, 1000000, 10000000, 100000000)
    figure4(Telemetry.netMon())
    Seq(
      "NetMon" -> Telemetry.netMon(),
      "NetMon in steps of 100 µs" -> Telemetry.lowPrecision(Telemetry.netMon()),
      "data of Search's shape" -> Telemetry.search(),
      "data of Search's shape in steps of 100 µs" -> Telemetry.lowPrecision(Telemetry.search()),
      "normal" -> Telemetry.autoregressive(0.0),
      "uniform" -> Telemetry.uniform()
    ).foreach { case (name, data) =>
      val policies: Seq[(String, Int => Policy, Int)] = Seq(
        ("QLOVE", w => new QlovePolicy(Query(Phis, w / slide, Some(0))), Int.MaxValue),
        ("QLOVE, few-k by its rule", w => new QlovePolicy(Query(Phis, w / slide, None)), Int.MaxValue),
        ("Exact", w => new TreePolicy(Phis, slide, w / slide), 1000000),
        ("CMQS", w => new FramePolicy("CMQS", new Cmqs(w.toLong, Epsilon), Phis, slide), 1000000),
        ("AM", w => new FramePolicy("AM", new ArasuManku(w.toLong, Epsilon), Phis, slide), 1000000),
        ("Random", w => new RandomPolicy(Epsilon, Phis, slide, w / slide), 1000000),
        ("DDSketch", w => new DDSketchPolicy(Alpha, Phis, w / slide), 1000000),
        ("KLL", w => new KllPolicy(Kll, Phis, w / slide), 1000000)
      )
      // print each row immediately, because some take minutes
      begin(
        s"Figure 5: million rows a second on one core, slides of 1K, $name",
        "policy" +: windows.map(w => f"window $w%,d")
      )
      policies.foreach { case (policy, create, largest) =>
        row(policy +: windows.map(w => if (w > largest) "" else f"${rate(create(w), data, w, slide)}%.2f"))
      }
    }
  }

  /** Throughput of few-k in sliding windows, and in windows merged for each answer up to a size: medians of rounds, policies in turns. */
  private def slides(): Unit = {
    val (slide, rounds) = (1000, 5)
    val windows = Seq(1000, 10000, 100000, 1000000, 10000000, 100000000)
    val data = Telemetry.netMon()
    def median(rates: Seq[Double]): String = f"${rates.sorted.apply(rates.size / 2)}%.2f"
    begin(
      "Million rows a second on one core, slides of 1K, NetMon",
      Seq("window", "few-k off", "few-k by its rule", "its panes merged anew")
    )
    windows.foreach { w =>
      val m = w / slide
      val policies: Seq[() => Policy] = Seq(
        () => new QlovePolicy(Query(Phis, m, Some(0))),
        () => new QlovePolicy(Query(Phis, m, None)),
        () => new MergedAnewPolicy(Query(Phis, m, None))
      ).take(if (w > 1000000) 2 else 3)
      val rates =
        Seq.fill(if (w > 10000000) 1 else rounds)(policies.map(create => rate(create(), data, w, slide)))
      row((f"$w%,d" +: policies.indices.map(i => median(rates.map(_(i))))).padTo(4, ""))
    }
  }

  /** The throughput in million rows per second: the best of three runs of at least 0.3 s, after filling the window. */
  private def rate(policy: Policy, data: Array[Long], window: Int, slide: Int): Double = {
    var at = 0
    var answered = 0.0
    def go(slides: Int): Unit = {
      var s = 0
      while (s < slides) {
        var i = 0
        while (i < slide) { policy.insert(data(at + i)); i += 1 }
        at += slide
        if (at + slide > data.length) at = 0
        policy.endPane()
        answered += policy.answers().sum
        s += 1
      }
    }
    go(math.max(window / slide, 200))
    val best = (1 to 3).map { _ =>
      val start = CpuTime.nanoseconds
      var rows = 0L
      while (CpuTime.nanoseconds - start < 300000000L) {
        go(20)
        rows += 20L * slide
      }
      rows / ((CpuTime.nanoseconds - start) / 1e9) / 1e6
    }.max
    require(!answered.isNaN)
    best
  }
}
