package chronosketch.codec

import java.util.SplittableRandom
import java.util.zip.CRC32C

import chronosketch.ddsketch.{DDSketch, DDSketchRecipe}
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.history.{HistoryRecipe, HistorySketch}
import chronosketch.moments.{ComomentsRecipe, ComomentsSketch, MomentsRecipe, MomentsSketch}
import chronosketch.qlove.{Pane, QloveSketch, Query, TailRule}
import chronosketch.quantile.{BothTailsSketch, GreenwaldKhanna, HighTailSketch, LowTailSketch}
import chronosketch.quantile.{QuantileFamily, QuantileRecipe, QuantileSketch}
import chronosketch.rank.Phi
import chronosketch.sample.{IdentifiedSample, Sample, SampleFamily}
import chronosketch.summary.{Distributions, MergeShape, Summary}
import chronosketch.summed.{SummedRecipe, SummedSketch}
import chronosketch.window.moments.WindowMoments
import chronosketch.window.{Constraint, RestrictedWindow, WindowSketch, Windowed}

/** Sketches of every stored form, and functions that give changed bytes a valid length and checksum. */
object Stored {
  private def sketch(domain: Domain, epsilon: Double, keys: Seq[Long]): GreenwaldKhanna = {
    val s = new GreenwaldKhanna(domain, epsilon)
    keys.foreach(s.insert(_))
    s
  }

  private def random(seed: Long, n: Int)(key: SplittableRandom => Long): Seq[Long] = {
    val r = new SplittableRandom(seed)
    Seq.fill(n)(key(r))
  }

  private def float(f: Float): Long = DoubleKeys.key(f.toDouble)

  /** An exact sketch of each value type, which contains the least and the greatest value. */
  val byType: Seq[(String, GreenwaldKhanna)] = Seq(
    "tinyint" -> Domain.TinyInt,
    "smallint" -> Domain.SmallInt,
    "int" -> Domain.Int,
    "bigint" -> Domain.BigInt,
    "decimal" -> Domain.decimal(18, 2),
    "date" -> Domain.Date,
    "timestamp" -> Domain.Timestamp,
    "timestamp_ntz" -> Domain.TimestampNtz,
    "year_month_interval" -> Domain.yearMonthInterval(0, 1),
    "day_time_interval" -> Domain.dayTimeInterval(0, 3),
    "time" -> Domain.time(6)
  ).map { case (name, domain) =>
    val within =
      random(1, 40)(_.nextLong(math.max(domain.least, -1000000L), math.min(domain.greatest, 1000000L)))
    name -> sketch(domain, 1e-3, Seq(domain.least, domain.greatest, domain.greatest) ++ within)
  } ++ Seq(
    "float" -> sketch(
      Domain.Float,
      1e-3,
      Seq(
        Float.NaN,
        Float.PositiveInfinity,
        Float.NegativeInfinity,
        0f,
        -0f,
        0.1f,
        Float.MinPositiveValue
      ).map(float) ++
        random(2, 30)(r => float(r.nextInt(100000) / 7f))
    ),
    "double" -> sketch(
      Domain.Double,
      1e-3,
      Seq(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, 0.0, -0.0, 0.1, Double.MaxValue)
        .map(DoubleKeys.key) ++ random(3, 30)(r => DoubleKeys.key(r.nextDouble() * 1e3))
    )
  )

  private def sample(name: String, n: Int): (Domain, Array[Long]) = {
    val d = Distributions.all.find(_.name == name).get
    (d.domain, d.sample(n, 99))
  }

  private def whole(name: String, n: Int, epsilon: Double): GreenwaldKhanna = {
    val (domain, keys) = sample(name, n)
    sketch(domain, epsilon, keys.toSeq)
  }

  private def merged(name: String, n: Int, epsilon: Double, parts: Int): GreenwaldKhanna = {
    val (domain, keys) = sample(name, n)
    MergeShape.build(keys, parts, MergeShape.Balanced)(new GreenwaldKhanna(domain, epsilon))
  }

