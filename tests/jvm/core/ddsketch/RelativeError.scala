package chronosketch.ddsketch

import java.math.BigDecimal

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary.{Certificate, ExactBag}

/** Answers held against the exact ones: each that is off by more than alpha, in words. */
object RelativeError {
  def violations(sketch: DDSketch, seen: ExactBag): Seq[String] =
    if (seen.isEmpty) Nil
    else
      Certificate.phis.flatMap { phi =>
        val answer = sketch.quantile(phi)
        val key = seen.at(phi.rank(seen.count))
        val (low, high) = sketch.profile.quantileBounds(phi)
        val inside = if (low <= answer.key && answer.key <= high) Nil else Seq(s"$phi: not in its bounds")
        val rounded =
          if (sketch.domain.isFloating) Nil
          else wrong(exact(answer.key, sketch.domain), key, sketch, gap = 0.5)
        val value = answer.value
        val off =
          if (!value.isNaN && !value.isInfinite) wrong(new BigDecimal(value), key, sketch, gap = 0.0)
          else Option.when(!sketch.domain.isFloating || DoubleKeys.key(value) != key)(s"$value for $key")
        inside ++ Seq(rounded, off).flatten.map(what => s"$phi: $what")
      }

  private def exact(key: Long, domain: Domain): BigDecimal =
    if (domain.isFloating) new BigDecimal(DoubleKeys.value(key)) else BigDecimal.valueOf(key, domain.second)

  /** Gaps are those of whole keys. */
  private def wrong(answer: BigDecimal, key: Long, sketch: DDSketch, gap: Double): Option[String] =
    if (sketch.domain.isFloating && !(math.abs(DoubleKeys.value(key)) <= Double.MaxValue))
      Some(s"$answer for $key")
    else {
      val sought = exact(key, sketch.domain)
      // the smaller of what alpha is as a double and what it is as it is written
      val alpha = new BigDecimal(sketch.alpha).min(new BigDecimal(sketch.alpha.toString))
      val unit =
        if (sketch.domain.isFloating) BigDecimal.ONE else BigDecimal.valueOf(1L, sketch.domain.second)
      val allowed = sought.abs.multiply(alpha).add(unit.multiply(new BigDecimal(gap)))
      Option.when(answer.subtract(sought).abs.compareTo(allowed) > 0)(s"$answer for $sought")
    }
}
