package chronosketch

/** How much is tried: a little in every run, and all of it, with as many times more random cases, where CHRONOSKETCH_CASES is more
  * than 1.
  */
object Cases {
  val times: Int = sys.env.get("CHRONOSKETCH_CASES").fold(1)(_.toInt)

  def of(few: Int): Int = few * times

  /** Each of the first with one of the second, which take turns; or each with each. */
  def inTurns[A, B](each: Seq[A], turns: Seq[B]): Seq[(A, B)] =
    for ((a, i) <- each.zipWithIndex; b <- turn(i, turns)) yield (a, b)

  /** The one whose turn it is, or each of them. */
  def turn[A](i: Int, turns: Seq[A]): Seq[A] = if (times > 1) turns else Seq(turns(i % turns.size))

  /** So many of like cases, spread evenly over them; or all of them. */
  def some[A](few: Int, cases: Seq[A]): Seq[A] =
    if (times > 1 || cases.size <= few) cases else Seq.tabulate(few)(i => cases(i * cases.size / few))
}
