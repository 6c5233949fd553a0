package chronosketch.families

import chronosketch.Refusal
import chronosketch.ddsketch.DDSketches
import chronosketch.history.{HistorySketches, VersionSketches}
import chronosketch.imported.ImportedSketches
import chronosketch.moments.{ComomentsSketches, MomentsSketches}
import chronosketch.qlove.{Panes, QloveSketches}
import chronosketch.quantile.QuantileSketch
import chronosketch.sample.SampleFamily
import chronosketch.summary.{Envelope, Family, Summary}
import chronosketch.window.moments.{RestrictedMomentsWindows, WindowMomentsSketches}
import chronosketch.window.{RestrictedWindows, WindowSketches}
import chronosketch.window.sample.{SampleWindows, WindowSamples}

/** THE list of families: stored sketches are opened by it, and the laws and the golden tests run over it. */
object Families {
  val all: Seq[Family[Summary]] =
    Seq(
      QuantileSketch,
      WindowSketches,
      RestrictedWindows,
      Panes,
      QloveSketches,
      DDSketches,
      HistorySketches,
      VersionSketches,
      MomentsSketches,
      ComomentsSketches,
      WindowMomentsSketches,
      RestrictedMomentsWindows
    ) ++ SampleFamily.all ++ Seq(WindowSamples, SampleWindows, ImportedSketches)

  def byId(id: Int): Option[Family[Summary]] = all.find(_.id == id)

  /** The summary that stored bytes are; a refusal where they are none. */
  def open(bytes: Array[Byte]): Summary = Envelope.open(bytes, byId)

  /** Whether [[open]] would succeed; never fails. */
  def isSketch(bytes: Array[Byte]): Boolean =
    try { open(bytes); true }
    catch { case _: Refusal => false }
}
