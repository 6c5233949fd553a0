package chronosketch.sliding

import java.lang.reflect.Modifier
import java.util.{IdentityHashMap, SplittableRandom}

import chronosketch.Suite
import chronosketch.memory.Meter
import chronosketch.rank.Phi
import chronosketch.sliding.certified.{
  ArasuManku,
  ArasuMankuVariable,
  Cmqs,
  ExpirationList,
  FrameSummary,
  GrowingFrame
}
import chronosketch.sliding.histogram.{ExponentialHistogram, Panes, VarianceHistogram}
import chronosketch.sliding.order.{BlockSort, Ranks}
import chronosketch.sliding.sampled.{Bernoulli, BiasedReservoir, BoundedPriority, FrameSample, Priority}

/** Tests that structures report the memory of all reachable arrays, plus at most a constant per object. */
class ReportedBytesSuite extends Suite {

  /** The bytes of the reachable arrays, and the number of objects. */
  private def reached(from: AnyRef): (Long, Long) = {
    val seen = new IdentityHashMap[AnyRef, AnyRef]
    var arrays, objects = 0L
    def visit(it: AnyRef): Unit = if (it != null && seen.put(it, it) == null) {
      val name = it.getClass.getName
      it match {
        case a: Array[Long] => if (a.nonEmpty) arrays += 16 + 8L * a.length
        case a: Array[Double] => arrays += 16 + 8L * a.length
        case a: Array[Int] => arrays += 16 + 4L * a.length
        case a: Array[AnyRef] => arrays += 16 + 8L * a.length; a.foreach(visit)
        case _ if name.startsWith("chronosketch.domain.") || name.endsWith("$") => ()
        case _ if name.startsWith("chronosketch.") || name.endsWith(".ArrayDeque") =>
          objects += 1
          Iterator.iterate[Class[_]](it.getClass)(_.getSuperclass).takeWhile(_ != null).foreach { of =>
            // a sketch drops the results of a query when the next element arrives
            of.getDeclaredFields.filter(f =>
              !Modifier.isStatic(f.getModifiers) && !f.getType.isPrimitive && !f.getName.endsWith(
                "cachedProfile"
              )
            ).foreach { f => f.setAccessible(true); visit(f.get(it)) }
          }
        case _ => ()
      }
    }
    visit(from)
    (arrays, objects)
  }

  private def check(it: AnyRef, reported: Long, clue: String): Unit = {
    val (arrays, objects) = reached(it)
    // free places in a queue of references are not counted
    assert(reported >= 0.95 * arrays - 1024, s"$clue: $reported reported, $arrays in arrays")
    assert(
      reported <= arrays + objects * Meter.ObjectBytes + 1024,
      s"$clue: $reported reported, $arrays in arrays, $objects objects"
    )
  }

  /** Lets elements arrive and leave, with queries in between. */
  private def walk(kept: RetainedElements, append: Long => Unit, ask: () => Unit): Unit = {
    val random = new SplittableRandom(3L)
    (1 to 30000).foreach { i =>
      append(random.nextLong(1000000L))
      if (kept.count > 4000) kept.expire(1L)
      if (i % 5000 == 0 && kept.count > 2000) kept.expire(1500L)
      if (i % 1000 == 500) {
        check(kept, kept.sizeBytes, s"${kept.getClass.getSimpleName} after $i")
        ask()
      }
    }
  }

  for (structure <- Seq(ArasuManku, ArasuMankuVariable, Cmqs, ExpirationList, GrowingFrame))
    test(s"$structure") {
      val summary: FrameSummary = structure.of(4000L, 0.05)
      walk(summary, summary.append, () => ())
    }

  for (structure <- Seq(Bernoulli, Priority, BoundedPriority, BiasedReservoir))
    test(s"$structure") {
      val sample: FrameSample = structure.of(4000L, 0.1, 0.1, 3L)
      walk(sample, sample.append, () => { sample.quantile(Phi(0.5)); () })
    }

  for {
    structure <- Seq(histogram.NumberExpirationList, Panes, ExponentialHistogram, VarianceHistogram)
    asked <- structure.answers.toSeq.sortBy(_.name)
  } test(s"$structure of ${asked.name}") {
    val numbers = structure.of(asked, 4000L, 20L, 0.1)
    walk(numbers, key => numbers.append(key.toDouble), () => ())
  }

  test("BlockSort reports its arrays") {
    val random = new SplittableRandom(3L)
    for (rows <- Seq(10, 5000, 100000)) {
      val sorting = new BlockSort(Ranks(Phi(0.5), Phi(0.9)))
      val keys = Array.fill(rows + 1000)(random.nextLong())
      val frames = new Frames(Array.tabulate(rows)(identity), Array.tabulate(rows)(_ + 1000), rows)
      sorting.slide(keys, frames, new Array[Long](2 * rows))
      // the keys are reachable, but belong to the caller; sorting tables have a fixed size
      val own = sorting.sizeBytes + Meter.longs(keys.length)
      val (arrays, objects) = reached(sorting)
      assert(
        own >= 0.7 * arrays && own <= arrays + objects * Meter.ObjectBytes,
        s"$rows: $own, $arrays in arrays"
      )
    }
  }
}
