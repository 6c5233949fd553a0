package chronosketch.quantile

import chronosketch.Suite
import chronosketch.domain.Domain
import chronosketch.grouped.GroupedInserts
import chronosketch.memory.Meter

/** Tests that summaries report the memory that they hold. */
class MeterSuite extends Suite {
  private def arrays(s: GreenwaldKhanna): Long = {
    def classes(instance: AnyRef) =
      Iterator.iterate[Class[_]](instance.getClass)(_.getSuperclass).takeWhile(_ != null).toSeq
    def fields(instance: AnyRef): Seq[AnyRef] = classes(instance).flatMap(_.getDeclaredFields).map { f =>
      f.setAccessible(true)
      f.get(instance)
    }
    def parts(instance: AnyRef): Seq[AnyRef] = instance +: fields(instance).collect {
      case part @ (_: Summarised | _: Tuples | _: HeavyCopies | _: WaitingTuples | _: CellCounts) => part
    }.flatMap(parts)
    val bytes = parts(s).flatMap(fields).collect {
      case a: Array[Long] => 8L * a.length
      case a: Array[Int] => 4L * a.length
    }
    assert(Set(1, 6, 8, 10, 12)(bytes.size), s"$bytes")
    bytes.filter(_ > 0).map(16 + _).sum
  }

  test("a sketch reports its memory after any inserts, merges and flushes") {
    val random = new java.util.SplittableRandom(3)
    for (epsilon <- Seq(0.0, 1e-3, 0.1)) {
      val meter = new Meter
      val s = new GreenwaldKhanna(Domain.BigInt, epsilon)
      (1 to 500).foreach(_ => s.insert(random.nextLong()))
      s.meteredBy(meter)
      var greatest, least = meter.bytes
      (1 to 60).foreach { i =>
        i % 4 match {
          case 0 => (1 to 3000).foreach(_ => s.insert(random.nextLong()))
          case 1 => (1 to 300).foreach(_ => s.insert(random.nextLong(), 100))
          case 2 =>
            val other = new GreenwaldKhanna(Domain.BigInt, if (i == 50) 0.2 else epsilon)
            (1 to 2000).foreach(_ => other.insert(random.nextLong()))
            s.merge(other)
          case _ => s.tuples
        }
        assertEquals(meter.bytes, arrays(s) + Meter.ObjectBytes, s"ε $epsilon, step $i")
        greatest = math.max(greatest, meter.bytes)
        least = meter.bytes
      }
      // a merge with a larger ε makes the sketch smaller, unless ε was large already
      assert(epsilon == 0.1 || greatest > least, s"ε $epsilon: $greatest, $least")
      val other = new Meter
      s.meteredBy(other)
      assertEquals(meter.bytes, 0L)
      assertEquals(other.bytes, arrays(s) + Meter.ObjectBytes)
      s.meteredBy(null)
      assertEquals(other.bytes, 0L)
    }
  }

  test("groups report about as much memory as they keep on the heap") {
    def keep(n: Int, values: Int): (Long, Long) = {
      val meter = new Meter
      val runtime = Runtime.getRuntime
      def used: Long = { System.gc(); System.gc(); runtime.totalMemory - runtime.freeMemory }
      val before = used
      val groups = new GroupedInserts(QuantileRecipe(Domain.BigInt, 1e-3), meter)
      (0 until n).foreach(g => (0 until values).foreach(i => groups.insert(g, i.toLong)))
      val held = used - before
      assert(groups.isTouched(n - 1))
      (meter.bytes, held)
    }
    Seq((200000, 20), (20000, 200)).foreach { case (n, values) =>
      val (metered, held) = keep(n, values)
      assert(metered >= held * 0.95, s"$n groups of $values: $metered metered, $held held")
      assert(metered <= held * 1.3, s"$n groups of $values: $metered metered, $held held")
    }
  }
}
