package chronosketch.families

import chronosketch.Refusal
import chronosketch.ddsketch.DDSketches
import chronosketch.history.{HistorySketches, VersionSketches}
import chronosketch.interchange.ImportedSketches
import chronosketch.moments.{ComomentsSketches, MomentsSketches}
import chronosketch.qlove.{UnfinishedPanes, QloveSketches}
import chronosketch.quantile.{QuantileFamily, QuantileSketch}
import chronosketch.sample.SampleFamily
import chronosketch.summary.{Envelope, Family, Summary}
import chronosketch.summed.SummedFamily
import chronosketch.window.moments.{RestrictedMomentsWindows, WindowMomentsSketches}
import chronosketch.window.{RestrictedWindows, WindowSketches}
import chronosketch.window.sample.{SampleWindows, WindowSamples}

/** The list of all families. Stored sketches are opened with it, and the laws and golden tests run over it. */
object Families {
  val all: Seq[Family[Summary]] =
    Seq(
      QuantileSketch,
      WindowSketches,
      RestrictedWindows,
      UnfinishedPanes,
      QloveSketches,
      DDSketches,
      HistorySketches,
      VersionSketches,
      MomentsSketches,
      ComomentsSketches,
      WindowMomentsSketches,
      RestrictedMomentsWindows
    ) ++ SampleFamily.all ++ Seq(WindowSamples, SampleWindows, ImportedSketches) ++
      QuantileFamily.tails ++ SummedFamily.all

  def byId(id: Int): Option[Family[Summary]] = all.find(_.id == id)

  /** Decodes a stored sketch. Refuses bytes that are not one. */
  def open(bytes: Array[Byte]): Summary = Envelope.open(bytes, byId)

  /** Whether [[open]] would succeed. Never throws a refusal. */
  def isSketch(bytes: Array[Byte]): Boolean =
    try { open(bytes); true }
    catch { case _: Refusal => false }
}
