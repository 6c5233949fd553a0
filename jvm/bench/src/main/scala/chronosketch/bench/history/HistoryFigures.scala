package chronosketch.bench.history

import java.util.SplittableRandom

import chronosketch.rank.Phi

/** Reproduces the paper's experiments on any past version (Tao, Yi, Sheng, Pei, Li 2010, §4), with the paper's simple alternative as the
  * other contestant. Prints lines of JSON. Arguments: the part, one of `check`, `sweep`, `budgets`, `ports` and `merged`, and the number of
  * timed rounds.
  */
object HistoryFigures {
  private val Epsilons = Seq(0.1, 0.05, 0.025, 0.0125, 0.00625)

  def main(arguments: Array[String]): Unit = {
    val rounds = arguments(1).toInt
    arguments(0) match {
      case "check" => check()
      case "sweep" =>
        Seq(1, 2, 4).foreach(ratio => sweep(s"ratio $ratio", new PaperChanges(ratio, 1), Epsilons, rounds))
        Seq(8, 16).foreach(ratio => sweep(s"ratio $ratio", new PaperChanges(ratio, 1), Seq(0.025), rounds))
        sweep("drifting", new PaperChanges(1, 1, drifting = true), Epsilons, rounds)
      case "budgets" =>
        val one = new PaperChanges(1, 1)
        Seq(80, 160, 320, 640, 1280).foreach(kb => budget("ratio 1", one, kb, withVersions = kb == 80))
        Seq(2, 4, 8, 16).foreach(r => budget(s"ratio $r", new PaperChanges(r, 1), 320, withVersions = false))
      case "ports" =>
        val ports = new PortChanges(1)
        sweep("ports", ports, Epsilons, rounds)
        Seq(250, 500, 1000, 2000, 4000).foreach(kb => budget("ports", ports, kb, kb == 250 || kb == 4000))
      case "merged" => HistorySizes.all()
    }
  }

  /** Checks small random histories at each version, also with equal values, and with so few that the alternative keeps all. */
  private def check(): Unit = for (epsilon <- Seq(0.1, 0.02); name <- Contestant.Names) {
    var answers, violations = 0L
    val histories = 20
    (1 to histories).foreach { seed =>
      val later = 1500
      val data = new PaperChanges(seed % 3 + 1, seed.toLong, seed % 2 == 0, 30, later, 1L << (4 + seed % 12))
      val checked = new CheckedAnswers(Contestant.of(name, data, epsilon), epsilon)
      data.foreachChecked(later)((i, alive) => { checked.ask(i, alive); () })
      answers += checked.answers
      violations += checked.violations
    }
    println(
      s"""{"part": "check", "side": "$name", "epsilon": $epsilon, "histories": $histories, "answers": $answers, "violations": $violations}"""
    )
  }

  private def sweep(what: String, data: Changes, epsilons: Seq[Double], rounds: Int): Unit = {
    // compute the keys before the clock starts
    data.keys
    // contestants take turns, so that drift of the machine affects both
    val times = for (round <- 0 to rounds; epsilon <- epsilons; name <- Contestant.Names) yield {
      val start = System.nanoTime
      val contestant = Contestant.of(name, data, epsilon)
      val rate = data.changes.length * 1e9 / (System.nanoTime - start)
      (round, epsilon, name, rate, nanos(contestant, data))
    }
    for (epsilon <- epsilons) {
      val checked =
        Contestant.Names.map(name => new CheckedAnswers(Contestant.of(name, data, epsilon), epsilon))
      data.foreachChecked(100)((i, alive) => checked.foreach(_.ask(i, alive)))
      checked.foreach { a =>
        val of = times.filter(t => t._1 > 0 && t._2 == epsilon && t._3 == a.contestant.name)
        println(
          s"""{"part": "sweep", "data": "$what", "updates": ${data.changes.length}, ${described(
              a
            )}, "updates_per_s": ${numbers(
              of.map(_._4)
            )}, "quantile_ns": ${numbers(of.map(_._5))}}"""
        )
      }
    }
  }

  private def described(a: CheckedAnswers): String =
    f""""side": "${a.contestant.name}", "epsilon": ${a.epsilon}%.6g, "bytes": ${a.contestant.bytes}, "parts": ${a.contestant.parts}, "error": ${a.mean}%.6f, "worst": ${a.worst}%.6f, "certified": ${a.certified}%.6f, "answers": ${a.answers}, "violations": ${a.violations}"""

  private def numbers(all: Seq[Double]): String = all.map(x => f"$x%.1f").mkString("[", ", ", "]")

  /** Compares the contestants as in the paper: each with about the least ε whose bytes fit into the budget. */
  private def budget(what: String, data: Changes, kilobytes: Int, withVersions: Boolean): Unit =
    Contestant.Names.foreach { name =>
      val (contestant, epsilon) = fitted(name, data, kilobytes * 1000)
      val a = new CheckedAnswers(contestant, epsilon)
      data.foreachChecked(100) { (i, alive) =>
        val error = a.ask(i, alive)
        if (withVersions)
          println(
            f"""{"part": "versions", "data": "$what", "budget": $kilobytes, "side": "$name", "epsilon": $epsilon%.6g, "change": $i, "error": $error%.6f}"""
          )
        if (what == "ports" && kilobytes == 1000 && name == "ours") println(shape(a.contestant, i, alive))
      }
      println(s"""{"part": "budgets", "data": "$what", "budget": $kilobytes, ${described(a)}}""")
    }

  private def fitted(name: String, data: Changes, bytes: Int): (Contestant, Double) = {
    def contestant(log: Double): Contestant = Contestant.of(name, data, math.exp(log))
    var (low, high) = (math.log(1e-4), math.log(0.5))
    var best = contestant(high)
    (1 to 7).foreach { _ =>
      val middle = (low + high) / 2
      val tried = contestant(middle)
      if (tried.bytes <= bytes) { high = middle; best = tried }
      else low = middle
    }
    (best, math.exp(high))
  }

  /** The 0.1-, 0.2- and 0.5-quantiles of the paper's figure 9, which counts from the greatest value. */
  private def shape(contestant: Contestant, i: Int, alive: Array[Long]): String = {
    val phis = Seq(0.9, 0.8, 0.5).map(Phi(_))
    val exact = phis.map(phi => alive(phi.rank(alive.length.toLong).toInt - 1))
    def all(keys: Seq[Long]): String = keys.mkString("[", ", ", "]")
    s"""{"part": "shape", "change": $i, "exact": ${all(exact)}, "answers": ${all(
        phis.map(contestant.quantile(i, _))
      )}}"""
  }

  /** The time of a quantile of a random version, in nanoseconds. */
  private def nanos(contestant: Contestant, data: Changes): Double = {
    // φs with three digits, as users ask them
    val phis = Array.tabulate(64)(i => Phi((i * 15 + 20) / 1000.0))
    val random = new SplittableRandom(3)
    val questions = 100000
    val at = Array.fill(questions)(random.nextInt(data.first, data.changes.length))
    var sum = 0L
    val start = System.nanoTime
    var k = 0
    while (k < questions) { sum += contestant.quantile(at(k), phis(k & 63)); k += 1 }
    val each = (System.nanoTime - start).toDouble / questions
    if (sum == 42) println("")
    each
  }
}
