package chronosketch

/** How much is tried: a little in every run, and all of it, with as many times more random cases, where CHRONOSKETCH_CASES is more
  * than 1.
  */
object Cases {
  val times: Int = sys.env.get("CHRONOSKETCH_CASES").fold(1)(_.toInt)

  def of(few: Int): Int = few * times

  /** Each of the first with one of the second, which take turns; or each with each. */
  def inTurns[A, B](each: Seq[A], turns: Seq[B]): Seq[(A, B)] =
    if (times > 1) for (a <- each; b <- turns) yield (a, b)
    else each.zipWithIndex.map { case (a, i) => (a, turns(i % turns.size)) }
}