  private def copies: GreenwaldKhanna = {
    val s = new GreenwaldKhanna(Domain.Int, 0.02)
    random(4, 3000)(_.nextLong(5000)).foreach(key => s.insert(key, 1 + (key * key) % 100000))
    s
  }

  /** Every form of a quantile sketch: empty, exact bags, tuples, ε = 0, merged. */
  val byForm: Seq[(String, GreenwaldKhanna)] = Seq(
    "empty" -> sketch(Domain.BigInt, 1e-3, Nil),
    "one" -> sketch(Domain.BigInt, 0.5, Seq(-7L)),
    "exact_duplicates" -> whole("100 distinct", 20000, 1e-3),
    "exact_epsilon_0" -> whole("lognormal", 500, 0.0),
    "huge_counts" -> {
      val s = sketch(Domain.BigInt, 0.01, Seq(1L, 3L))
      s.insert(2, Long.MaxValue - 2)
      s
    },
    "tuples_lognormal" -> whole("lognormal", 20000, 0.01),
    "tuples_sorted" -> whole("sorted", 20000, 0.01),
    "tuples_every_long" -> whole("every Long", 20000, 0.02),
    "tuples_half_at_one_value" -> whole("half at one value", 20000, 0.02),
    "tuples_specials" -> whole("specials", 20000, 0.02),
    "tuples_copies" -> copies,
    "tuples_coarse" -> whole("uniform", 1000, 0.5),
    "merged_64" -> merged("lognormal", 20000, 0.02, 64),
    "merged_copies" -> {
      val s = copies
      s.merge(copies)
      s
    }
  )

  private def tail(
      family: QuantileFamily,
      epsilon: Double,
      name: String,
      n: Int,
      parts: Int = 1
  ): GreenwaldKhanna = {
    val (domain, keys) = sample(name, n)
    MergeShape.build(keys, parts, MergeShape.Balanced)(QuantileRecipe(domain, epsilon, family).empty)
  }

  /** Quantile sketches of each tail: empty, exact, thinned, merged, of copies and of special values. */
  val tails: Seq[(String, GreenwaldKhanna)] = Seq(
    "tail_high_empty" -> tail(HighTailSketch, 0.01, "uniform", 0),
    "tail_high_exact" -> tail(HighTailSketch, 0.01, "pareto", 100),
    "tail_high" -> tail(HighTailSketch, 0.05, "pareto", 20000),
    "tail_high_fine" -> tail(HighTailSketch, 0.01, "lognormal", 20000),
    "tail_high_merged" -> tail(HighTailSketch, 0.1, "lognormal", 20000, parts = 64),
    "tail_high_copies" -> {
      val s = QuantileRecipe(Domain.Int, 0.1, HighTailSketch).empty
      random(40, 2000)(_.nextLong(5000)).foreach(key => s.insert(key, 1 + (key * key) % 100000))
      s
    },
    "tail_low" -> tail(LowTailSketch, 0.05, "pareto", 20000),
    "tail_low_sorted" -> tail(LowTailSketch, 0.1, "sorted", 20000),
    "tail_low_specials" -> tail(LowTailSketch, 0.1, "specials", 20000, parts = 8),
    "tail_both" -> tail(BothTailsSketch, 0.1, "every Long", 20000),
    "tail_both_coarse" -> tail(BothTailsSketch, 0.5, "half at one value", 5000),
    "tail_both_merged" -> tail(BothTailsSketch, 0.1, "zigzag inward", 20000, parts = 64)
  )

  private def summed(
      epsilon: Double,
      name: String,
      n: Int,
      parts: Int = 1,
      family: QuantileFamily = QuantileSketch
  ): SummedSketch = {
    val (domain, keys) = sample(name, n)
    MergeShape.build(keys, parts, MergeShape.Balanced)(
      SummedRecipe(QuantileRecipe(domain, epsilon, family)).empty
    )
  }

