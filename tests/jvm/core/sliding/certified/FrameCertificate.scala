package chronosketch.sliding.certified

import chronosketch.counted.ElementCount
import chronosketch.rank.Phi
import chronosketch.sliding.{Elements, ElementSink, Frames}
import chronosketch.summary.ExactBag

/** Checks the guarantees of [[FrameQuantiles]] against the elements of every frame. */
object FrameCertificate {
  val phis: Array[Phi] =
    Array("0", "0.01", "0.3", "0.5", "0.99", "1").map(p => Phi(new java.math.BigDecimal(p)))

  /** All elements, or only those that a mask selects. */
  final class MaskedElements(keys: Array[Long], isThere: Int => Boolean) extends Elements {
    var read = 0L
    def foreach(from: Long, until: Long, append: ElementSink): Unit =
      (from until until).foreach { place =>
        read += 1
        if (isThere(place.toInt)) append.append(keys(place.toInt))
      }
    def count(from: Long, until: Long): Long = (from until until).count(place => isThere(place.toInt)).toLong
  }

  /** Describes the guarantees that fail, for every `every`-th row. */
  def violations(
      structure: FrameStructure,
      keys: Array[Long],
      isThere: Int => Boolean,
      frames: Frames,
      epsilon: Double,
      every: Int
  ): Seq[String] = {
    val quantiles = new FrameQuantiles(phis, epsilon, structure, new MaskedElements(keys, isThere))
    (0 until frames.rows).flatMap { row =>
      val (from, until) = (frames.from(row), frames.until(row))
      quantiles.moveTo(from.toLong, until.toLong)
      if (row % every != 0) Nil
      else {
        val seen = ExactBag.of(Array.range(from, until).filter(isThere).map(keys(_)))
        (wrongCount(quantiles, seen) ++ phis.indices.flatMap(wrongAnswer(quantiles, seen, epsilon, _)))
          .map(what =>
            s"$structure, ε = $epsilon, row $row of [$from, $until), ${seen.count} elements: $what"
          )
      }
    }
  }

  private def wrongCount(quantiles: FrameQuantiles, seen: ExactBag): Seq[String] =
    if (quantiles.count == seen.count) Nil else Seq(s"counted ${quantiles.count}")

  private def wrongAnswer(
      quantiles: FrameQuantiles,
      seen: ExactBag,
      epsilon: Double,
      q: Int
  ): Seq[String] = if (seen.isEmpty) Nil
  else {
    val rank = phis(q).rank(seen.count)
    val (exact, off) = (seen.at(rank), error(seen, quantiles.value(q), rank))
    val (low, high) = (quantiles.low(q), quantiles.high(q))
    val far = Option.when(off > ElementCount.share(epsilon, seen.count))(s"$off ranks off at ${phis(q)}")
    val outside = Option.when(exact < low || exact > high)(s"$exact is not in [$low, $high] at ${phis(q)}")
    (far ++ outside).toSeq
  }

  /** The rank error of a key, whether or not it is in the frame. */
  private def error(seen: ExactBag, key: Long, rank: Long): Long = {
    val below = if (key == Long.MinValue) 0L else seen.rank(key - 1)
    math.max(0L, math.max(rank - seen.rank(key), below + 1 - rank))
  }
}

/** Shapes of frames for tests: how they move over the rows. */
object FrameShapes {
  val names: Seq[String] = Seq("growing", "sliding", "shrinking", "breathing", "following")

  def of(name: String, rows: Int): Frames = {
    def within(i: Int): Int = math.max(0, math.min(rows, i))
    def shape(from: Int => Int, until: Int => Int) =
      new Frames(
        Array.tabulate(rows)(i => within(from(i))).scanLeft(0)(math.max(_, _)).tail,
        Array.tabulate(rows)(i => within(until(i))).scanLeft(0)(math.max(_, _)).tail,
        rows
      )
    name match {
      case "growing" => shape(_ => 0, _ + 1)
      case "sliding" => shape(_ - 1999, _ + 1)
      case "shrinking" => shape(i => i, _ => rows)
      case "breathing" => shape(i => i - 1000 - (900 * math.sin(i / 300.0)).toInt, _ + 100)
      case "following" => shape(_ + 50, _ + 2000)
    }
  }
}
