package chronosketch.warehouse

/** Places of a sorted run, counted from 1: those from `from` up to, but without, `until`. */
final case class Stretch(from: Long, until: Long) {
  def length: Long = until - from
}

/** Places of one of several runs. */
final case class Asked(run: Int, stretch: Stretch)
