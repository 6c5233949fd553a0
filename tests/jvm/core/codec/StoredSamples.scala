package chronosketch.codec

import java.util.SplittableRandom

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary.Summary
import chronosketch.window.{Constraint, Windowed}
import chronosketch.window.sample.{WindowSample, WindowSampleRecipe}

/** Samples of windows in every stored form. */
object StoredSamples {
  private def windowSample(n: Int, size: Int, retention: Long = Windowed.KeepAll): WindowSample = {
    val s = WindowSampleRecipe.alone(Domain.Int, Domain.Timestamp, size, -5L, 1e-3, retention).empty
    val r = new SplittableRandom(22)
    (0 until n).foreach { i =>
      // sometimes several rows have the same time
      val time = 1700000000000000L + (if (i % 50 < 10) i - i % 50 else i) * 1000L
      s.insert(r.nextInt(1000).toLong, time, 0)
    }
    s
  }

  private def identified: WindowSample = {
    val s =
      WindowSampleRecipe.alone(Domain.Double, Domain.Date, 20, 7L, 1e-4, Windowed.KeepAll).empty
    val r = new SplittableRandom(23)
    Seq.fill(900)(r.nextLong(10000)).zipWithIndex.foreach { case (k, i) =>
      s.insertRow(DoubleKeys.key(k / 8.0), k % 40, i.toLong)
    }
    s
  }

  private def sampled(sketch: WindowSample, span: Long, asOf: Option[Long] = None): Summary =
    sketch.restrict(Constraint.WithinLast(span), asOf)

  /** Window samples: empty, of all rows, of a part of them, with row ids ("told"), with a retention, merged, with extreme times; and
    * windows of them.
    */
  val all: Seq[(String, Summary)] = Seq(
    "window_sample_empty" -> windowSample(0, 10),
    "window_sample_whole" -> windowSample(30, 40),
    "window_sample_part" -> windowSample(5000, 20),
    "window_sample_one" -> windowSample(800, 1),
    "window_sample_told" -> identified,
    "window_sample_forgetful" -> windowSample(3000, 15, retention = 500000L),
    "window_sample_merged" -> {
      val s = windowSample(2000, 30)
      s.merge(windowSample(700, 10))
      s.insert(5L, 1700000000000000L, 0, 1L << 40)
      s
    },
    "window_sample_every_time" -> {
      val s = WindowSampleRecipe.alone(Domain.BigInt, Domain.BigInt, 25, 3L, 0.1, Windowed.KeepAll).empty
      val r = new SplittableRandom(24)
      (1 to 400).foreach(_ => s.insert(r.nextLong(), r.nextLong(), 0))
      Seq(Long.MinValue, Long.MaxValue).foreach(k => s.insert(k, k, 0))
      s
    },
    "sampled_window_empty" -> sampled(windowSample(0, 10), 5L),
    "sampled_window_whole" -> sampled(windowSample(5000, 40), 25000L),
    "sampled_window" -> sampled(windowSample(5000, 40), 1234567L),
    "sampled_window_told" -> sampled(identified, 17L),
    "sampled_window_as_of" -> sampled(windowSample(5000, 60), 1500000L, Some(1700000003900000L)),
    "sampled_window_as_of_none" -> sampled(windowSample(5000, 2), 1000L, Some(1700000000900000L)),
    "sampled_window_merged" -> {
      val s = sampled(windowSample(5000, 60), 1500000L, Some(1700000003900000L))
      s.merge(sampled(windowSample(4000, 50), 700000L))
      s
    }
  )
}