  private def summedOf(domain: Domain, keys: Seq[Long]): SummedSketch = {
    val s = SummedRecipe(QuantileRecipe(domain, 0.05)).empty
    keys.foreach(s.insert(_))
    s
  }

  /** Quantile sketches with sums: empty, of one value, exact, thinned, merged, with tails, of each kind of number, of special values. */
  val summedSketches: Seq[(String, SummedSketch)] = Seq(
    "summed_empty" -> summedOf(Domain.Double, Nil),
    "summed_equal" -> {
      val s = summedOf(Domain.BigInt, Seq(-7L))
      s.insert(-7L, 1L << 40)
      s
    },
    "summed_exact" -> summedOf(Domain.Int, random(41, 30)(_.nextLong(-50L, 2000L))),
    "summed_decimal" -> summedOf(Domain.decimal(18, 2), random(42, 3000)(_.nextLong(100000000000L))),
    "summed_every_long" -> summed(0.1, "every Long", 20000),
    "summed_double" -> summed(0.05, "lognormal", 20000),
    "summed_float" -> summedOf(Domain.Float, random(43, 400)(r => float(r.nextInt(100000) / 7f))),
    "summed_merged" -> summed(0.1, "pareto", 20000, parts = 64),
    "summed_specials" -> summed(0.1, "specials", 5000, parts = 8),
    "summed_tail_high" -> summed(0.1, "pareto", 20000, family = HighTailSketch),
    "summed_tail_low" -> summed(0.1, "uniform", 5000, family = LowTailSketch),
    "summed_tail_both" -> summed(0.2, "lognormal", 5000, parts = 5, family = BothTailsSketch)
  )

  private def window(n: Int, epsilon: Double, retention: Long, filters: String*): WindowSketch = {
    val s = new WindowSketch(Domain.Int, Domain.Timestamp, epsilon, retention, filters.toVector)
    val r = new SplittableRandom(5)
    (0 until n).foreach { i =>
      // sometimes several rows have the same time
      val time = 1700000000000000L + (if (i % 50 < 10) i - i % 50 else i) * 1000L
      s.insert(r.nextInt(1000).toLong, time, r.nextInt(1 << filters.size))
    }
    s
  }

  private def filtered(n: Int): WindowSketch = window(n, 0.1, 1500000L, "errors", "slow")

  val windows: Seq[(String, Summary)] = Seq(
    "window_empty" -> window(0, 0.01, Windowed.KeepAll),
    "window_one" -> {
      val s = new WindowSketch(Domain.BigInt, Domain.Date, 0.5, Windowed.KeepAll, Vector.empty)
      s.insert(Long.MinValue, Long.MinValue, 0)
      s
    },
    "window_atoms" -> window(30, 0.01, Windowed.KeepAll),
    "window_exact" -> window(40, 0.0, Windowed.KeepAll),
    "window_in_order" -> window(5000, 0.05, Windowed.KeepAll),
    "window_small" -> window(300, 0.5, Windowed.KeepAll),
    "window_filtered" -> filtered(3000),
    "window_merged" -> {
      val s = window(2000, 0.05, Windowed.KeepAll)
      s.merge(window(700, 0.1, Windowed.KeepAll))
      s.insert(5L, 1700000000000000L, 0, 1L << 40)
      s
    },
    "window_every_time" -> {
      val s = new WindowSketch(Domain.Double, Domain.BigInt, 0.2, Windowed.KeepAll, Vector.empty)
      val r = new SplittableRandom(6)
      (1 to 1000).foreach(_ => s.insert(DoubleKeys.key(r.nextDouble()), r.nextLong(), 0))
      s.insert(DoubleKeys.NaN, Long.MaxValue, 0)
      s
    },
    "restricted_time" -> RestrictedWindow.of(
      window(5000, 0.05, Windowed.KeepAll),
      Constraint.WithinLast(1234567L),
      None
    ),
    "restricted_rows" -> RestrictedWindow.of(filtered(2000), Constraint.AmongLast(777L), None),
    "restricted_as_of" -> RestrictedWindow.of(
      filtered(900),
      Constraint.And(Constraint.Passes(0), Constraint.WithinLast(500000L)),
      Some(1700000000700000L)
    )
  )

