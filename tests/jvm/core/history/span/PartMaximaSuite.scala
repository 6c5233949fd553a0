package chronosketch.history.span

import java.util.SplittableRandom

import chronosketch.{Cases, Suite}
import chronosketch.history.{DriftingHistory, RandomHistory}

/** Tests that the tree of maxima agrees with reading the parts' counters one by one. */
class PartMaximaSuite extends Suite {

  /** Checks all answers at a version, for the parts whose counters begin with `first`. */
  private def check(tracks: Tracks, first: Int, size: Int, version: Long, random: SplittableRandom): Unit = {
    val maxima = new PartMaxima(new TrackGuide(tracks), first, size)
    val values = Array.tabulate(size)(i => tracks.at(first + i, version))
    val running = values.scanLeft(-1L)(math.max)
    val existing = values.indices.filter(values(_) >= 0)
    (0 to size).foreach { part =>
      assertEquals(maxima.before(part, version), running(part))
      assertEquals(maxima.previous(part, version), existing.filter(_ < part).lastOption.getOrElse(-1))
      assertEquals(maxima.next(part, version), existing.find(_ >= part).getOrElse(size))
    }
    val numbers = values.toSeq.filter(_ >= 0).flatMap(v => Seq(v, v + 1)) ++
      Seq(0L, running.last + 1, Long.MaxValue, random.nextLong(Long.MaxValue))
    numbers.foreach { number =>
      val reached = values.indexWhere(_ >= number)
      val cursor = new PartCursor(maxima, version)
      assertEquals(cursor.part, size)
      cursor.seek(number)
      assertEquals(cursor.part, if (reached < 0) size else reached)
      (1 to 12).foreach { _ =>
        if (cursor.part >= 0) {
          assertEquals(cursor.greatestBefore, running(cursor.part))
          val before = existing.filter(_ < cursor.part).lastOption.getOrElse(-1)
          cursor.toPrevious()
          assertEquals(cursor.part, before)
        }
      }
    }
  }

  private def versions(tracks: Tracks, from: Int, until: Int): Seq[Long] =
    (tracks.from(from) until tracks.until(until - 1)).map(tracks.version)

  test("counters that rise and fall at random versions") {
    (1 to Cases.of(50)).foreach { seed =>
      val random = new SplittableRandom(seed.toLong)
      val first = random.nextInt(3)
      val size = 1 + random.nextInt(if (seed % 10 == 0) 600 else 80)
      val tracks = RandomTracks(random, first + size, 1 + random.nextInt(8))
      val written = versions(tracks, first, first + size)
      (1 to 5).foreach { _ =>
        check(tracks, first, size, written(random.nextInt(written.size)) + random.nextInt(2), random)
      }
      Seq(Long.MinValue, Long.MaxValue).foreach(check(tracks, first, size, _, random))
    }
  }

  test("the parts of random and of drifting histories") {
    val random = new SplittableRandom(1)
    val made = (1 to Cases.of(50)).map(seed => new RandomHistory(seed.toLong).build())
    val histories = made ++ DriftingHistory.all.map(_.sketch)
    val sizes = for {
      history <- histories
      span <- RandomHistory.countedSpans(history)
      cell <- span.starts.indices
      size = span.parts.until(cell) - span.parts.from(cell)
      if size > 0
    } yield {
      val first = span.starts.length + span.parts.from(cell)
      val written = versions(span.counters, first, first + size)
      (1 to 3).foreach { _ =>
        check(span.counters, first, size, written(random.nextInt(written.size)) + random.nextInt(2), random)
      }
      size
    }
    assert(sizes.max > 64 && sizes.count(_ > 16) > 20, s"${sizes.max}, ${sizes.count(_ > 16)}")
  }
}
