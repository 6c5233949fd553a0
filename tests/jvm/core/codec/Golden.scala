package chronosketch.codec

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileSystems, Files, Path, Paths, StandardOpenOption}

import chronosketch.ddsketch.DDSketch
import chronosketch.history.HistorySketch
import chronosketch.moments.{ComomentsSketch, MomentsSketch, StatisticAnswer}
import chronosketch.qlove.{QloveAnswer, Pane, QloveSketch}
import chronosketch.rank.Phi
import chronosketch.sample.Sampled
import chronosketch.sliding.moments.{CrossStatistic, Statistic}
import chronosketch.summary.{Envelope, Moment, Moments, Ranked, Summary}
import chronosketch.summed.SummedSketch

/** Writes golden files: the bytes of sketches in tests/golden/v1/name.bin, and their answers in name.txt. They are written once and
  * must be readable for ever. For a new family or form, `./sbt "core/Test/runMain chronosketch.codec.Golden"` adds files and leaves
  * existing ones unchanged.
  */
object Golden {
  val folder: Path = folderOf("v1")

  /** A folder of golden files: that of the repository or, if these tests are in a jar of their own, that in the jar. */
  def folderOf(name: String): Path = {
    val here = Paths.get("tests", "golden", name)
    if (Files.isDirectory(here)) here
    else {
      val jar = Paths.get(getClass.getProtectionDomain.getCodeSource.getLocation.toURI)
      FileSystems.newFileSystem(jar).getPath("golden", name)
    }
  }

  private val phis = Seq("0", "0.001", "0.07", "0.25", "0.5", "0.75", "0.9", "0.99", "0.999", "1")

  /** All answers of a summary, one per line, each beginning with its name. */
  def answers(summary: Summary): Seq[String] = summary match {
    // the answers of both, without the lines that they have in common
    case s: SummedSketch => s"family ${s.family}" +: (answersOfOne(s.quantileSketch).drop(1) ++
        answersOfOne(s.moments).drop(4))
    case one => answersOfOne(one)
  }

  private def answersOfOne(summary: Summary): Seq[String] =
    Seq(
      s"family ${summary.family}",
      s"type ${summary.domain.sql}",
      s"parameters ${summary.header.numbers.mkString(" ")}",
      s"count ${summary.count}"
    ) ++ (summary match {
      case s: Sampled if !s.estimates.isEmpty =>
        val p = s.profile
        Seq(
          s"values ${s.values.mkString(" ")}",
          s"confidence ${s.confidence}",
          s"rank error ${s.rankError}"
        ) ++
          phis.map { text =>
            val phi = Phi(new java.math.BigDecimal(text))
            val (low, high) = p.quantileBounds(phi)
            s"quantile $text ${s.quantile(phi)} from $low to $high"
          }
      case r: Ranked if !r.profile.isEmpty =>
        val p = r.profile
        // a sample without values has none
        val estimates = if (r.estimates.isEmpty) p else r.estimates
        val quantiles = phis.map { text =>
          val phi = Phi(new java.math.BigDecimal(text))
          val (low, high) = p.quantileBounds(phi)
          s"quantile $text ${estimates.quantile(phi)} from $low to $high"
        }
        val ranks = (0 until p.size by math.max(1, p.size / 10)).map { i =>
          val (low, high) = p.rankBounds(i)
          s"rank of ${p.key(i)} from $low to $high"
        }
        Seq(s"keys ${p.size}", s"minimum ${p.minimum}", s"maximum ${p.maximum}") ++
          Seq(s"certified error ${p.certifiedError}") ++ quantiles ++ ranks
      case s: DDSketch if s.count > 0 =>
        val p = s.profile
        Seq(s"bins ${s.size}", s"minimum ${p.minimum}", s"maximum ${p.maximum}") ++ phis.map { text =>
          val phi = Phi(new java.math.BigDecimal(text))
          val (low, high) = p.quantileBounds(phi)
          val answer = s.quantile(phi)
          s"quantile $text ${answer.key}, ${answer.value} from $low to $high"
        }
      case p: Pane => Seq(s"query ${p.query}", s"distinct ${p.distinct}") ++ p.finish().answers.map(answer)
      case w: QloveSketch =>
        Seq(s"query ${w.query}", s"panes ${w.size}", s"times ${w.timeDomain.sql}") ++ w.answers.map(a =>
          s"${answer(a)}; burst ${w.isBursty(a.phi).fold("unknown")(_.toString)}, bound ${w.bound(a.phi)}"
        )
      case h: HistorySketch if !h.isEmpty =>
        val (first, last) = (h.firstVersion, h.lastVersion)
        Seq(
          s"versions ${h.versions.sql} from $first to $last",
          s"trees ${h.trees}",
          s"clamped ${h.clamped}"
        ) ++
          Seq(first, between(first, last, 3), between(first, last, 2), last).distinct.flatMap { version =>
            s"version $version" +: answers(h.at(version)).drop(3)
          }
      case m: MomentsSketch =>
        Seq(s"least ${m.minimum}", s"greatest ${m.maximum}", s"sum ${m.sum}", s"exact sum ${m.exactSum}") ++
          Seq(s"mean ${m.mean}") ++ statistics.map(s => s"$s ${text(m.answer(s))}")
      case m: Moments =>
        Seq(s"between ${summary.countBounds}") ++
          Moment.all.map(moment => s"${moment.name} ${m.momentBounds(moment)}")
      case c: ComomentsSketch =>
        Seq(s"x type ${c.xDomain.sql}", s"sums ${c.sumY}, ${c.sumX}", s"means ${c.meanY}, ${c.meanX}") ++
          Seq(s"squares ${c.squaresY}, ${c.squaresX}") ++ crossStatistics.map(s => s"$s ${text(c.answer(s))}")
      case _ => Nil
    })

  /** A version between two others. Unsigned, because their difference may have 64 bits. */
  private def between(first: Long, last: Long, parts: Long): Long =
    first + java.lang.Long.divideUnsigned(last - first, parts)

  private[codec] val statistics: Seq[Statistic] = {
    import Statistic._
    Seq(VariancePop, VarianceSamp, StddevPop, StddevSamp, Skewness, Kurtosis, Squares)
  }

  private[codec] val crossStatistics: Seq[CrossStatistic] = {
    import CrossStatistic._
    Seq(CovarPop, CovarSamp, Corr, RegrSlope, RegrIntercept, RegrR2, RegrSxy)
  }

  private def answer(a: QloveAnswer): String =
    s"quantile ${a.phi} ${a.estimate.key}, ${a.estimate.value} by ${a.method}: ${a.reason}; ${a.reached} of ${a.need}"

  // as the stored files have it
  private def text(a: StatisticAnswer): String = s"Answer(${a.value},${a.outcome})"

  def main(arguments: Array[String]): Unit = {
    Files.createDirectories(folder)
    Stored.all.foreach { case (name, summary) =>
      val bin = folder.resolve(s"$name.bin")
      if (Files.exists(bin)) println(s"$name.bin exists: not written again")
      else {
        val bytes = Envelope.seal(summary)
        Files.write(bin, bytes, StandardOpenOption.CREATE_NEW)
        val text = answers(summary).mkString("", "\n", "\n")
        Files.write(folder.resolve(s"$name.txt"), text.getBytes(UTF_8), StandardOpenOption.CREATE_NEW)
        println(s"$name.bin: ${bytes.length} bytes")
      }
    }
  }
}
