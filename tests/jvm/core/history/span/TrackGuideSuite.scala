package chronosketch.history.span

import java.util.SplittableRandom

import chronosketch.Suite

/** Tests that the guide finds the same numbers as reading the tracks one by one. */
class TrackGuideSuite extends Suite {
  private def oneByOne(tracks: Tracks, i: Int, version: Long): Long = {
    val written = (tracks.from(i) until tracks.until(i)).takeWhile(tracks.version(_) <= version)
    written.lastOption.fold(-1L)(tracks.value)
  }

  private def check(tracks: Tracks, asked: Seq[Long]): Unit = {
    val guide = new TrackGuide(tracks)
    for (i <- 0 until tracks.size; version <- asked) {
      val expected = oneByOne(tracks, i, version)
      assertEquals((tracks.at(i, version), guide.at(i, version)), (expected, expected))
      assertEquals(tracks.isWritten(i, version), expected >= 0)
    }
  }

  test("the guide finds the same numbers, for versions evenly spread and in bursts, near and far apart") {
    (1L to 200L).foreach { seed =>
      val random = new SplittableRandom(seed)
      val tracks = RandomTracks(random, 1 + random.nextInt(20), 1 + random.nextInt(200))
      val written = (0 until tracks.until(tracks.size - 1)).map(tracks.version)
      val near = (1 to 50).map(_ => written(random.nextInt(written.size)) + random.nextInt(3) - 1)
      check(tracks, near ++ Seq(Long.MinValue, -1L, 0L, Long.MaxValue))
    }
  }

  test("no tracks, tracks without writes, and tracks of one version") {
    check(new Tracks(Array.emptyIntArray, Array.emptyLongArray), Seq(0L))
    check(new Tracks(Array(0, 1, 1), Array(5L, 7L)), Seq(4L, 5L, 6L))
    check(new Tracks(Array.range(1, 21), Array.fill(20)(Seq(5L, 7L)).flatten), Seq(4L, 5L, 6L))
  }

  test("the guide takes at most an int per four writes and 16 bytes per track") {
    (1L to 100L).foreach { seed =>
      val random = new SplittableRandom(seed)
      val tracks = RandomTracks(random, 20, 1000)
      val limit = 12L * tracks.size + 4L * (tracks.until(tracks.size - 1) / 4 + tracks.size) + 64
      assert(new TrackGuide(tracks).sizeBytes <= limit, s"${new TrackGuide(tracks).sizeBytes} > $limit")
    }
  }
}

/** Tracks with writes at random versions. */
object RandomTracks {
  def apply(random: SplittableRandom, size: Int, maxWrites: Int): Tracks = {
    val ends = new Array[Int](size)
    val writes = new LongList
    val spread = random.nextInt(4)
    def version(): Long = spread match {
      case 0 => random.nextLong(0, 4L * maxWrites)
      case 1 => random.nextLong()
      case 2 => math.exp(random.nextDouble() * 40).toLong
      case _ => random.nextLong(3) * (1L << 60) - (1L << 61) + random.nextLong(maxWrites.toLong)
    }
    (0 until size).foreach { i =>
      val versions = Seq.fill(1 + random.nextInt(maxWrites))(version()).distinct.sorted
      // numbers that rise and fall, with ranges that overlap those of their neighbours
      versions.foreach { v => writes.add(v); writes.add(math.max(0L, 10L * i + random.nextLong(-100, 100))) }
      ends(i) = writes.size / 2
    }
    new Tracks(ends, writes.toArray)
  }
}
