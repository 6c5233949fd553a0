package chronosketch.sliding.histogram

import java.math.{BigDecimal => Exact}
import java.util.SplittableRandom

import chronosketch.Suite

/** Tests the guarantees of structures of numbers: the exact answer lies between the bounds, and the answer is within ε, after
  * every step of frames that move at random.
  */
class FrameNumbersSuite extends Suite {
  import FrameNumber._

  private val elements = 12000
  private val capacity = 2500
  private val bounds = new Bounds

  /** Relative rounding error of double arithmetic; the structures' own bounds allow for it, too. */
  private val rounding = 1e-7

  private def walk(
      numbers: FrameNumbers,
      values: Array[Double],
      slide: Option[Int]
  )(look: (Int, Int) => Unit) = {
    val random = new SplittableRandom(17L)
    var from, until = 0
    while (until < values.length) {
      val step = math.min(slide.getOrElse(1 + random.nextInt(400)), values.length - until)
      (0 until step).foreach { _ =>
        if (until - from == capacity) { numbers.expire(1L); from += 1 }
        numbers.append(values(until))
        until += 1
      }
      if (slide.isEmpty && random.nextInt(4) == 0) {
        val leave = random.nextInt(until - from + 1)
        numbers.expire(leave.toLong)
        from += leave
      }
      assertEquals(numbers.count, (until - from).toLong)
      look(from, until)
    }
  }

  private def off(exact: Exact): Double = {
    val distance = new Exact(bounds.value).subtract(exact).abs.doubleValue
    if (distance == 0) 0.0 else distance / exact.abs.doubleValue
  }

  private def encloses(exact: Exact, slack: Double): Boolean =
    new Exact(bounds.low - slack * math.abs(bounds.low)).compareTo(exact) <= 0 &&
      new Exact(bounds.high + slack * math.abs(bounds.high)).compareTo(exact) >= 0

  /** Checks that the exact answer lies between the bounds, and that the answer's error is at most the stated one, which is at
    * most `most`.
    */
  private def check(
      numbers: FrameNumbers,
      asked: FrameNumber,
      exact: => Exact,
      n: Int,
      most: Double
  ): Unit = {
    numbers.answer(asked, bounds)
    if (n == 0 && asked != Count && asked != Sum) assertEquals(bounds.refusal, NoAnswer.NoElements)
    else {
      def clue = s"$asked of $n: ${bounds.low} ≤ ${bounds.value} ≤ ${bounds.high}, exact ${exact.doubleValue}"
      assert(bounds.isAnswered, clue)
      // equal bounds are rounded without saying so; other bounds are doubles
      val slack = if (bounds.low == bounds.high) 1e-11 else 1e-15
      assert(encloses(exact, slack), clue)
      assert(off(exact) <= bounds.error + slack, clue)
      assert(bounds.error <= most, s"${bounds.error} certified, $most allowed: $clue")
    }
  }

