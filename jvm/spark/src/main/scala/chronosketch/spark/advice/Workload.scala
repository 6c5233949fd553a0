package chronosketch.spark.advice

/** What a window asks for: how many rows it holds, how far it moves, both in rows, and how exact its answers are.
  *
  * @param epsilon the error allowed; 0: none
  * @param delta   the chance of a larger error; 0: none
  */
final case class Workload(retention: Double, slide: Double, epsilon: Double, delta: Double) {
  def factor(name: String): Double = name match {
    case "retention" => retention
    case "slide" => slide
    case "epsilon" => epsilon
    case _ => delta
  }
}

object Workload {
  val Factors: Seq[String] = Seq("retention", "slide", "epsilon", "delta")
}