  private def pane(
      at: Int,
      n: Int,
      budget: Option[Int],
      digits: Int = 0,
      rule: TailRule = TailRule.Sparse
  ): Pane = {
    val phis = Seq("0.5", "0.9", "0.99", "0.999").map(text => Phi(new java.math.BigDecimal(text)))
    val p = new Pane(Domain.Int, Domain.Timestamp, Query(phis, 4, budget, digits), rule)
    val r = new SplittableRandom(at.toLong)
    (0 until n).foreach { i =>
      // the third pane has a burst
      val latency = (800 * math.pow(1 - r.nextDouble(), -0.3)).toLong * (if (at == 2) 10 else 1)
      p.insert(latency, 1700000000000000L + at * 60000000L + i * 1000L, 0)
    }
    p
  }

  private def panes(n: Int, budget: Option[Int], rules: TailRule*): QloveSketch =
    (0 until 4).map(i => pane(i, n, budget, rule = rules(i % rules.size)).finish()).reduceLeft {
      (all, next) =>
        all.merge(next); all
    }

  /** Panes, and windows of finished panes: with quantiles by the mean or by few-k, sampled or not, from before [[TailRule.Tenth]] and
    * with it.
    */
  val qlove: Seq[(String, Summary)] = Seq(
    "qlove_pane_empty" -> pane(0, 0, None),
    "qlove_pane" -> pane(0, 200, None),
    "qlove_pane_digits" -> pane(0, 500, Some(7), digits = 2),
    "qlove_pane_every_long" -> {
      val p = new Pane(Domain.BigInt, Domain.BigInt, Query.Default, TailRule.Sparse)
      Seq(Long.MinValue, -1L, 0L, Long.MaxValue).foreach(k => p.insert(k, k, 0, 1L << 40))
      p
    },
    "qlove_empty" -> pane(0, 0, None).finish(),
    "qlove_one" -> pane(1, 300, None).finish(),
    "qlove_few_k" -> panes(2000, None, TailRule.Sparse),
    "qlove_budget" -> panes(900, Some(12), TailRule.Sparse),
    "qlove_mean" -> panes(900, Some(0), TailRule.Sparse),
    "qlove_tenth" -> panes(2000, None, TailRule.Tenth),
    "qlove_tenth_small" -> panes(90, None, TailRule.Tenth),
    "qlove_tenth_pane" -> pane(0, 200, None, rule = TailRule.Tenth),
    "qlove_tenth_empty" -> pane(0, 0, None, rule = TailRule.Tenth).finish(),
    "qlove_rules_differ" -> panes(2000, None, TailRule.Tenth, TailRule.Sparse),
    "qlove_doubles" -> {
      val p = new Pane(
        Domain.Double,
        Domain.Date,
        Query(Seq(Phi(0.0), Phi(0.95), Phi(1.0)), 2, None),
        TailRule.Sparse
      )
      Seq(Double.NaN, Double.NegativeInfinity, 0.0, 0.1, 1e300).foreach(v =>
        p.insert(DoubleKeys.key(v), 19000L, 0)
      )
      p.finish()
    }
  )

  private def ddsketch(domain: Domain, alpha: Double, keys: Seq[Long]): DDSketch = {
    val s = DDSketchRecipe(domain, alpha).empty
    keys.foreach(s.insert(_))
    s
  }