  for ((name, shape) <- ExactNumbers.shapes) {
    val values = ExactNumbers.sample(shape, elements)
    lazy val exact = new ExactNumbers(values)

    test(s"expiration list, $name") {
      val list = new NumberExpirationList
      walk(list, values, None) { (from, until) =>
        NumberExpirationList.answers.foreach(asked =>
          check(list, asked, exact.of(asked, from, until), until - from, 0.0)
        )
        assertEquals(list.stored, list.count)
      }
    }

    test(s"panes, $name") {
      for (width <- Seq(1L, 7L, 100L)) {
        val panes = new Panes(width)
        walk(panes, values, None) { (from, until) =>
          Panes.answers.foreach(asked =>
            check(panes, asked, exact.of(asked, from, until), until - from, Double.PositiveInfinity)
          )
        }
      }
      // frames of whole panes are exact
      val panes = Panes.of(Variance, capacity.toLong, 50L, 0.0)
      walk(panes, values, Some(50)) { (from, until) =>
        Panes.answers.foreach(asked =>
          check(panes, asked, exact.of(asked, from, until), until - from, rounding)
        )
        assertEquals(panes.stored, (until - from) / 50 * 6L)
      }
    }

    for (epsilon <- Seq(0.9, 0.3, 0.05))
      test(s"histograms, $name, ε = $epsilon") {
        val variances = VarianceHistogram.of(Variance, capacity.toLong, 1L, epsilon)
        walk(variances, values, None) { (from, until) =>
          check(variances, Variance, exact.of(Variance, from, until), until - from, epsilon + rounding)
          check(variances, Mean, exact.of(Mean, from, until), until - from, Double.PositiveInfinity)
        }
        val sums = ExponentialHistogram.of(Sum, capacity.toLong, 1L, epsilon)
        walk(sums, values, None) { (from, until) =>
          check(sums, Sum, exact.of(Sum, from, until), until - from, epsilon + rounding)
          check(sums, Mean, exact.of(Mean, from, until), until - from, epsilon + rounding)
        }
        val counts = ExponentialHistogram.of(Count, capacity.toLong, 1L, epsilon)
        val few = math.ceil(1 / (2 * epsilon)) + 1
        walk(counts, values, None) { (from, until) =>
          check(counts, Count, exact.of(Count, from, until), until - from, epsilon)
          val n = until - from
          val sizes = math.ceil(math.log(2.0 * n / few + 2) / math.log(2)) + 1
          assert(counts.stored <= few * sizes, s"${counts.stored} buckets of $n, ε = $epsilon")
        }
      }
  }

  test("an empty frame leaves nothing behind") {
    for (n <- 1 to 200) {
      val structures =
        Seq[(FrameNumbers, FrameNumber)](new SumHistogram(0.1) -> Sum, new VarianceHistogram(0.1) -> Variance)
      for ((numbers, asked) <- structures) {
        // grows faster than buckets are merged
        (1 to n).foreach(i => numbers.append(i * 1e6))
        numbers.expire(n.toLong)
        numbers.append(3.0)
        assertEquals((numbers.count, numbers.stored), (1L, 1L))
        numbers.answer(asked, bounds)
        val exact = if (asked == Sum) 3.0 else 0.0
        assert(
          bounds.low <= exact && exact <= bounds.high && bounds.error <= 0.1,
          s"$n, $asked: ${bounds.value}"
        )
      }
    }
  }

  test("the number of buckets stays within the bound") {
    for (epsilon <- Seq(0.5, 0.2, 0.1)) {
      val (_, shape) = ExactNumbers.shapes.head
      val values = ExactNumbers.sample((i, r) => 1 + shape(i, r), 60000)
      val sums = new SumHistogram(epsilon)
      val variances = new VarianceHistogram(epsilon)
      for (i <- values.indices) {
        sums.append(values(i))
        variances.append(values(i))
        if (i >= 20000) { sums.expire(1L); variances.expire(1L) }
        // two neighbouring buckets enlarge the sum by a factor of at least 1 + 2ε/(1 − ε); half as many more are unmerged
        val n = math.min(i + 1, 20000)
        val pairs = math.log(1000.0 * n) / math.log1p(2 * epsilon / (1 - epsilon))
        val most = 64 + 1.5 * (2 * pairs + 2)
        assert(sums.stored <= most, s"${sums.stored} buckets, $most allowed")
        // likewise M2, which two neighbours enlarge by a factor of at least 1 + 1/k, once it is 1
        val k = (1 + 1.5 * epsilon) / (epsilon * epsilon)
        val more = 64 + 1.5 * (2 * math.log(1e6 * n) / math.log1p(1 / k) + 2)
        assert(variances.stored <= more, s"${variances.stored} buckets, $more allowed")
      }
    }
  }

