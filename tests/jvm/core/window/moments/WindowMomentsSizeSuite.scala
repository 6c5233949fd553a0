package chronosketch.window.moments

import java.util.SplittableRandom

import chronosketch.Suite
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary.{Envelope, Moment}
import chronosketch.window.Constraint.WithinLast
import chronosketch.window.Windowed

/** Tests the size of window moments sketches. */
class WindowMomentsSizeSuite extends Suite {
  private val Rows = 1000000

  private def whole(epsilon: Double, value: SplittableRandom => Double, late: Boolean): WindowMoments = {
    val s = new WindowMoments(Domain.Double, Domain.Timestamp, epsilon, Windowed.KeepAll, Vector.empty)
    val r = new SplittableRandom(1)
    (0 until Rows).foreach { i =>
      val time = i * 2500L - (if (late) r.nextLong(100000000L) else 0L)
      s.insert(DoubleKeys.key(value(r)), time, 0)
    }
    s
  }

  private val kinds = Seq[(String, SplittableRandom => Double, Double)](
    ("normal", _.nextGaussian(), 1.0),
    ("lognormal", r => math.exp(r.nextGaussian()), 1.1),
    ("pareto", r => math.pow(r.nextDouble(), -0.5), 1.5)
  )

  for (
    (name, value, share) <- kinds; (epsilon, buckets, bytes) <- Seq((0.05, 420, 20000), (0.01, 1850, 86000))
  )
    test(s"a million rows, $name, ε $epsilon: few buckets, and every window near enough") {
      for (late <- Seq(false, true)) {
        val s = whole(epsilon, value, late)
        assert(s.buckets < buckets * share, s"${s.buckets} buckets")
        assert(Envelope.seal(s).length < bytes * share, s"${Envelope.seal(s).length} bytes")
        Iterator.iterate(2.5e9)(_ * 0.7).takeWhile(_ > 5e8).foreach { span =>
          val window = s.restrict(WithinLast(span.toLong), None)
          Seq(Moment.Count, Moment.Variance, Moment.VariancePop, Moment.Stddev).foreach { of =>
            val bounds = window.momentBounds(of).get
            assert(bounds.error <= epsilon, s"$span, ${of.name}: $bounds")
          }
        }
      }
    }
}
