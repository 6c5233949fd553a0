package chronosketch.spark.advisor

/** A window: its length and slide in rows, and the error allowed.
  *
  * @param epsilon the rank error allowed; 0 means exact
  * @param delta   the probability of a larger error; 0 means none
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
