package chronosketch.sliding.fold

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.ddsketch.DDSketchRecipe
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.quantile.{GreenwaldKhanna, HighTailSketch, QuantileRecipe}
import chronosketch.sliding.{FrameGen, Frames}
import chronosketch.summary.{Certificate, Envelope, ExactBag, Summary}

class CellUnionsSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(60))

  // one for all runs: nothing may remain from the last
  private val unions = new CellUnions
  private var added, rows = 0L

  private def stored(keys: Array[Long], domain: Domain, epsilon: Double): Array[Byte] = {
    val sketch = new GreenwaldKhanna(domain, epsilon)
    sketch.insertAll(keys, 0, keys.length)
    Envelope.seal(sketch)
  }

  private def stored(keys: Array[Long], epsilon: Double): Array[Byte] = stored(keys, Domain.BigInt, epsilon)

  /** As `stored`, but inserts the copies of a key together. */
  private def weighted(keys: Array[Long], epsilon: Double): Array[Byte] = {
    val sketch = new GreenwaldKhanna(Domain.BigInt, epsilon)
    keys.groupBy(identity).foreach { case (key, copies) => sketch.insert(key, copies.length.toLong) }
    Envelope.seal(sketch)
  }

  /** Checks each row's union against its elements. Returns the numbers of the unions' tuples. */
  private def checkUnions(
      frames: Frames,
      panes: IndexedSeq[Array[Long]],
      epsilon: Double,
      epsilonOf: Int => Double
  ): Seq[Int] = {
    val sketches = panes.zipWithIndex.map { case (keys, i) =>
      if (i % 3 == 2) weighted(keys, epsilonOf(i)) else stored(keys, epsilonOf(i))
    }
    unions.begin(frames, new SketchFold(sketches(_)))
    val tuples = (0 until frames.rows).map { row =>
      assertEquals(unions.at, row)
      val (from, until) = (frames.from(row), frames.until(row))
      val union = unions.next()
      assertEquals(union == null, from == until, s"row $row")
      if (union == null) 0
      else {
        // decode it, because decoding rejects wrong tuples
        val whole = Families.open(Envelope.seal(union)).asInstanceOf[GreenwaldKhanna]
        val seen = ExactBag.of(panes.slice(from, until).toArray.flatten)
        val what = s"row $row, elements $from until $until"
        assertEquals(whole.count, seen.count, what)
        assertEquals(Certificate.violations(whole.profile, seen), Nil, what)
        val most = math.max(epsilon, (from until until).map(epsilonOf).max)
        assert(seen.isEmpty || whole.profile.rankError <= most, s"$what: ${whole.profile.rankError}")
        if (seen.keys.distinct.length <= 1 / most) assert(whole.profile.isExact, what)
        whole.tuples
      }
    }
    added += unions.rowsAdded
    rows += frames.rows
    unions.end()
    tuples
  }

  private def key(random: SplittableRandom, kind: Int, pane: Int): Long = kind match {
    case 0 => random.nextLong(-30L, 30L)
    case 1 => random.nextLong()
    case 2 =>
      if (random.nextInt(3) == 0) Long.MaxValue else Long.MinValue + random.nextInt(1 << random.nextInt(20))
    case 3 => DoubleKeys.key(math.exp(random.nextDouble(-9.0, 9.0)))
    case 4 => pane * 300L + random.nextInt(1000)
    case 5 => if (random.nextInt(3) == 0) 7L else random.nextInt(4000).toLong
    // alternates between few and many values
    case 6 => random.nextInt(if (pane / 40 % 2 == 0) 5 else 100000).toLong
    case _ => -pane * 5L - random.nextInt(200)
  }

  property("every row's union has a valid certificate, within epsilon") {
    forAllNoShrink(
      FrameGen.frames,
      Gen.choose(0, 7),
      Gen.oneOf(0.1, 0.05, 0.2),
      Gen.oneOf(30, 80, 200),
      Gen.choose(0, 9),
      Gen.long
    ) {
      case ((frames, n), kind, epsilon, most, odd, seed) =>
        val random = new SplittableRandom(seed)
        val panes = IndexedSeq.tabulate(n) { pane =>
          val size = random.nextInt(20) match {
            case 0 => 0
            case 1 => 10 * most
            case _ => 1 + random.nextInt(most)
          }
          Array.fill(size)(key(random, kind, pane))
        }
        val odds = Array.fill(n)(random.nextInt(40) < odd - 6)
        checkUnions(frames, panes, epsilon, i => if (odds(i)) 0.02 else epsilon)
        true
    }
  }

  private def sliding(panes: Int, longest: Int): Frames = new Frames(
    Array.tabulate(panes + longest)(i => math.max(0, i - longest + 1)),
    Array.tabulate(panes + longest)(i => math.min(panes, i + 1)),
    panes + longest
  )

  /** Slides windows of 20 panes over 300 panes, at ε = 0.05. */
  private def slid(size: Int => Int)(key: (SplittableRandom, Int) => Long): (Seq[Int], Int) = {
    val random = new SplittableRandom(20261125L)
    val panes = IndexedSeq.tabulate(300)(pane => Array.fill(size(pane))(key(random, pane)))
    val before = added
    val tuples = checkUnions(sliding(300, 20), panes, 0.05, _ => 0.05)
    (tuples, (added - before).toInt)
  }

  test("for similar panes nearly all rows have their ranks added up, and their unions stay small") {
    for (size <- Seq(100, 1000)) {
      val (tuples, byCells) = slid(_ => size)((random, _) => random.nextLong())
      assert(byCells > 260, s"$byCells of 320 rows")
      assert(tuples.forall(_ <= 160), s"${tuples.max} tuples")
    }
  }

  test("for drifting values, many copies or unlike panes, few or no rows have their ranks added up") {
    slid(_ => 200)((random, pane) => pane * 1000L + random.nextInt(10000))
    slid(_ => 200)((random, pane) => pane * 100000L + random.nextInt(1000))
    slid(_ => 200)((random, _) => if (random.nextInt(2) == 0) 5L else random.nextInt(100000).toLong)
    slid(pane => if (pane % 10 == 0) 20000 else 3)((random, _) => random.nextLong())
    // a window with at most 1/ε distinct values is exact, even if earlier windows had many values
    slid(_ => 100)((random, pane) => random.nextInt(if (pane < 100) 100000 else 15).toLong)
    // no rows: a window of few values stores all of them
    val (_, byCells) = slid(_ => 100)((random, _) => random.nextInt(15).toLong)
    assertEquals(byCells, 0)
  }

  /** The number of elements created for all rows, by cells and by folding alone. */
  private def elementsCreated(frames: Frames, sketches: IndexedSeq[Array[Byte]]): (Long, Long) = {
    def count(folding: Folding[Summary]): Long = {
      var elements = 0L
      folding.begin(
        frames,
        new SketchFold({ i =>
          elements += 1
          sketches(i)
        })
      )
      (0 until frames.rows).foreach(_ => folding.next())
      folding.end()
      elements
    }
    (count(unions), count(new TwoStacks[Summary]))
  }

  test(
    "what cells cost beyond folding is limited by the rows: values that drift, other kinds, nothing shared"
  ) {
    val random = new SplittableRandom(3L)
    def sketches(n: Int)(key: Int => Long): IndexedSeq[Array[Byte]] =
      IndexedSeq.tabulate(n)(i => stored(Array.fill(60)(key(i)), 0.05))
    val panes = 2000
    val drifting = sketches(panes)(i => i * 100L + random.nextInt(100))
    val mixed = drifting.zipWithIndex.map { case (bytes, i) =>
      if (i % 40 == 39) stored(Array.fill(60)(random.nextLong()), 0.1) else bytes
    }
    val tumbling = new Frames(Array.tabulate(100)(_ * 20), Array.tabulate(100)(i => i * 20 + 20), 100)
    for {
      frames <- Seq(sliding(panes, 12), sliding(panes, 100), sliding(panes, 700), tumbling)
      kind <- Seq(drifting, mixed)
    } {
      val (byCells, byFolds) = elementsCreated(frames, kind)
      assert(
        byCells <= byFolds + 512 + 4L * (frames.rows + frames.until(0) - frames.from(0)),
        s"$byCells, $byFolds by folding"
      )
    }
    // no element is shared by two rows: no grid at all
    val (byCells, byFolds) = elementsCreated(tumbling, sketches(panes)(_ => random.nextLong()))
    assertEquals(byCells, byFolds)
  }

  test("runs that begin with a long frame use cells, and so do consecutive runs") {
    val random = new SplittableRandom(5L)
    val sketches = IndexedSeq.fill(1200)(stored(Array.fill(60)(random.nextLong()), 0.05))
    for (longest <- Seq(60, 600)) {
      val frames = new Frames(Array.tabulate(600)(identity), Array.tabulate(600)(_ + longest), 600)
      for (_ <- 0 until 2) {
        unions.begin(frames, new SketchFold(sketches(_)))
        (0 until 600).foreach(_ => unions.next())
        assert(unions.rowsAdded > 500, s"${unions.rowsAdded} of 600 rows, frames of $longest")
        unions.end()
      }
    }
  }

  test("a few sketches are merged directly, even if cells were used before") {
    val random = new SplittableRandom(4L)
    val sketches = IndexedSeq.fill(60)(stored(Array.fill(100)(random.nextLong()), 0.05))
    // the frames of the last rows become shorter and shorter
    val until = Array.tabulate(80)(i => math.min(60, i + 1))
    val frames = new Frames(Array.tabulate(80)(i => math.max(0, math.min(59, i - 19))), until, 80)
    val folds = new TwoStacks[Summary]
    folds.begin(frames, new SketchFold(sketches(_)))
    unions.begin(frames, new SketchFold(sketches(_)))
    val errors = Seq.fill(80) {
      val (ours, theirs) = (unions.next(), folds.next())
      (
        ours.asInstanceOf[GreenwaldKhanna].profile.rankError,
        theirs.asInstanceOf[GreenwaldKhanna].profile.rankError
      )
    }
    assert(unions.rowsAdded > 20, unions.rowsAdded)
    assertEquals(errors.last._1, errors.last._2)
  }

  private def folded(folding: Folding[Summary], frames: Frames, sketches: IndexedSeq[Array[Byte]]) = {
    folding.begin(frames, new SketchFold(sketches(_)))
    Seq.fill(frames.rows)(Option(folding.next()).map(Envelope.seal(_).toSeq))
  }

  test("unsummarised sketches and other families are merged as by TwoStacks, to the byte") {
    val random = new SplittableRandom(1L)
    val frames = sliding(100, 12)
    val exact = IndexedSeq.fill(100)(stored(Array.fill(50)(random.nextLong()), 0.0))
    val logs = IndexedSeq.fill(100) {
      val sketch = DDSketchRecipe(Domain.BigInt, 0.01).empty
      (0 until 50).foreach(_ => sketch.insert(random.nextLong(1L, 1000000L)))
      Envelope.seal(sketch)
    }
    val few = IndexedSeq.fill(100)(stored(Array.fill(10)(random.nextLong()), 0.01))
    for (sketches <- Seq(exact, logs, few))
      assertEquals(folded(unions, frames, sketches), folded(new TwoStacks[Summary], frames, sketches))
  }

  test("sketches of a tail are merged as by TwoStacks, to the byte, however many") {
    val random = new SplittableRandom(46L)
    val tails = IndexedSeq.fill(300) {
      val sketch = QuantileRecipe(Domain.BigInt, 0.05, HighTailSketch).empty
      (0 until 400).foreach(_ => sketch.insert(random.nextInt(100000).toLong))
      Envelope.seal(sketch)
    }
    val frames = sliding(300, 20)
    assertEquals(folded(unions, frames, tails), folded(new TwoStacks[Summary], frames, tails))
    assertEquals(unions.rowsAdded, 0L)
  }

  test("a wider value type may come later; one that cannot be merged is rejected") {
    val random = new SplittableRandom(2L)
    val ints = IndexedSeq.fill(60)(stored(Array.fill(300)(random.nextInt().toLong), Domain.Int, 0.05))
    val wider = ints.updated(50, stored(Array.fill(300)(random.nextLong()), 0.05))
    unions.begin(sliding(60, 10), new SketchFold(wider(_)))
    val domains = Seq.fill(60)(unions.next().domain)
    assertEquals(domains.indexOf(Domain.BigInt), 50)
    val doubles = ints.updated(50, stored(Array(1L), Domain.Double, 0.05))
    unions.begin(sliding(60, 10), new SketchFold(doubles(_)))
    assertEquals(Seq.fill(60)(unions.next().domain).indexOf(Domain.Double), 50)
    val dates = ints.updated(50, stored(Array(1L), Domain.Date, 0.05))
    unions.begin(sliding(60, 10), new SketchFold(dates(_)))
    intercept[Refusal](Seq.fill(60)(unions.next()))
  }

  test("a count beyond 63 bits is rejected") {
    val giant = new GreenwaldKhanna(Domain.BigInt, 0.05)
    (1L to 1000L).foreach(giant.insert(_, 1L << 50))
    val giants = IndexedSeq.fill(60)(Envelope.seal(giant))
    unions.begin(sliding(60, 20), new SketchFold(giants(_)))
    intercept[Refusal](Seq.fill(60)(unions.next()))
  }
}