  /** DDSketches: empty, of whole numbers, of numbers of any size, and of special values with bins of their own. */
  val ddsketches: Seq[(String, Summary)] = Seq(
    "ddsketch_empty" -> ddsketch(Domain.Double, 0.01, Nil),
    "ddsketch_one" -> ddsketch(Domain.BigInt, 1e-4, Seq(Long.MinValue)),
    "ddsketch_whole" -> ddsketch(Domain.Int, 0.01, random(7, 3000)(_.nextLong(-50L, 2000L))),
    "ddsketch_decimal" -> {
      val s = ddsketch(Domain.decimal(18, 2), 0.05, random(8, 40)(_.nextLong(100000000000L)))
      s.insert(-12345L, 1L << 40)
      s
    },
    "ddsketch_float" -> ddsketch(
      Domain.Float,
      0.02,
      Seq(Float.NaN, Float.NegativeInfinity, Float.MinPositiveValue, 3e-39f, -Float.MaxValue).map(float) ++
        random(9, 40)(r => float(r.nextInt(100000) / 7f))
    ),
    "ddsketch_double" -> ddsketch(
      Domain.Double,
      0.5,
      (Seq(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, 0.0, Double.MaxValue, -1e-310) ++
        Seq(Double.MinPositiveValue, java.lang.Double.MIN_NORMAL)).map(DoubleKeys.key) ++
        random(10, 500)(r => DoubleKeys.key(math.exp(r.nextDouble() * 600 - 300)))
    )
  )

  private def history(domain: Domain, epsilon: Double, versions: Domain)(
      changes: Iterator[(Long, Long, Long)]
  ): HistorySketch = {
    val builder = HistoryRecipe(domain, epsilon, versions).builder
    changes.foreach { case (version, key, change) => builder.update(version, key, change) }
    builder.result()
  }

  /** A history of inserts and deletes, the oldest value first. */
  private def turnover(n: Int, epsilon: Double): HistorySketch = {
    val keys = random(11, 2 * n)(_.nextLong(1000)).toIndexedSeq
    history(Domain.Int, epsilon, Domain.Timestamp)(Iterator.range(0, n).flatMap { i =>
      val version = 1700000000000000L + i * 1000000L
      Seq((version, keys(i) + i / 4, 1L), (version, keys(i / 2) + i / 8, if (i % 2 == 0) -1L else 0L))
    })
  }

  /** Histories with logs, trees, split cells, copies, special values and merged parts, and the sketches of some versions. */
  val histories: Seq[(String, Summary)] = Seq(
    "history_empty" -> HistoryRecipe(Domain.BigInt, 0.01, Domain.Date).empty,
    "history_one" -> history(Domain.BigInt, 0.5, Domain.BigInt)(Iterator((Long.MinValue, Long.MaxValue, 1L))),
    "history_log" -> turnover(100, 0.01),
    "history_tree" -> turnover(150, 0.5),
    "history_trees" -> turnover(900, 0.1),
    "history_specials" -> history(Domain.Double, 0.2, Domain.BigInt)(Iterator.range(0, 300).map { i =>
      val specials = Seq(Double.NaN, Double.NegativeInfinity, -0.0, Double.MinPositiveValue, 1e300)
      (i / 3L, DoubleKeys.key(if (i % 2 == 0) i / 7.0 else specials(i % 5)), if (i % 11 == 0) -3L else 20L)
    }),
    "history_copies" -> history(Domain.TinyInt, 0.1, Domain.Int)(Iterator.range(0, 200).map { i =>
      (i.toLong, 125L + i % 3, (i + 1L) << 40)
    }),
    "history_merged" -> {
      val s = turnover(400, 0.1)
      s.merge(turnover(300, 0.2))
      s
    },
    "version_empty" -> turnover(1, 0.1).at(1700000000000000L),
    "version_exact" -> turnover(100, 0.01).at(1700000050000000L),
    "version" -> turnover(900, 0.1).at(1700000800000000L)
  )

  private def moments(domain: Domain, keys: Seq[Long]): MomentsSketch = {
    val s = MomentsRecipe(domain).empty
    keys.foreach(s.insert(_))
    s
  }

  private def comoments(y: Domain, x: Domain, pairs: Seq[(Long, Long)]): ComomentsSketch = {
    val s = ComomentsRecipe(y, x).empty
    pairs.foreach { case (a, b) => s.insertPair(a, b) }
    s
  }

  private def normals(seed: Long, n: Int): Seq[Double] = {
    val r = new java.util.Random(seed)
    Seq.fill(n)(1e9 + r.nextGaussian())
  }

