package chronosketch.window.moments

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.summary.{Family, Header, Moment, MomentBounds, Moments}
import chronosketch.window.{Constraint, WindowWire, Windowed}

/** What are count, sum, mean and variance of any window that ends now, when it is chosen only after all rows are gone?
  *
  * Guarantee  bounds that hold for certain, whatever the values and the window. For windows by time that end at the newest row, with
  *            filters too, after any inserts and merges: relative error ≤ ε of the count, of the sum as a share of the sum of
  *            magnitudes, and of variance and standard deviation. So too by count, of rows that came in order of time and were not
  *            merged; other windows say what their error is. Without a window nothing is wrong but rounding
  * Cost       insert amortised 0.2 µs; about (1/ε)·ln(εn) + 7/ε buckets of some 45 bytes where values are spread alike for long. A million
  *            rows, normal or lognormal: at ε = 0.01 1 700 to 1 900 buckets, 72 to 79 kB stored; at 0.05 400, 18 kB. Never more
  *            than all rows
  * Units      times as `timeDomain` has them: microseconds, days or whole numbers, any Long; values are numbers
  * Merge      legal when values and times widen and the filters are the same; the larger ε and the shorter retention count
  * Source     Babcock, Datar, Motwani and O'Callaghan, Maintaining variance and k-medians over data stream windows, 2003; departs:
  *            disjoint cells of a grid, which any merge keeps, and one test for all means (docs/algorithms.md, Moments of windows)
  */
final class WindowMoments(
    initialDomain: Domain,
    initialTimeDomain: Domain,
    initialEpsilon: Double,
    initialRetention: Long,
    filters: Vector[String]
) extends Windowed(initialDomain, initialTimeDomain, initialEpsilon, initialRetention, filters, HoldsMoments)
    with Moments {
  type Same = WindowMoments

  private var everything: RestrictedMoments = null

  def family: Family[WindowMoments] = WindowMomentsSketches
  def header: Header[WindowMoments] = WindowMomentsHeader(domain, epsilon)
  def fresh: WindowMoments = new WindowMoments(domain, timeDomain, epsilon, retention, filters)

  override def insertAll(keys: Array[Long], times: Array[Long], from: Int, until: Int): Unit =
    putAll(keys, times, from, until)

  def restrict(constraint: Constraint, asOf: Option[Long]): RestrictedMoments =
    RestrictedMoments.of(this, constraint, asOf)

  /** Of all that it keeps. */
  private def all: RestrictedMoments = {
    if (!isAnswerKept) everything = RestrictedMoments.everything(this)
    isAnswerKept = true
    everything
  }

  def moment(of: Moment): Option[Double] = all.moment(of)
  def momentBounds(of: Moment): Option[MomentBounds] = all.momentBounds(of)

  def write(writer: Wire.Writer): Unit = {
    count
    WindowWire.write(writer, this, MomentsWire)
  }
}
