package chronosketch.interchange

import org.scalacheck.Gen

import chronosketch.domain.Domain
import chronosketch.rank.{CountedIntervals, RankProfile}
import chronosketch.summary._
import chronosketch.window.WindowCertificate

/** Laws of imported sketches. Keys are counted in a histogram of `width` distinct keys per bucket; the least key has its own. */
object ImportedLaws extends LawsOf[ImportedSketch](ImportedSketches) {
  def makers(domain: Domain): Gen[Maker] = Gen.oneOf(1, 2, 7).map(Imports(domain, _))

  final case class Imports(domain: Domain, width: Int) extends Maker {
    def family: Family[Summary] = ImportedSketches
    def empty(): Summary = of(Nil)
    def insert(into: Summary, keys: Seq[Long], clock: Clock): Unit =
      insertCounted(into, keys.map(_ -> 1L), clock)
    def insertCounted(into: Summary, bag: Seq[(Long, Long)], clock: Clock): Unit = into.merge(of(bag))

    private def of(bag: Seq[(Long, Long)]): ImportedSketch = {
      val counted = bag.groupMapReduce(_._1)(_._2)(_ + _).filter(_._2 > 0).toSeq.sorted
      val buckets = counted.take(1) +: counted.drop(1).grouped(width).toSeq
      val profile =
        if (counted.isEmpty) RankProfile.empty
        else
          CountedIntervals.profile(
            buckets.filter(_.nonEmpty).map(_.head._1).toArray,
            buckets.filter(_.nonEmpty).map(_.last._1).toArray,
            buckets.filter(_.nonEmpty).map(_.map(_._2).sum).toArray,
            counted.map(_._2).sum
          )
      ImportedSketch(domain, 0.0, profile)
    }
  }

  protected def violations(summary: ImportedSketch, seen: Operation.Seen): Seq[String] =
    WindowCertificate.violations(summary.profile, ExactBag.of(seen))

  protected def knowsAll(summary: ImportedSketch): Boolean = summary.profile.isExact
}