  test("counts of elements that expire by time") {
    val random = new SplittableRandom(5L)
    for (epsilon <- Seq(1.0, 0.2, 0.01)) {
      val histogram = new CountHistogram(epsilon)
      val times = Array.tabulate(20000)(_ => random.nextInt(4).toLong).scanLeft(0L)(_ + _)
      var left = 0
      for ((time, i) <- times.zipWithIndex) {
        histogram.append(time)
        if (i % 37 == 0) {
          val reach = 1000L + random.nextInt(2000)
          histogram.expireBefore(time - reach)
          while (times(left) < time - reach) left += 1
          histogram.answer(bounds)
          val n = i + 1 - left
          assert(
            bounds.low <= n && n <= bounds.high && bounds.error <= epsilon,
            s"${bounds.low} … ${bounds.high}, $n"
          )
        }
      }
      histogram.expireBefore(Long.MaxValue)
      histogram.answer(bounds)
      assertEquals((bounds.low, bounds.value, bounds.high), (0.0, 0.0, 0.0))
    }
  }

  private val odd = Seq(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity)

  test("a value that has no answer prevents answers until it has left") {
    def structures: Seq[(FrameNumbers, FrameNumber)] = Seq(
      new Panes(3) -> Sum,
      new Panes(3) -> Variance,
      new SumHistogram(0.1) -> Sum,
      new SumHistogram(0.1) -> Mean,
      new VarianceHistogram(0.1) -> Variance,
      new VarianceHistogram(0.1) -> Mean
    )
    for (bad <- odd :+ -1.0; at <- Seq(0, 1, 5, 11); (numbers, asked) <- structures) {
      val negative = bad == -1.0
      val values = Array.tabulate(60)(i => if (i == at) bad else 1.0 + i % 7)
      val exact = new ExactNumbers(values.map(x => if (odd.exists(_.equals(x))) 0.0 else x))
      for (i <- values.indices) {
        numbers.append(values(i))
        if (i >= 12) numbers.expire(1L)
        val from = math.max(0, i - 11)
        val isThere = from <= at && at <= i
        numbers.answer(asked, bounds)
        def clue = s"${numbers.getClass}, $asked, $bad at $at, after $i: ${bounds.refusal}"
        if (negative && numbers.isInstanceOf[SumHistogram])
          assertEquals(Option(bounds.refusal), Option.when(isThere)(NoAnswer.NegativeValue), clue)
        else if (negative) assert(bounds.isAnswered, clue)
        else {
          if (isThere) assertEquals[Any, Any](bounds.refusal, NoAnswer.NotFinite, clue)
          // a pane may stay until all of its elements have left
          if (i - 11 > at + 2 || i < at) assert(bounds.isAnswered, clue)
        }
        if (bounds.isAnswered) assert(encloses(exact.of(asked, from, i + 1), 1e-11), clue)
      }
    }
    val counts = ExponentialHistogram.of(Count, 10L, 1L, 0.1)
    counts.append(Double.NaN)
    counts.answer(Sum, bounds)
    assertEquals[Any, Any](bounds.refusal, NoAnswer.NotKept)
    counts.answer(Count, bounds)
    assertEquals(bounds.value, 1.0)
  }

  test("an expiration list has an answer for any values") {
    val list = new NumberExpirationList
    odd.foreach { bad =>
      list.append(1.0)
      list.append(bad)
      list.answer(Sum, bounds)
      assert(bounds.isAnswered && bounds.value.equals(bad))
      list.answer(Variance, bounds)
      assert(bounds.isAnswered && bounds.value.isNaN)
      list.expire(2L)
      list.answer(Sum, bounds)
      assertEquals(bounds.value, 0.0)
    }
  }

  test("an overflow is not answered") {
    for (numbers <- Seq(new SumHistogram(0.1), new VarianceHistogram(0.1), new Panes(2))) {
      val asked = if (numbers.isInstanceOf[SumHistogram]) Sum else Variance
      Seq(0.0, 1.7e308, 1.7e308, 1.0).foreach(numbers.append)
      numbers.answer(asked, bounds)
      assertEquals[Any, Any](bounds.refusal, NoAnswer.NotFinite)
      (1 to 10).foreach { i => numbers.append(i.toDouble); numbers.expire(1L) }
      numbers.answer(asked, bounds)
      assert(bounds.isAnswered, s"$numbers: ${bounds.refusal}")
    }
  }
}
