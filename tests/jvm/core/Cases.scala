package chronosketch

/** The number of test cases: few by default. If CHRONOSKETCH_CASES is greater than 1, all combinations are tested, with that many
  * times more random cases.
  */
object Cases {
  val times: Int = sys.env.get("CHRONOSKETCH_CASES").fold(1)(_.toInt)

  def of(few: Int): Int = few * times

  /** Each of the first combined with one of the second, in turn; or all combinations. */
  def inTurns[A, B](each: Seq[A], turns: Seq[B]): Seq[(A, B)] =
    for ((a, i) <- each.zipWithIndex; b <- turn(i, turns)) yield (a, b)

  /** The element whose turn it is, or all elements. */
  def turn[A](i: Int, turns: Seq[A]): Seq[A] = if (times > 1) turns else Seq(turns(i % turns.size))

  /** Whether the i-th case is one of those that are tested: every `apart`-th, or all. */
  def isTurn(i: Int, apart: Int): Boolean = times > 1 || i % apart == 0

  /** `few` of similar cases, spread evenly over them; or all of them. */
  def some[A](few: Int, cases: Seq[A]): Seq[A] =
    if (times > 1 || cases.size <= few) cases else Seq.tabulate(few)(i => cases(i * cases.size / few))
}
