package chronosketch.bench.history

import java.util.{Arrays, SplittableRandom}

/** A replacement for the paper's packets of the Abilene network (§4.3), which are not available: as many packets over about as many ports.
  * A packet replaces its port's number of packets by one more: it deletes the old number and inserts the new one. Ports follow Zipf's law
  * with the exponent with which 1.6 million packets reach about 53 940 of 65 535 ports, as in the paper's data.
  */
final class PortChanges(seed: Long) extends Changes {
  private val packets = 1600000
  private val ports = 65535
  private val exponent = 1.14

  def first: Int = 1

  val changes: Array[Long] = {
    val random = new SplittableRandom(seed)
    val cumulated = new Array[Double](ports)
    var sum = 0.0
    cumulated.indices.foreach { i => sum += math.pow(i + 1.0, -exponent); cumulated(i) = sum }
    val seen = new Array[Long](ports)
    val all = new Array[Long](2 * packets)
    var n = 0
    (0 until packets).foreach { _ =>
      val found = Arrays.binarySearch(cumulated, random.nextDouble() * sum)
      val port = math.min(ports - 1, if (found >= 0) found else -found - 1)
      if (seen(port) > 0) { all(n) = ~seen(port); n += 1 }
      seen(port) += 1
      all(n) = seen(port)
      n += 1
    }
    Arrays.copyOf(all, n)
  }
}