  /** Moments: empty, of equal values, of numbers whose powers need the most bits, of copies, and of finite, huge and infinite doubles. */
  val momentSketches: Seq[(String, Summary)] = Seq(
    "moments_empty" -> moments(Domain.Double, Nil),
    "moments_equal" -> {
      val s = moments(Domain.BigInt, Seq(-7L))
      s.insert(-7L, 1L << 40)
      s
    },
    "moments_whole" -> moments(Domain.Int, random(12, 3000)(_.nextLong(-50L, 2000L))),
    "moments_every_long" -> {
      val s = moments(Domain.BigInt, random(13, 300)(_.nextLong()) ++ Seq(Long.MinValue, Long.MaxValue))
      s.insert(Long.MinValue, Long.MaxValue - 1000)
      s
    },
    "moments_decimal" -> {
      val s = moments(Domain.decimal(18, 2), random(14, 40)(_.nextLong(100000000000L)))
      s.insert(-12345L, 1L << 40)
      s
    },
    "moments_double" -> moments(Domain.Double, normals(15, 1000).map(DoubleKeys.key)),
    "moments_huge" -> moments(Domain.Double, Seq(1e308, -1e308, 1.5e308, 1.5e308).map(DoubleKeys.key)),
    "moments_float" -> moments(Domain.Float, random(16, 400)(r => float(r.nextInt(100000) / 7f))),
    "moments_specials" -> moments(
      Domain.Double,
      Seq(1.0, Double.NegativeInfinity, 2.0, Double.PositiveInfinity).map(DoubleKeys.key)
    ),
    "comoments_empty" -> comoments(Domain.Double, Domain.Int, Nil),
    "comoments_whole" -> comoments(
      Domain.Int,
      Domain.decimal(9, 3),
      random(17, 2000)(_.nextLong(1000)).map(k => (k, 3 * k + k % 10))
    ),
    "comoments_every_long" -> comoments(
      Domain.BigInt,
      Domain.BigInt,
      random(18, 400)(_.nextLong()).map(k => (k, ~k / 3)) ++ Seq((Long.MinValue, Long.MinValue))
    ),
    "comoments_equal" -> comoments(Domain.Int, Domain.Int, Seq.tabulate(40)(i => (5L, i.toLong))),
    "comoments_double" -> comoments(
      Domain.Double,
      Domain.Int,
      normals(19, 700).zipWithIndex.map { case (v, i) => (DoubleKeys.key(v), i.toLong) }
    ),
    "comoments_specials" -> comoments(
      Domain.Float,
      Domain.Double,
      Seq((1f, 2.0), (Float.NaN, 3.0), (5f, 4.0)).map { case (y, x) => (float(y), DoubleKeys.key(x)) }
    )
  )

  private def windowMoments(domain: Domain, filters: String*)(keys: Seq[Long]): WindowMoments = {
    val s = new WindowMoments(domain, Domain.Timestamp, 0.1, Windowed.KeepAll, filters.toVector)
    keys.zipWithIndex.foreach { case (key, i) =>
      s.insert(key, 1700000000000000L + (if (i % 50 < 10) i - i % 50 else i) * 1000L, i % (1 << filters.size))
    }
    s
  }

