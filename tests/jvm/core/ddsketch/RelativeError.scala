package chronosketch.ddsketch

import java.math.BigDecimal

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary.{Certificate, ExactBag}

/** Compares answers with the exact ones, and describes each whose relative error exceeds alpha. */
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

  /** Describes an answer whose error exceeds alpha, and in addition `gap` units of whole keys. */
  private def wrong(answer: BigDecimal, key: Long, sketch: DDSketch, gap: Double): Option[String] =
    if (sketch.domain.isFloating && !(math.abs(DoubleKeys.value(key)) <= Double.MaxValue))
      Some(s"$answer for $key")
    else {
      val target = exact(key, sketch.domain)
      // alpha as a double or as its decimal text, whichever is smaller
      val alpha = new BigDecimal(sketch.alpha).min(new BigDecimal(sketch.alpha.toString))
      val unit =
        if (sketch.domain.isFloating) BigDecimal.ONE else BigDecimal.valueOf(1L, sketch.domain.second)
      val allowed = target.abs.multiply(alpha).add(unit.multiply(new BigDecimal(gap)))
      Option.when(answer.subtract(target).abs.compareTo(allowed) > 0)(s"$answer for $target")
    }
}
