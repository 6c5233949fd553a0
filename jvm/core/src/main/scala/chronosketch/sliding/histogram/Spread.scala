package chronosketch.sliding.histogram

/** Count, mean and M2 of numbers. M2 is the sum of their squared distances from the mean.
  *
  * Source  Chan, Golub and LeVeque 1983
  */
private[histogram] final class Spread {
  var n = 0L
  var mean, m2 = 0.0

  def clear(): Unit = {
    n = 0L
    mean = 0.0
    m2 = 0.0
  }

  def add(value: Double): Unit = {
    n += 1
    val delta = value - mean
    mean += delta / n.toDouble
    m2 += delta * (value - mean)
  }

  def add(thatN: Long, thatMean: Double, thatM2: Double): Unit = {
    val all = n + thatN
    val delta = thatMean - mean
    val share = thatN.toDouble / all.toDouble
    m2 += thatM2 + delta * delta * share * n.toDouble
    mean += delta * share
    n = all
  }
}