  /** Moments of windows: empty, with atoms, with buckets of whole numbers and of doubles, with filters, of special values, merged; and
    * windows of them.
    */
  val momentsOfWindows: Seq[(String, Summary)] = {
    val doubles = windowMoments(Domain.Double)(normals(22, 700).map(DoubleKeys.key))
    val whole = windowMoments(Domain.Int, "even")(random(23, 900)(_.nextLong(-50L, 2000L)))
    Seq(
      "window_moments_empty" -> windowMoments(Domain.Double)(Nil),
      "window_moments_atoms" -> windowMoments(Domain.decimal(9, 2))(random(24, 9)(_.nextLong(100000L))),
      "window_moments_double" -> doubles,
      "window_moments_filtered" -> whole,
      "window_moments_specials" -> windowMoments(Domain.Float)(random(25, 300) { r =>
        float(r.nextInt(40) match {
          case 0 => Float.NaN
          case 1 => Float.NegativeInfinity
          case n => n / 7f - 3f
        })
      }),
      "window_moments_merged" -> {
        val s = windowMoments(Domain.BigInt)(random(26, 300)(_.nextLong()))
        s.merge(windowMoments(Domain.Int)(random(27, 500)(_.nextLong(100L))))
        s.insert(5L, 1700000000000000L, 0, 1L << 40)
        s
      },
      "restricted_moments_empty" -> windowMoments(Domain.Int)(Nil).restrict(Constraint.AmongLast(3L), None),
      "restricted_moments_time" -> doubles.restrict(Constraint.WithinLast(456789L), None),
      "restricted_moments_rows" -> whole.restrict(Constraint.AmongLast(555L), None),
      "restricted_moments_as_of" -> whole.restrict(
        Constraint.And(Constraint.Passes(0), Constraint.WithinLast(200000L)),
        Some(1700000000700000L)
      )
    )
  }

  private def drawn(family: SampleFamily[Sample], domain: Domain, size: Int, keys: Seq[Long]): Sample = {
    val s = family.recipe(domain, Seq(size.toDouble, -5.0, 1e-3)).empty
    keys.foreach(s.insert(_))
    s
  }

  /** Samples of each method: empty, of all rows, of a part of them, with row ids, with copies, merged. The names of golden files stay
    * ("told" means with row ids).
    */
  val samples: Seq[(String, Summary)] = SampleFamily.all.flatMap { family =>
    val rows = random(20, 2000)(_.nextLong(100000))
    def part(size: Int): Sample = drawn(family, Domain.BigInt, size, rows)
    val forms: Seq[(String, Sample)] = Seq(
      "empty" -> drawn(family, Domain.Timestamp, 10, Nil),
      "whole" -> drawn(family, Domain.Double, 40, Seq(Double.NaN, -0.0, 1.5, 1.5).map(DoubleKeys.key)),
      "part" -> part(100),
      "one" -> part(1),
      "every_long" -> drawn(
        family,
        Domain.BigInt,
        50,
        random(21, 500)(_.nextLong()) ++ Seq(Long.MinValue, Long.MaxValue)
      ),
      "copies" -> {
        val s = part(100)
        s.insert(-7L, 1L << 40)
        s
      },
      "merged" -> {
        val s = part(100)
        s.merge(drawn(family, Domain.Int, 60, rows.take(1000).map(_ / 2)))
        s
      }
    )
    val identified = family.recipe(Domain.Int, Seq(30.0, 7.0, 1e-4)).empty match {
      case s: IdentifiedSample =>
        rows.zipWithIndex.foreach { case (key, i) => s.insertPair(key, i.toLong) }
        Some("told" -> s)
      case _ => None
    }
    (forms ++ identified).map { case (form, s) => s"${family.method}_$form" -> s }
  }

  val all: Seq[(String, Summary)] =
    byType ++ byForm ++ tails ++ summedSketches ++ windows ++ qlove ++ ddsketches ++ histories ++ momentSketches ++ samples ++ momentsOfWindows ++
      StoredSamples.all ++ StoredImports.all

  /** The fewest bytes with room for the header and the checksum. */
  val SmallestBytes = 18

  /** Sets a valid length and checksum, so that the bytes between are decoded. */
  def reseal(bytes: Array[Byte]): Array[Byte] = {
    val whole = bytes.clone()
    Wire.putInt(whole, 5, whole.length)
    checksummed(whole)
  }

  /** Sets a valid checksum only. */
  def checksummed(bytes: Array[Byte]): Array[Byte] = {
    val whole = bytes.clone()
    val crc = new CRC32C
    crc.update(whole, 0, whole.length - 4)
    Wire.putInt(whole, whole.length - 4, crc.getValue.toInt)
    whole
  }
}
