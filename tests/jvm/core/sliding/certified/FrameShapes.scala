package chronosketch.sliding.certified

import chronosketch.sliding.Frames

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
